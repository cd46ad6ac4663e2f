import { processOf } from '@stopgo/log';
import { bridgeRole, hasNoAddress } from '../../bridges/directory.ts';
import { isWrongInstance } from '../../bridges/tools.ts';
import type { DriverPorts } from '../handle/ports.ts';

/**
 * Tells when a bridge that was asked about a call, and did not answer, is not waited for any more.
 *
 * 1. A bridge whose heartbeat has not lapsed is asked again, and so is one whose process goes on under another id: it still knows
 *    what it did under the former one.
 * 2. Another process at its address, or no address at all: nobody is left who could know.
 * 3. Else it is silent, and a process on a slow machine is silent too, before it goes on and hands in what it has. So it has another
 *    time to live, in which it neither answered nor was heard of. A doubt that people are asked about is the last resort.
 */
export class BridgeSilence {
  readonly #ports: Pick<DriverPorts, 'liveness' | 'clock'>;
  readonly #bridge: string;
  #since: number | undefined;

  constructor(ports: Pick<DriverPorts, 'liveness' | 'clock'>, bridge: string) {
    this.#ports = ports;
    this.#bridge = bridge;
  }

  /** To be called when it has answered. */
  broken(): void {
    this.#since = undefined;
  }

  /** To be called with the error of each question that got no answer. True: nobody knows what became of its calls. */
  isFinal(error: unknown): boolean {
    if (!this.#hasLapsed()) {
      this.#since = undefined;
      return false;
    }
    if (isWrongInstance(error) || hasNoAddress(error)) return true;
    const { liveness, clock } = this.#ports;
    this.#since ??= clock.monotonic();
    return clock.monotonic() - this.#since >= liveness.ttlMs;
  }

  #hasLapsed(): boolean {
    const { liveness } = this.#ports;
    const process = processOf(this.#bridge);
    const goesOn = (): boolean => liveness.alive(bridgeRole).some(({ instance }) => processOf(instance) === process);
    return liveness.isDead(this.#bridge) && !goesOn();
  }
}
