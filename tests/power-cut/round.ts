import { messageOf } from '@stopgo/runtime';
import { Random } from '../simulation/world/random.ts';
import { type Circumstance, type Cut, cutWhileWriting } from './cut-while-writing.ts';
import type { Bench, Setting } from './setting.ts';

/** When the power goes after the first acknowledged append, in milliseconds. */
const lifeMsMin = 200;
const lifeMsMax = 2_500;
/** Losses that are named; the others are counted. */
const namedMax = 5;

export type Round = {
  readonly lifeMs: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly views: Cut['views'];
  /** What a safe setting must not show; empty if it does not. */
  readonly violations: readonly string[];
};

/** Cuts the power at a moment that the seed chooses, and looks at what is there when the power is back. */
export async function playRound(
  setting: Setting,
  { seed, circumstance }: { readonly seed: number; readonly circumstance: Circumstance },
  bench: Bench,
): Promise<Round> {
  const random = new Random(seed);
  const lifeMs = random.whole(lifeMsMin, lifeMsMax);
  const { acknowledged, after, views } = await cutWhileWriting(setting, { lifeMs, circumstance, random }, bench);
  const violations: string[] = [];
  let lost = acknowledged.length;
  try {
    const store = await setting.reopen(after);
    const gone = await store.lost(acknowledged);
    lost = gone.length;
    violations.push(...gone.slice(0, namedMax).map(({ stream, revision }) => `lost: event ${revision} of ${stream}`));
    if (lost > namedMax) violations.push(`lost: ${lost - namedMax} more`);
    // What an unsafe setting leaves need not be sound.
    if (setting.isSafe) violations.push(...(await store.problems()));
    await store.kill();
    if (setting.isSafe) await setting.restart?.(after);
  } catch (error) {
    violations.push(`it does not come up again: ${messageOf(error)}`);
  }
  after.remove();
  return { lifeMs, acknowledged: acknowledged.length, lost, views, violations };
}
