import { apiKeyIdOf, apiKeyText, issueApiKey, keyProblem, noApiKey, revokeApiKey } from '@stopgo/core';
import { storeLog } from '@stopgo/log';
import { firstAdministrator } from './first-user.ts';
import { decideApiKey, loadApiKey, type PeoplePorts } from './people-log.ts';
import type { PeopleDependencies } from './service.ts';

const keyBytes = 32;

/** Where the text of the key is kept, for whoever sets the platform up. */
export type SetupKeyFile = {
  /** The text that is kept; undefined if there is none. */
  readonly read: () => string | undefined;
  /** Keeps a text, readable by its owner only, on disk once it returns. */
  readonly write: (text: string) => void;
  readonly remove: () => void;
};

/**
 * Sees to it that a platform on which nobody is SUPER_ADMIN yet has a key to make the first one with, and that no other keeps one.
 * `needed`: whether the key is waiting to be used; `only`: the address of the one whom it makes a key for, if somebody is SUPER_ADMIN and has not
 * signed in yet.
 */
export async function issueSetupKey(
  given: PeopleDependencies,
  file: SetupKeyFile,
): Promise<{ readonly needed: boolean; readonly only?: string }> {
  const ports: PeoplePorts = { ...given, log: storeLog(given.store) };
  const actor = { kind: 'system', id: given.instance } as const;
  const kept = file.read();
  const known = kept === undefined ? undefined : await loadApiKey(ports, apiKeyIdOf(kept));
  const isInForce = known !== undefined && keyProblem(known, given.clock.now()) === undefined;
  const administrator = await firstAdministrator(ports);
  // Whoever was made, and has no key that they know of, is made again with the key that is kept.
  if (administrator !== undefined && (administrator.hasEntered || !isInForce)) {
    if (known !== undefined && known.revision > 0) await decideApiKey(ports, known, actor, revokeApiKey);
    if (kept !== undefined) file.remove();
    return { needed: false };
  }
  if (isInForce) return { needed: true, ...(administrator && { only: administrator.user.email }) };
  const text = apiKeyText(given.randomBytes(keyBytes));
  // Kept before it is recorded: a key that is on the record and nowhere else would be of no use to anybody.
  file.write(text);
  const made = { userId: '', name: 'setup', scopes: [], expiresAt: undefined };
  await decideApiKey(ports, noApiKey(apiKeyIdOf(text)), actor, () => issueApiKey(text, made, given.clock.now()));
  return { needed: true };
}
