import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Waits, waitsToldMax } from '@stopgo/log';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';

const waited = (conversationId: string, name = 'peer') => ({
  ...{ conversationId, runId: 'r', kind: 'agent' as const, name, reason: 'silent' },
});

test('what runs wait for is told with the time since, and of the next try, for as long as it lasts', () => {
  let now = 1_000;
  const waits = new Waits(() => now);
  const one = waits.begin(waited('a'));
  now = 2_000;
  const other = waits.begin({ ...waited('b'), kind: 'model', name: 'm', reason: 'x'.repeat(1_000) });
  one.tries(500);
  const [first, second] = waits.told();
  expect(first).toMatchObject({
    conversationId: 'a',
    runId: 'r',
    kind: views.WaitKind.AGENT,
    name: 'peer',
    reason: 'silent',
  });
  expect([first?.since, first?.nextTry].map((at) => at && timestampDate(at).getTime())).toEqual([1_000, 2_500]);
  expect(second).toMatchObject({ kind: views.WaitKind.MODEL });
  expect(second?.nextTry).toBeUndefined();
  expect(second?.reason).toHaveLength(200);
  expect(waits.told('b')).toHaveLength(1);
  expect(waits.told('c')).toEqual([]);
  one.end();
  one.end();
  other.end();
  expect(waits.told()).toEqual([]);
});

test('a bounded number is told, the oldest', () => {
  const waits = new Waits(() => 0);
  for (let index = 0; index < waitsToldMax + 5; index += 1) waits.begin(waited(`c${index}`));
  expect(waits.told().map(({ conversationId }) => conversationId)).toEqual(
    Array.from({ length: waitsToldMax }, (_, index) => `c${index}`),
  );
});

test('of many waits for one thing the first is announced, and the next one after all of them are over', () => {
  const announced: string[] = [];
  const waits = new Waits(
    () => 0,
    ({ conversationId, name }) => announced.push(`${name} ${conversationId}`),
  );
  const open = ['a', 'b'].map((id) => waits.begin(waited(id)));
  waits.begin(waited('a', 'other'));
  for (const one of open) one.end();
  waits.begin(waited('c'));
  expect(announced).toEqual(['peer a', 'other a', 'peer c']);
});
