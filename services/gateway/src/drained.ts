import type { Response } from 'express';

/**
 * Resolves when the client has taken what was written, or the connection is gone. A client that takes nothing at all for
 * `stallMs` milliseconds is cut off; one that reads slowly is given its time.
 */
export function drained(res: Response, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    // The timer of the socket sees each byte that leaves; one of our own would see only that all of them have left.
    const socket = res.socket;
    const done = () => {
      socket?.setTimeout(0);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    socket?.setTimeout(stallMs);
    res.once('drain', done);
    res.once('close', done);
    if (res.destroyed) done();
  });
}
