import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Secret } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { parsePushKey } from '../../parts/push-key.ts';
import { checkHttpUrl, checkNatsUrl } from '../environment.ts';
import { readInternalToken, variablesOf } from '../internal-token.ts';

/** What the environment of the launcher says. */
export type LauncherEnvironment = {
  /** The one that is set, for commands that read from outside; else a new one for each start. Each service gets one made from it. */
  readonly internalToken: Secret;
  /** With which credentials for notifications are sealed; absent: the data directory keeps one. */
  readonly pushKey?: Secret;
  /** A NATS server that runs already. */
  readonly nats?: { readonly url: string; readonly monitorUrl?: string };
};

const tokenBytes = 32;

/** @throws Error in one line that names the variable that is wrong; it never holds a secret. */
export function readLauncherEnvironment(env: Readonly<Record<string, string | undefined>>): LauncherEnvironment {
  const variable = variablesOf(env);
  const internalToken =
    readInternalToken(variable, (path) => readFileSync(path, 'utf8')) ??
    new Secret(randomBytes(tokenBytes).toString('base64url'));
  const key = variable('STOPGO_PUSH_KEY');
  if (key !== undefined) checkVariable('STOPGO_PUSH_KEY', () => parsePushKey(key));
  const own = { internalToken, ...(key === undefined ? {} : { pushKey: new Secret(key) }) };
  const url = variable('NATS_URL');
  if (url === undefined) return own;
  const monitorUrl = variable('NATS_MONITOR_URL');
  checkVariable('NATS_URL', () => checkNatsUrl(url));
  if (monitorUrl !== undefined) checkVariable('NATS_MONITOR_URL', () => checkHttpUrl(monitorUrl));
  return { ...own, nats: { url, ...(monitorUrl === undefined ? {} : { monitorUrl }) } };
}

function checkVariable(name: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`);
  }
}
