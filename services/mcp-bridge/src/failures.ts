const unauthorized = 401;

/** The message was certainly not delivered: there is no connection, or none could be made. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** The server answered with a redirect, which is never followed: a token must not travel to where it points. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';
}

/** A rule of ours forbids it, whatever the server does; the text says which and what to do. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/** The text of an error, for texts of ours. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a connection could not be made: the innermost failure that says it in plain words. */
export function connectionReason(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof NotSent || at instanceof RedirectRefused || at instanceof NotAllowed) return at.message;
    if ('status' in at && at.status === unauthorized) {
      return 'it requires authorization (HTTP 401) before any call; it must allow connecting and listing without a token';
    }
  }
  return reasonOf(error);
}
