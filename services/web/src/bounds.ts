/** Every bound of the web server, with its unit. */

/** Bytes of a body that is read here instead of being passed on as it comes. */
export const bodyBytesMax = 1024 * 1024;
/** Bytes of a request's header: the cookies of a session are up to 12 KiB of it. */
export const headerBytesMax = 32 * 1024;
/** Time for the header of a request to arrive, in milliseconds. */
export const headersTimeoutMs = 10_000;
/** Connections open at the same time; more are closed at once. */
export const connectionsMax = 5_000;
/** How long running requests may take to finish when the server stops, in milliseconds. */
export const stopGraceMs = 5_000;
/** How long a browser keeps a file whose name holds the digest of its content, in seconds. */
export const hashedFileSeconds = 31_536_000;
/** Ports that are tried one after the other where the wanted one is taken. */
export const portsTried = 20;

/** How long after signing in somebody has to do so again, in milliseconds: unless it is configured, at least and at most. */
export const sessionMsDefault = 12 * 3_600_000;
export const sessionMsMin = 5 * 60_000;
export const sessionMsMax = 720 * 3_600_000;
/** How long a token is taken to hold where its provider does not say, in milliseconds. */
export const assumedTokenMs = 5 * 60_000;
/** How long a sign-in may take, from leaving for the provider to coming back, in milliseconds. */
export const signInMs = 10 * 60_000;
/** Sign-ins that one browser has begun at once, in tabs; with one more all before are given up. */
export const signInsMax = 5;
/** How long the way to the provider's end of a session may take, in milliseconds. */
export const leavingMs = 60_000;
/** Characters of a cookie's value. Browsers keep 4,096 bytes with name and attributes. */
export const cookieCharactersMax = 3_800;
/** Cookies of one session: what is longer is refused. */
export const sessionCookiesMax = 3;
/** Characters of the address that a sign-in leads back to. */
export const returnCharactersMax = 1_000;
/** How long before its end a token is renewed, in milliseconds; at most half of its life. */
export const renewBeforeMs = 60_000;
/** How long who sends the same refresh token again is given what came of it, in milliseconds. */
export const renewalKeptMs = 60_000;
/** Renewals that are remembered. */
export const renewalsKeptMax = 1_000;
/** How long the provider is waited for, in milliseconds. */
export const providerTimeoutMs = 10_000;
/** By how much its clock and ours may differ, in seconds. */
export const clockToleranceSeconds = 30;
