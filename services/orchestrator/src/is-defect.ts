/** An error of the program's own making; one of a connection has the error of the connection as its cause. */
export function isDefect(error: unknown): error is Error {
  const isOwn = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isOwn && error.cause === undefined;
}
