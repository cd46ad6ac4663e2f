import type { Response } from 'express';

/** Does some work for as long as its client is there: its signal aborts when they leave, and then nobody is told how it ended. */
export async function whileThere(res: Response, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const left = new AbortController();
  res.once('close', () => left.abort(new Error('the client has left')));
  try {
    await work(left.signal);
  } catch (error) {
    if (!left.signal.aborted) throw error;
  }
}
