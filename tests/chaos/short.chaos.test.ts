import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bundle } from '../promises/bundle.ts';
import { chaos } from './chaos.ts';
import { describeOnNats } from './needs-nats.ts';
import { bundlePrograms, type ProgramName } from './programs.ts';

// Twenty faults of `npm run chaos`, which strikes ten times as often and cuts NATS off for longer than every time-out.

/** For a machine that is busy with other things; on a quiet one it takes less than a minute. */
const testMs = 300_000;
/** Longer than an append is waited for, in milliseconds. */
const cutMs = 6_000;
const seed = 7;
const faults = 20;
const conversations = 30;

describeOnNats('the separate processes while they are struck', (natsServer) => {
  let bundle: Bundle<ProgramName>;
  beforeAll(async () => {
    bundle = await bundlePrograms();
  }, testMs);
  afterAll(() => bundle?.remove());

  test(
    `${faults} faults: every promise is kept`,
    async () => {
      const found = await chaos({
        bundle,
        natsServer,
        seed,
        faults,
        cuts: 1,
        cutMs,
        conversations,
        say: () => undefined,
      });
      expect(found.violations).toEqual([]);
      expect(found.carried).toHaveLength(faults);
      expect(found.conversations).toBeGreaterThanOrEqual(conversations);
    },
    testMs,
  );
});
