import { create, views } from '@stopgo/proto';
import { createLogger } from '@stopgo/runtime';
import { beforeEach, expect, test } from 'vitest';
import { flappingMs, stillFailingMs, TellingLog } from '../../src/push/telling-log.ts';

/** What the log says of webhooks that fail, and of addresses. */
let lines: string[];
let now: number;
let log: TellingLog;
beforeEach(() => {
  [lines, now] = [[], 0];
  const destination = { write: (line: string) => lines.push(line) > 0 };
  log = new TellingLog(createLogger({ level: 'info', format: 'json', destination }), {
    now: () => Date.UTC(2026, 0, 1) + now,
    monotonic: () => now,
  });
});

const configOf = (more: object) => create(views.PushConfigSchema, { id: 'c', ...more });
const ops = (failures = 0) => configOf({ webhook: 'ops', failures });
const fail = (config = ops(), conversation = 'one', isGivenUp = false) =>
  log.attempted(conversation, config, { kind: 'failed', reason: 'it answered with HTTP 500' }, isGivenUp);
const tell = (config = ops()) => log.attempted('one', config, { kind: 'taken' }, false);
const said = () => lines.splice(0).map((line) => JSON.parse(line));
const words = () => said().map(({ msg, message }) => msg ?? message);

test('a webhook that fails says so once for all conversations, then every ten minutes since when, then that it works', () => {
  fail();
  expect(words()).toEqual(['a webhook could not be told of an approval; it is tried again']);
  fail(ops(1));
  fail(ops(), 'another');
  now = stillFailingMs - 1;
  fail(ops(2));
  expect(words()).toEqual([]);
  now = stillFailingMs;
  fail(ops(3));
  fail(ops(4));
  const [still, ...more] = said();
  expect(more).toEqual([]);
  expect(still).toMatchObject({ webhook: 'ops', since: '2026-01-01T00:00:00.000Z', failures: 5 });
  tell(configOf({ webhook: 'finance' }));
  tell();
  tell();
  expect(words()).toEqual(['a webhook is told of approvals again']);
});

test('one that now fails and now does not is told once a minute', () => {
  for (let time = 0; time < 30; time += 1) {
    fail();
    tell();
    now += 1_000;
  }
  expect(words()).toHaveLength(2);
  now = flappingMs;
  fail();
  expect(words()).toEqual(['a webhook could not be told of an approval; it is tried again']);
});

test('each that is given up is told, and of an address the first of its failures, and the last', () => {
  fail(ops(11), 'one', true);
  fail(ops(11), 'two', true);
  expect(words()).toEqual([
    'a webhook is given up: it is not told of an approval',
    'a webhook is given up: it is not told of an approval',
  ]);
  const address = (failures: number) => configOf({ url: 'https://a.example/', failures });
  for (const [failures, isLast] of [
    [0, false],
    [1, false],
    [11, true],
  ] as const)
    fail(address(failures), 'one', isLast);
  expect(words()).toEqual([
    'an address could not be told of its task; it is tried again',
    'an address is not told of its task any more',
  ]);
});
