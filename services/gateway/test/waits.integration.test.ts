import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const wait = (kind: views.WaitKind, name: string, conversation: number, since: number) => ({
  ...{ kind, name, conversationId: id(conversation), runId: id(conversation + 500), reason: `no\u200b ${name}` },
  since: timestampFromMs(since),
});

test('what several runs wait for is told once, since the first of them waits, what is waited for longest first', async () => {
  const { AGENT, MODEL } = views.WaitKind;
  const waits = [
    wait(MODEL, 'm', 1, 2_000),
    wait(AGENT, 'bank', 2, 3_000),
    wait(MODEL, 'bank', 3, 4_000),
    // A run that waits for it in two places is one run.
    ...[wait(AGENT, 'bank', 4, 1_000), wait(AGENT, 'bank', 4, 1_500)],
  ];
  const { send } = await gateway({ store: { listWaits: async () => ({ waits }) } });
  const { status, json } = await send('GET', '/waits');
  expect(status).toBe(200);
  expect(json.waits).toEqual([
    {
      ...{ kind: 'agent', name: 'bank', since: '1970-01-01T00:00:01.000Z', reason: 'no\\u{200b} bank' },
      text: 'the agent "bank" is out of reach since 1970-01-01T00:00:01.000Z',
      ...{ runs: 2, conversation_ids: [id(4), id(2)] },
    },
    expect.objectContaining({ kind: 'model', name: 'm', runs: 1 }),
    expect.objectContaining({ kind: 'model', name: 'bank', runs: 1 }),
  ]);
});

test('of very many conversations ten are named, and all are counted', async () => {
  const waits = Array.from({ length: 25 }, (_, index) => wait(views.WaitKind.AGENT, 'bank', index, index));
  const { send } = await gateway({ store: { listWaits: async () => ({ waits }) } });
  const [one] = (await send('GET', '/waits')).json.waits;
  expect([one.runs, one.conversation_ids]).toEqual([25, Array.from({ length: 10 }, (_, index) => id(index))]);
});

test('it is not for whom the rules refuse it', async () => {
  const asked: string[] = [];
  const authorize = (_: unknown, action: string) => {
    asked.push(action);
    return false;
  };
  const { send, calls } = await gateway({}, { authorize });
  expect((await send('GET', '/waits')).status).toBe(403);
  expect(asked).toEqual(['waits.list']);
  expect(calls).toEqual([]);
});
