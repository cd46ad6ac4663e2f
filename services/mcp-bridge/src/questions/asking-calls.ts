// For which call a server asks something, where it does not say:
//
// 1. It is the call in whose answer the request came.
// 2. Else it is the only call that the server owes an answer to. One that has ended without its answer (timed out, canceled, lost on the
//    way) is still owed one: the server may go on with it, and what it asks then must not be put to the people of another call.
// 3. Else nobody can tell.
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId, type Transport } from '@modelcontextprotocol/client';
import { type Ask, callScope } from './call-scope.ts';

/** Why nobody can tell: no call is under way, there are several, or one before ended without its answer. */
export type Unplaced = 'none' | 'several' | 'ended';

/** Calls that have ended without their answer and are remembered; beyond them nobody can tell any more. */
const endedMax = 1_024;

/** Stands for the arguments of calls that have ended. */
const ended = {};

/** The calls on one connection, for what its server asks. */
export class AskingCalls {
  readonly #calls = new Map<object, Ask>();
  /** Calls that the server owes an answer to: the ids of their requests, and the very arguments that they carry. */
  readonly #owed = new Map<RequestId, object>();
  readonly #onUnplaced: (why: Unplaced) => void;
  #isFull = false;

  /** `onUnplaced` is told each time that nobody can tell. */
  constructor(onUnplaced: (why: Unplaced) => void = () => undefined) {
    this.#onUnplaced = onUnplaced;
  }

  /** Notes what is sent. To be called before the client connects. */
  attach(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const args = isJSONRPCRequest(message) && message.method === 'tools/call' ? message.params?.arguments : undefined;
      if (typeof args !== 'object' || args === null || !isJSONRPCRequest(message)) return send(message, options);
      this.#owed.set(message.id, args);
      try {
        await send(message, options);
      } catch (error) {
        if (isRefusal(error)) this.answered(message.id);
        throw error;
      }
    };
  }

  /** To be told of each message that has come. */
  came(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.answered(message.id);
  }

  /** To be told of an answer that is not shown to {@link came}. */
  answered(id: RequestId): void {
    this.#owed.delete(id);
  }

  /** Adds a call, which is known by its very arguments; what is given back takes it out. */
  add(args: object, ask: Ask): () => void {
    this.#calls.set(args, ask);
    return () => {
      this.#calls.delete(args);
      for (const [id, one] of this.#owed) if (one === args) this.#owed.set(id, ended);
      if (this.#owed.size > endedMax + this.#calls.size) this.#isFull = true;
      if (this.#isFull) for (const [id, one] of this.#owed) if (one === ended) this.#owed.delete(id);
    };
  }

  /** The call that a request belongs to which has just come in; undefined if nobody can tell. */
  current(): Ask | undefined {
    const inScope = callScope.getStore()?.ask;
    if (inScope !== undefined) return inScope;
    const owed = new Set(this.#owed.values());
    const [only] = owed;
    const why = this.#isFull || owed.has(ended) ? 'ended' : owed.size > 1 ? 'several' : 'none';
    const ask = why === 'none' && only !== undefined ? this.#calls.get(only) : undefined;
    if (ask === undefined) this.#onUnplaced(why);
    return ask;
  }
}

/** A request that was answered with such a status is not worked on. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500;
}
