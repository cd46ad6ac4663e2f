import { createHash } from 'node:crypto';
import { assumedTokenMs, renewBeforeMs } from '../bounds.ts';

/** Who is signed in, and with what. All times are in milliseconds since 1970. */
export type Session = {
  /** Tells one person from another, and says nothing about them. */
  readonly person: string;
  /** What the gateway is shown. */
  readonly token: string;
  readonly tokenUntil: number;
  /** From when on the token is to be renewed, where that can be done. */
  readonly renewFrom: number;
  readonly refreshToken?: string;
  /** Tells the provider whose session ends, when somebody signs out. Left out where it does not fit. */
  readonly idToken?: string;
  /** When the person has to sign in again, whatever is renewed meanwhile. */
  readonly until: number;
};

/** What a provider has given. */
export type Tokens = {
  readonly token: string;
  /** Absent: nobody says when it ends. */
  readonly tokenUntil?: number;
  readonly refreshToken?: string;
  readonly idToken?: string;
};

const personCharacters = 24;

export const personOf = (issuer: string, subject: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['web app person', issuer, subject]))
    .digest('hex')
    .slice(0, personCharacters);

/** The session of a person who has just signed in, or whose token was renewed at `now`. What the answer does not bring anew stays. */
export function sessionWith(
  tokens: Tokens,
  { person, until, ...before }: Pick<Session, 'person' | 'until' | 'refreshToken' | 'idToken'>,
  now: number,
): Session {
  const refreshToken = tokens.refreshToken ?? before.refreshToken;
  // Of a token that can be renewed, and of which nobody says when it ends, it is not waited for that the gateway refuses it.
  const assumed = refreshToken === undefined ? until : now + assumedTokenMs;
  const tokenUntil = Math.min(tokens.tokenUntil ?? assumed, until);
  const idToken = tokens.idToken ?? before.idToken;
  return {
    ...{ person, until, token: tokens.token, tokenUntil },
    renewFrom: tokenUntil - Math.min(renewBeforeMs, (tokenUntil - now) / 2),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
  };
}

/** Whether the token is to be renewed now, and can be: what ends with the session needs no renewing. */
export const isDue = ({ refreshToken, renewFrom, tokenUntil, until }: Session, now: number): boolean =>
  refreshToken !== undefined && tokenUntil < until && now >= renewFrom;
