import { AsyncLocalStorage } from 'node:async_hooks';
import type { AskedQuestion, QuestionAnswer } from './open-questions.ts';

/** Asks people something for a call; aborting the signal gives the question up. */
export type Ask = (question: AskedQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;

/** One tool call on its way over HTTP: what its requests carry, and what became of them. */
export type CallScope = {
  /** The caller's bearer token, if this server is to get it. */
  readonly token: string | undefined;
  /** Asks people something for the call; absent: nobody is to be asked. */
  readonly ask?: Ask | undefined;
  /** Requests of the call that are open: the POST and, if its stream broke, the GET that resumes it. */
  requestsOpen: number;
  /** Set when an answer was larger than allowed: what it had more of, such as `100 bytes`. */
  oversize: string | undefined;
  /** Called when the number of open requests changes. */
  onChange: () => void;
};

/**
 * The call that an HTTP request belongs to. The MCP client has no per-call headers for credentials, and many calls share
 * one connection; the scope follows each call through it, so that concurrent callers never mix. Requests outside of a
 * call (handshake, listing, notifications) find none and carry no token.
 */
export const callScope = new AsyncLocalStorage<CallScope>();
