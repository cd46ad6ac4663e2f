import { DomainError } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler, VirtualProcess } from './scheduler.ts';

/** Wall clock at virtual time 0, in milliseconds since 1970. */
export const epochMs = 1_800_000_000_000;
/** How long a caller waits for an answer that never comes, in milliseconds. */
const answerTimeoutMs = 5_000;

/** What happens to one call on its way. */
export type Fate =
  | 'arrives'
  /** It never arrives; the caller is told so, or waits in vain. */
  | 'lost'
  /** It arrives and is served; the answer gets lost. */
  | 'answer lost'
  /** The caller is told that it failed, and then it arrives. */
  | 'late'
  /** It arrives twice; the first answer counts. */
  | 'twice';

/** Typical hops that fit into the time to live of a heartbeat, at least. */
const hopsPerTtl = 50;

export type CallPlan = {
  readonly fate?: Fate;
  /** Runs in the step in which the call leaves the caller; true if the caller died in it. */
  readonly onLeave?: () => boolean;
  /** Runs right after the call was served. */
  readonly onServed?: () => void;
  readonly signal?: AbortSignal;
  /** How long the caller waits, in milliseconds. */
  readonly timeoutMs?: number;
};

/**
 * Calls between processes. A call leaves (when its process runs), arrives (when the other one runs), is served, and its
 * answer comes back: each is an item of the scheduler, so anything can happen between.
 */
export class Network {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  /** Typical delay of a hop, in milliseconds; differs between worlds. */
  private readonly hopMs: number;

  /** `ttlMs`: the time to live of heartbeats. It is never so short that they can hardly keep up with the network. */
  constructor(scheduler: Scheduler, faults: Faults, random: Random, ttlMs: number) {
    this.scheduler = scheduler;
    this.faults = faults;
    this.random = random;
    this.hopMs = random.pick([0.3, 2, 20, 80].filter((ms) => ms * hopsPerTtl <= ttlMs));
  }

  /** True if a heartbeat on its way there and back never takes that long. */
  isQuickerThan(ms: number): boolean {
    return this.hopMs * 2 * 10 * 3 < ms;
  }

  /** A delay: mostly short, sometimes ten times as long. */
  delay(typicalMs = this.hopMs): number {
    const long = this.random.chance(0.05) ? 10 : 1;
    return this.random.between(0, typicalMs * 2) * long;
  }

  /** Calls something that belongs to a process, or to nobody who could die (`to` undefined). */
  call<T>(
    from: VirtualProcess,
    to: VirtualProcess | undefined,
    what: string,
    serve: () => T | Promise<T>,
    plan: CallPlan = {},
  ): Promise<T> {
    const { scheduler } = this;
    const { fate = 'arrives', signal, timeoutMs = answerTimeoutMs } = plan;
    return new Promise<T>((resolve, reject) => {
      let isDone = false;
      const done = (deliver: () => void): void => {
        if (isDone) return;
        isDone = true;
        timer.cancel();
        to?.inbound.delete(broken);
        signal?.removeEventListener('abort', aborted);
        deliver();
      };
      const fail = (delayMs: number, kind: 'unavailable' | 'deadline_exceeded'): void => {
        scheduler.after(delayMs, from, () => done(() => reject(new DomainError(kind, `${what}: no answer`))));
      };
      const broken = (): void => fail(this.delay(), 'unavailable');
      const aborted = (): void => done(() => reject(signal?.reason));
      const timer = scheduler.after(timeoutMs, from, () =>
        done(() => reject(new DomainError('deadline_exceeded', `${what}: no answer`))),
      );
      if (signal?.aborted) {
        aborted();
        return;
      }
      signal?.addEventListener('abort', aborted, { once: true });
      const answer = (deliver: () => void): void => {
        scheduler.after(this.delay(), from, () => done(deliver));
      };
      const arrive = (isAnswered: boolean): void => {
        if (to?.isAlive === false) {
          broken();
          return;
        }
        if (to !== undefined && isAnswered) to.inbound.add(broken);
        const served = (deliver: () => void): void => {
          plan.onServed?.();
          if (isAnswered) answer(deliver);
        };
        try {
          const result = serve();
          if (result instanceof Promise)
            result.then(
              (value) => served(() => resolve(value)),
              (error: unknown) => served(() => reject(error)),
            );
          else served(() => resolve(result));
        } catch (error) {
          served(() => reject(error));
        }
      };
      scheduler.after(this.delay(), from, () => {
        if (isDone || plan.onLeave?.() === true) return 'quiet';
        const isLost = fate === 'lost' || fate === 'late';
        const isTold = this.random.chance(0.7);
        if (isLost || fate === 'answer lost') {
          if (isTold) fail(this.delay() * 2, 'unavailable');
          if (fate === 'lost') return 'quiet';
        }
        const hop = fate === 'late' ? this.random.between(50, 8_000) : this.delay();
        scheduler.after(hop, to, () => arrive(fate !== 'late' && fate !== 'answer lost'));
        if (fate === 'twice') scheduler.after(hop + this.delay() * 5, to, () => arrive(false));
        if (to !== undefined && !to.isAlive) broken();
        return 'quiet';
      });
    });
  }

  /** The clock of a process. */
  clockOf(process: VirtualProcess): Clock {
    const { scheduler } = this;
    return {
      // Two looks at a wall clock in the same step may differ.
      now: () => epochMs + process.skewMs + Math.floor(scheduler.now) + this.random.whole(0, 2),
      monotonic: () => scheduler.now + process.skewMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const aborted = (): void => {
            item.cancel();
            reject(signal?.reason);
          };
          const item = scheduler.after(ms + this.random.next(), process, () => {
            signal?.removeEventListener('abort', aborted);
            resolve();
          });
          signal?.addEventListener('abort', aborted, { once: true });
        }),
    };
  }
}
