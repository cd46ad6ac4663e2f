import { unavailable } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** Calls that are looked up by one request: as many as the store takes. */
const callsMax = 64;
/** How long looks wait for the request before them, in milliseconds: a store that does not answer holds up no more than it has. */
const heldMs = 100;

/** What names a call in the log. */
export type LookedUpCall = Pick<store.ReadTicketRequest, 'conversationId' | 'runId' | 'callId'>;

type Waiting = {
  readonly call: LookedUpCall;
  readonly signal: AbortSignal;
  readonly resolve: (answer: store.ReadTicketResponse) => void;
  readonly reject: (error: unknown) => void;
};

/** What asking takes. */
export type TicketBatchPorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'readTickets'>;
  readonly clock: Clock;
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number;
};

/**
 * Looks at the record of calls that wait together, in one request where the store is another process. The first look is sent at once.
 * Those that come while it is under way go together after it, so that each still knows all that was acknowledged before it.
 */
export class TicketBatch {
  readonly #ports: TicketBatchPorts;
  #waiting: Waiting[] = [];
  #isHeld = false;

  constructor(ports: TicketBatchPorts) {
    this.#ports = ports;
  }

  /** What the record holds of a call. Rejects as the request that it goes with does, and when the signal aborts. */
  read(call: LookedUpCall, signal: AbortSignal): Promise<store.ReadTicketResponse> {
    return new Promise<store.ReadTicketResponse>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      const over = () => signal.removeEventListener('abort', leave);
      this.#waiting.push({
        ...{ call, signal },
        resolve: (answer) => {
          over();
          resolve(answer);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      this.#send();
    });
  }

  #send(): void {
    if (this.#isHeld) return;
    const wanted = this.#waiting.filter(({ signal }) => !signal.aborted);
    const batch = wanted.slice(0, callsMax);
    this.#waiting = wanted.slice(callsMax);
    if (batch.length === 0) return;
    this.#isHeld = true;
    const isOver = new AbortController();
    const held = this.#ports.clock.sleep(heldMs, isOver.signal).catch(() => undefined);
    void Promise.race([this.#ask(batch), held]).then(() => {
      isOver.abort();
      this.#isHeld = false;
      this.#send();
    });
  }

  async #ask(batch: readonly Waiting[]): Promise<void> {
    const { store, timeoutMs } = this.#ports;
    try {
      const { answers } = await store.readTickets({ calls: batch.map(({ call }) => call) }, { timeoutMs });
      if (answers.length !== batch.length)
        throw unavailable(`the store told of ${answers.length} calls, and was asked about ${batch.length}`);
      for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
