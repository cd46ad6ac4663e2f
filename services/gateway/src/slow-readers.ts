import type { RequestHandler } from 'express';

/**
 * Closes the connection of a client that reads nothing of its whole answer for `stallMs` milliseconds: until the answer
 * has left, it is kept in memory. A client that reads slowly is given its time.
 */
export function cutSlowReaders(stallMs: number): RequestHandler {
  return (_req, res, next) => {
    // Once the answer has left, the server itself puts the time for idle connections in the place of this one.
    res.once('prefinish', () => res.socket?.setTimeout(stallMs));
    next();
  };
}
