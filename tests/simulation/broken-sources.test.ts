import { expect, test } from 'vitest';
import { bundle } from '../promises/bundle.ts';
import { sourceMutants } from './source-mutants.ts';
import type * as simulation from './world/simulate.ts';

/** Seeds within which a break must be noticed. */
const seedsMost = 2_000;
/** Longest time for one break, in milliseconds. */
const testTimeoutMs = 300_000;

test.each(Object.entries(sourceMutants))(
  'a platform that %s is noticed',
  { timeout: testTimeoutMs },
  async (name, { edits, rules }) => {
    const bundled = await bundle({ simulate: 'tests/simulation/world/simulate.ts' }, edits);
    try {
      const { simulate } = (await import(bundled.programs.simulate)) as typeof simulation;
      for (let seed = 1; seed <= seedsMost; seed += 1) {
        const [first] = (await simulate(seed, { calls: true })).violations;
        if (first === undefined) continue;
        console.log(`${name}: seed ${seed}: ${first.slice(0, 160)}`);
        expect(rules, first).toContain(first.slice(1, 2));
        return;
      }
      expect.fail(`nothing was wrong in ${seedsMost} seeds`);
    } finally {
      bundled.remove();
    }
  },
);
