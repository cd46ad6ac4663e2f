import { expect, test } from 'vitest';
import type { DelegationPort } from '../../src/delegation-port.ts';
import { TaskWatch } from '../../src/driver/delegations/task-watch.ts';
import { Errand, peer, quiet } from './errands.ts';
import { HandClock } from './one-driver.ts';

/** Whose turn it is to be looked at, over hours. */
const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
const asks = {
  kind: 'asks',
  task: { id: 'task-1', state: 'input-required' },
  text: '',
  questions: [{ key: 'q1', kind: 'approval', prompt: 'May I?' }],
  isIdempotent: false,
} as const;
const times = { firstMs: 15_000, mostMs: 300_000 };
const hourMs = 3_600_000;

/** A watch over conversations that are all like one, and the looks at each. `isLacking`: lists that have none of them. */
function watchOver(
  errand: Errand,
  ids: readonly string[],
  lookUp: DelegationPort['lookUp'],
  isLacking: (list: number) => boolean = () => false,
) {
  const clock = new HandClock();
  const looks = new Map<string, number>();
  const ports = errand.watcher('first', ['first'], clock);
  const revision = errand.log.length;
  let lists = 0;
  const watchedRuns = async () => {
    lists += 1;
    return isLacking(lists) ? [] : ids.map((id) => ({ conversationId: id, runId: id, ownerInstance: '', revision }));
  };
  const delegations: DelegationPort = {
    ...ports.delegations,
    lookUp: (request, signal) => {
      const id = request.key.conversationId;
      looks.set(id, (looks.get(id) ?? 0) + 1);
      return lookUp(request, signal);
    },
  };
  const watch = new TaskWatch(
    {
      ports: { ...ports, delegations, log: { ...ports.log, watchedRuns } },
      definitions: {
        agent: async () => errand.agent,
        toolset: async () => new Map(),
        policy: async () => ({ rules: [] }),
      },
      // Each conversation is in use all the time.
      load: async (id) => ({ state: { ...errand.state, id, updatedAt: clock.now() } }),
      resume: async () => undefined,
    },
    times,
  );
  /** A round every `firstMs`, as far as the one before is over by then. */
  const pass = async (ms: number) => {
    for (const end = clock.monotonic() + ms; clock.monotonic() < end; ) {
      const begun = clock.monotonic();
      const isOver = { yes: false };
      const round = watch.round().then(() => {
        isOver.yes = true;
      });
      for (await quiet(); !isOver.yes; await quiet()) await clock.pass(1_000);
      await round;
      await clock.pass(Math.max(0, times.firstMs - (clock.monotonic() - begun)));
    }
  };
  return { watch, looks, pass };
}

test('a task is looked at however many others of its agent hang', async () => {
  const errand = new Errand(node, { delegate: [asks] });
  await errand.first().ended;
  const hanging = Array.from({ length: 150 }, (_, index) => `hangs-${index}`);
  const others = Array.from({ length: 20 }, (_, index) => `answers-${index}`);
  const { looks, pass } = watchOver(errand, [...hanging, ...others], (request, signal) =>
    request.key.conversationId.startsWith('hangs')
      ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      : Promise.resolve(asks),
  );
  await pass(hourMs);
  // All come in turn, as slowly as those that hang let them.
  for (const id of others) expect(looks.get(id), id).toBeGreaterThanOrEqual(4);
});

test.each([
  ['whatever else is listed', () => false],
  ['also if every fourth list lacks it', (list: number) => list % 4 === 0],
])('what an ended run left under way is ended there while the next runs are busy, %s', async (_, isLacking) => {
  const errand = new Errand(node, { delegate: [] });
  const { driver, ended } = errand.first();
  await quiet();
  driver.stop(new Error('crash'));
  await ended;
  errand.cancel();
  errand.hears('Buy milk instead.', 'r2');
  const { pass } = watchOver(errand, ['c'], () => Promise.reject(new Error('away')), isLacking);
  await pass(120_000);
  expect(errand.canceled).toEqual([]);
  await pass(600_000);
  expect(errand.canceled.length).toBeGreaterThan(0);
});

test('whoever decides neither waits for tasks that are to be ended nor uses up their tries', async () => {
  const errand = new Errand(node, { delegate: [asks] });
  await errand.first().ended;
  errand.cancel();
  const { watch, looks, pass } = watchOver(errand, ['c'], () => Promise.reject(new Error('away')));
  for (let decision = 0; decision < 30; decision += 1) await watch.look('c');
  expect([errand.canceled, looks.get('c')]).toEqual([[], undefined]);
  for (let end = 0; end < 30; end += 1) await watch.ended('c');
  expect([errand.canceled.length, errand.all('toolCallInDoubt')]).toEqual([30, []]);
  await pass(3 * hourMs);
  expect(errand.all('toolCallInDoubt')).toHaveLength(1);
});
