import type { Sealer } from '@stopgo/security';
import type { RegisteredClient } from './sealed-account.ts';

/** What was begun and is to be finished: by whoever began it, at any bridge. It goes through the browser, sealed. */
export type Begun = {
  readonly user: string;
  readonly server: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly client: RegisteredClient;
  /** Where the metadata of the authorization server was found. */
  readonly authorizationServer: string;
  readonly resource: string;
  readonly scope: string;
  /** Revision at which the account was connected or disconnected last: whoever finishes one thing ends all that was begun before. */
  readonly turnedAt: number;
  /** Milliseconds since 1970. */
  readonly until: number;
};

const place = ['account begun'];

/** As the value of `state`. */
export const sealBegun = (begun: Begun, sealer: Sealer): string =>
  Buffer.from(sealer.seal(JSON.stringify(begun), place)).toString('base64url');

/** Undefined for what was not sealed here, was changed, or is over. `now`: milliseconds since 1970. */
export function openBegun(state: string, sealer: Sealer, now: number): Begun | undefined {
  const text = sealer.open(Buffer.from(state, 'base64url'), place);
  if (text === undefined) return undefined;
  const begun = JSON.parse(text) as Begun;
  return now < begun.until ? begun : undefined;
}
