import type { Advance, Effect, Fact, FinishedCall } from '@stopgo/core';
import type { Foreseen } from '../handle/foreseen.ts';

/** What follows from a state, for whoever drives: facts, what is to begin, and what may go on if it is under way. */
export type Ahead = Pick<Advance, 'facts' | 'effects' | 'held'>;

type Perform = (effect: Effect, signal: AbortSignal, foreseen?: Foreseen) => Promise<void>;

/** Times that an effect may leave the state as it was before the driver gives up on the run. */
const fruitlessMax = 3;

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const owedNoMore = new Error('the run goes on without it');

/** The effects of a run that this process performs: each of them once at a time, and none again and again without a trace. */
export class EffectsUnderWay {
  private readonly controllers = new Map<string, AbortController>();
  private readonly fruitless = new Map<string, number>();
  private readonly perform: Perform;
  private readonly onEnd: () => void;
  private stopped: { readonly reason: unknown } | undefined;

  /** `perform` never rejects; `onEnd` is called after each that ends. */
  constructor(perform: Perform, onEnd: () => void) {
    this.perform = perform;
    this.onEnd = onEnd;
  }

  /** How many there are. */
  get size(): number {
    return this.controllers.size;
  }

  /** True while the effect is performed. */
  has(effect: Effect): boolean {
    return this.controllers.has(keyOf(effect));
  }

  /** True while one of these is performed. */
  hasAny(effects: readonly Effect[] = []): boolean {
    return effects.some((effect) => this.has(effect));
  }

  /** Begins an effect that is not under way. Throws if it left no trace too often. */
  begin(effect: Effect, foreseen?: Foreseen): void {
    const key = keyOf(effect);
    const times = (this.fruitless.get(key) ?? 0) + 1;
    if (times > fruitlessMax) throw new Error(`effect ${key} left no trace ${fruitlessMax} times`);
    this.fruitless.set(key, times);
    const controller = new AbortController();
    this.controllers.set(key, controller);
    if (this.stopped !== undefined) controller.abort(this.stopped.reason);
    void this.perform(effect, controller.signal, foreseen).finally(() => {
      this.controllers.delete(key);
      this.onEnd();
    });
  }

  /**
   * Begins what an append is about to make due, while it is made: model calls for which nothing but results of calls is
   * missing. A model may be asked again, so nothing is at stake but what it costs. Whoever appends says with the function
   * given back whether the append was taken; if it was not, what was begun is stopped and counts for nothing.
   */
  beginAhead(facts: readonly Fact[], effects: readonly Effect[]): (isTaken: boolean) => void {
    const results = facts.flatMap((one): FinishedCall[] =>
      one.case === 'toolCallFinished' || one.case === 'delegationFinished' ? [one.value] : [],
    );
    const isAllResults = results.length === facts.length;
    const models = effects.filter((effect) => isAllResults && effect.kind === 'model' && !this.has(effect));
    let tell: (isTaken: boolean) => void = () => undefined;
    const isTaken = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    for (const effect of models) this.begin(effect, { results, isTaken });
    return (taken) => {
      tell(taken);
      if (!taken) for (const effect of models) this.controllers.get(keyOf(effect))?.abort(owedNoMore);
    };
  }

  /** Stops all but those that are still owed. */
  keepOnly(owed: readonly Effect[]): void {
    const keys = new Set(owed.map(keyOf));
    for (const [key, controller] of this.controllers) if (!keys.has(key)) controller.abort(owedNoMore);
  }

  /** Stops all of them, and whatever is begun from now on. */
  stop(reason: unknown): void {
    this.stopped ??= { reason };
    for (const controller of this.controllers.values()) controller.abort(this.stopped.reason);
  }

  /** Something is on the record: what was begun is not fruitless. */
  leftATrace(): void {
    this.fruitless.clear();
  }

  /** The effect ended without a trace for a reason that is not its own. */
  excuse(effect: Effect): void {
    this.fruitless.delete(keyOf(effect));
  }
}

/** A call that is started and one to be recovered are the same attempt. */
function keyOf(effect: Effect): string {
  return 'attempt' in effect ? `call ${effect.id} ${effect.attempt}` : `${effect.kind} ${effect.id}`;
}
