import type { OpenWait } from '@stopgo/log';
import type { RunHandle } from '../handle/run-handle.ts';

/** How long an agent may think about a question before it counts as silent, in milliseconds. */
const thinksMs = 1_000;
/** How long an agent that is to be answered may be silent before nobody is kept waiting for it, in milliseconds. */
const heldUpMs = 1_500;

/** An agent that is asked about a task, and may not answer: what the run waits for then. `end` is to be called in the end. */
export class AgentSilence {
  readonly #driver: RunHandle;
  readonly #agent: string;
  readonly #callId: string;
  /** Whether the run is held up by the agent: then requests that wait for it are answered. */
  readonly #holdsUp: boolean;
  #wait: OpenWait | undefined;
  #over = new AbortController();

  constructor(driver: RunHandle, { agent, callId }: { agent: string; callId: string }, holdsUp: boolean) {
    this.#driver = driver;
    this.#agent = agent;
    this.#callId = callId;
    this.#holdsUp = holdsUp;
  }

  /** Asks the agent: undefined is no answer, and so is one that takes too long, for as long as it does. */
  async during<T>(asks: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#wait === undefined) this.#after(thinksMs, () => this.#begin());
    const found = await asks();
    if (found === undefined) this.#begin();
    else this.end();
    return found;
  }

  /** It is asked again in so many milliseconds. */
  again(inMs: number): void {
    this.#wait?.tries(inMs);
  }

  end(): void {
    this.#over.abort(isOver);
    this.#over = new AbortController();
    this.#wait?.end();
    this.#wait = undefined;
    this.#driver.silentAgents.setHeldUp(this.#callId, false);
  }

  #begin(): void {
    if (this.#wait !== undefined) return;
    const { conversationId, runId, ports } = this.#driver;
    const reason = 'it does not answer when it is asked about the task';
    this.#wait = ports.waits.begin({ conversationId, runId, kind: 'agent', name: this.#agent, reason });
    if (!this.#holdsUp) return;
    this.#after(heldUpMs, () => this.#driver.silentAgents.setHeldUp(this.#callId, true));
  }

  #after(ms: number, what: () => void): void {
    const { signal } = this.#over;
    const { clock } = this.#driver.ports;
    clock.sleep(ms, AbortSignal.any([signal, this.#driver.stopping])).then(
      () => {
        if (!signal.aborted && !this.#driver.stopping.aborted) what();
      },
      () => undefined,
    );
  }
}

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const isOver = new Error('the agent has answered, or nobody waits for it any more');
