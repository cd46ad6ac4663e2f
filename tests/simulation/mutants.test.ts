import { expect, test } from 'vitest';
import { expectSame } from './seeds.ts';
import type { Mutation } from './world/scenario.ts';
import { mutations } from './world/scenario.ts';
import { simulate } from './world/simulate.ts';

/** Seeds within which a mutant must be noticed. */
const seedsMost = 1_500;
/** Longest time for one mutant, in milliseconds. */
const testTimeoutMs = 180_000;

/** The rules that may notice a mutant; one of them has to. */
const killers: Readonly<Record<Exclude<Mutation, 'draws-from-the-machine'>, string>> = {
  'accepts-stale-revision': 'cdfgl',
  'forgets-keys': 'cd',
  'breaks-chain': 'f',
  'projection-skips-a-decision': 'f',
  'projection-shows-one-approval': 'l',
  'new-key-on-retry': 'cd',
  'bridge-forgets-attempts': 'b',
  'bridge-changes-arguments': 'a',
  'bridge-without-gate': 'a',
  'bridge-answers-for-another': 'b',
  'bridge-sends-though-taken-for-dead': 'b',
  'fence-does-not-fence': 'b',
  'harm-is-hidden-from-policy': 'a',
  'acts-on-anothers-start': 'fg',
  'takes-two-decisions': 'd',
  'never-sweeps': 'e',
  'everybody-else-is-dead': 'i',
  'reader-turns-a-no-into-a-yes': 'adf',
  'edits-are-judged-by-no-rule': 'a',
  'acknowledges-before-the-log': 'd',
  'memory-takes-a-repeat-for-new': 'o',
  'memory-shows-what-it-knew': 'o',
};

for (const mutation of mutations) {
  if (mutation === 'draws-from-the-machine') continue;
  test(`a world that ${mutation} is noticed`, { timeout: testTimeoutMs }, async () => {
    for (let seed = 1; seed <= seedsMost; seed += 1) {
      const { violations } = await simulate(seed, { mutation, calls: mutation.startsWith('memory-') });
      const [first] = violations;
      if (first === undefined) continue;
      console.log(`${mutation}: seed ${seed}: ${first.slice(0, 160)}`);
      expect(killers[mutation], first).toContain(first.slice(1, 2));
      return;
    }
    expect.fail(`nothing was wrong in ${seedsMost} seeds`);
  });
}

test('a world that draws from the machine does not come out the same', async () => {
  const outcome = await simulate(1, { mutation: 'draws-from-the-machine' });
  await expect(expectSame(outcome)).rejects.toThrow('(h) seed 1');
});
