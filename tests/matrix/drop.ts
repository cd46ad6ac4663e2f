import type { Clock } from '@stopgo/log';
import { systemClock } from '@stopgo/log';
import type { ModelPort } from '@stopgo/orchestrator';
import type { mcp, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** Where an orchestrator can be dropped: before it asks somebody for something, or after that was done and before it hears. */
export const dropPoints = [
  'append.before',
  'append.after',
  'execute.before',
  'execute.after',
  'model.before',
  'model.after',
] as const;
export type DropPoint = (typeof dropPoints)[number];
/** A place, and which passing of it (counted from 1 since it was ordered). */
export type Drop = { readonly point: DropPoint; readonly nth: number };

type Store = Client<typeof store.StoreService>;
type Bridge = Client<typeof mcp.McpBridgeService>;

/**
 * All that one orchestrator has to do with the world. Once it is dropped nothing of it gets out any more, and nothing comes
 * in: it is gone without a trace, in the middle of whatever it did, as a process is that was killed.
 */
export class Tether {
  /** Resolves when it is dropped. */
  readonly dropped: Promise<void>;
  private isDropped = false;
  private ordered: Drop | undefined;
  private passed = 0;
  private tellDropped: () => void = () => undefined;

  constructor() {
    this.dropped = new Promise((resolve) => {
      this.tellDropped = resolve;
    });
  }

  /** Orders where it is to be dropped; undefined: nowhere. */
  order(drop: Drop | undefined): void {
    this.ordered = drop;
    this.passed = 0;
  }

  /** Drops it now. */
  drop(): void {
    this.isDropped = true;
    this.tellDropped();
  }

  readonly clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => this.whileHeld(() => systemClock.sleep(ms, signal)),
  };

  store(client: Store): Store {
    return {
      ...this.held(client),
      append: (request, options) => {
        const isOfRun = request.stream?.startsWith('conversation-') === true;
        const append = () => client.append(request, options);
        return isOfRun ? this.around('append', append) : this.whileHeld(append);
      },
    };
  }

  bridge(client: Bridge): Bridge {
    return {
      ...this.held(client),
      execute: (request, options) => this.around('execute', () => client.execute(request, options)),
    };
  }

  model(model: ModelPort): ModelPort {
    return {
      takes: (...media) => model.takes(...media),
      generate: (request, call) => this.around('model', () => model.generate(request, call)),
    };
  }

  /** A client of which every call, and every stream, ends in silence once it is dropped. */
  private held<C extends object>(client: C): C {
    const calls = Object.entries(client).map(([name, call]) => [
      name,
      (...args: readonly unknown[]) => {
        if (this.isDropped) return silence();
        const answer: unknown = call(...args);
        return answer instanceof Promise ? this.whileHeld(() => answer) : this.stream(answer as AsyncIterable<unknown>);
      },
    ]);
    return Object.fromEntries(calls) as C;
  }

  private async *stream<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const event of events) {
      if (this.isDropped) await silence();
      yield event;
    }
  }

  private async around<T>(what: 'append' | 'execute' | 'model', call: () => Promise<T>): Promise<T> {
    this.pass(`${what}.before`);
    const answer = await this.whileHeld(call);
    this.pass(`${what}.after`);
    return this.isDropped ? silence() : answer;
  }

  private pass(point: DropPoint): void {
    if (this.ordered?.point !== point) return;
    this.passed += 1;
    if (this.passed === this.ordered.nth) this.drop();
  }

  private async whileHeld<T>(call: () => Promise<T>): Promise<T> {
    if (this.isDropped) return silence();
    try {
      const answer = await call();
      return this.isDropped ? await silence() : answer;
    } catch (error) {
      if (this.isDropped) return silence();
      throw error;
    }
  }
}

/** What a process hears that is no more. */
function silence(): Promise<never> {
  return new Promise(() => undefined);
}
