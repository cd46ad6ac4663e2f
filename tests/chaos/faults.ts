import { pause } from '../promises/patient-client.ts';
import type { Cluster } from './cluster.ts';
import { type Fault, nameOf, type Part } from './schedule.ts';

/** A fault that was carried out; from its beginning until what it struck was let go again, in milliseconds since 1970. */
export type Carried = { readonly name: string; readonly part: Part; readonly from: number; readonly to: number };

/** Faults that may last at the same time. */
const togetherMax = 3;
/** How long the next fault waits for people to get on, in milliseconds: where nothing goes on, nothing is disturbed. */
const stallMs = 10_000;
/** Pause between two looks at how far people have come, in milliseconds. */
const lookMs = 50;

/** Carries out the faults of a schedule, one after the other, some of them at the same time. */
export class Faults {
  readonly carried: Carried[] = [];
  readonly violations: string[] = [];
  private readonly cluster: Cluster;
  private readonly lasting = new Map<string, Promise<void>>();

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  /**
   * Resolves when the last fault is over. `progress` tells how far people have come, from 0 to 1: no fault comes much
   * before its share of that, so that a slow machine is struck more slowly.
   */
  async carryOut(schedule: readonly Fault[], progress: () => number, say: (line: string) => void): Promise<void> {
    for (const [index, fault] of schedule.entries()) {
      const stalledAt = Date.now() + stallMs;
      while (progress() < index / schedule.length && Date.now() < stalledAt) await pause(lookMs);
      await pause(fault.afterMs);
      const target = fault.kind === 'cut' ? 'cut' : `${fault.part}-${fault.replica}`;
      // What is struck already is struck again only after it was let go.
      await this.lasting.get(target);
      while (this.lasting.size >= togetherMax) await Promise.race(this.lasting.values());
      say(`${index + 1}/${schedule.length} ${nameOf(fault)} ${target} for ${fault.lastsMs} ms`);
      const over = this.strike(fault).finally(() => this.lasting.delete(target));
      this.lasting.set(target, over);
    }
    await Promise.all(this.lasting.values());
  }

  private async strike(fault: Fault): Promise<void> {
    const from = Date.now();
    if (fault.kind === 'cut') {
      this.cluster.nats.set(fault.how);
      await pause(fault.lastsMs);
      this.cluster.nats.set('open');
    } else await this.strikeProcess(fault);
    const part = fault.kind === 'cut' ? 'nats' : fault.part;
    this.carried.push({ name: nameOf(fault), part, from, to: Date.now() });
  }

  private async strikeProcess({ kind, part, replica, lastsMs }: Extract<Fault, { part: Part }>): Promise<void> {
    const child = this.cluster.child(part, replica);
    switch (kind) {
      case 'freeze':
        child.freeze();
        await pause(lastsMs);
        return child.thaw();
      case 'kill':
        await child.kill();
        await pause(lastsMs);
        return child.start();
      case 'restart': {
        const how = await child.stop();
        // One that was not ready yet may end at once.
        if (how !== 'exit code 0' && how !== 'SIGTERM')
          this.violations.push(`${child.spec.name} did not stop in good order: ${how}`);
        await pause(lastsMs);
        return child.start();
      }
    }
  }
}
