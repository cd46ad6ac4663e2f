import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Effect, fact, type LlmNode, type RecordedFact } from '@stopgo/core';
import { expect, test } from 'vitest';
import { Room } from '../../src/driver/handle/room.ts';
import { performModel } from '../../src/driver/model/perform-model.ts';
import type { ModelOutcome, ModelPort } from '../../src/models/port.ts';
import { driverWith } from './one-driver.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The driver's run is none that has begun. */
const runId = '';
const size = 1_000;
const { signal } = new AbortController();
const node: LlmNode = {
  ...{ type: 'llm', name: 'agent', model: 'sees', prompt: 'Look.', outputKey: '' },
  ...{ canExitLoop: false, turnsMax: 10, approval: 'default' },
};
const effect = { kind: 'model', id: 'm', stepId: 's', turn: 2, node, bindings: [] } as unknown as Effect;
const call = { callId: 'c', providerCallId: '', tool: 'look', argumentsJson: '{}' };
const facts = [
  fact('userMessageReceived', { runId, text: 'look' }),
  fact('modelResponded', { runId, stepId: 's', turn: 1, calls: [call] }),
  fact('toolCallFinished', {
    ...{ runId, stepId: 's', callId: 'c', tool: 'look', content: 'seen' },
    blobs: [{ digest: 'd', mediaType: 'image/png', size: BigInt(size) }],
  }),
];

/** A run whose next model call shows an image, in a process that has room for one at a time. */
function looking(generate: ModelPort['generate'], takes: ModelPort['takes'] = () => true) {
  const room = new Room(size);
  const one = driverWith(
    {},
    {
      blobRoom: room,
      blobs: { read: () => Promise.resolve(new Uint8Array(size)) },
      models: { forModel: () => ({ takes, generate }) },
    },
  );
  one.driver.transcripts.add(
    'c',
    facts.map((each, index) => ({ stream: 'c', revision: index + 1, fact: each }) as unknown as RecordedFact),
  );
  const asks = (isTaken: Promise<boolean>) =>
    performModel(one.driver, effect as Extract<Effect, { kind: 'model' }>, signal, { results: [], isTaken });
  return { ...one, room, asks };
}

test('what the model does not take is neither read nor waited for', async () => {
  const asked: unknown[] = [];
  const { room, asks } = looking(
    ({ messages }) => {
      asked.push(messages.at(-1));
      return Promise.resolve(answer);
    },
    (...media) => {
      asked.push(media);
      return false;
    },
  );
  await room.take(size, signal);
  await asks(Promise.resolve(false));
  expect(asked[0]).toEqual(['sees', 'image/png', size]);
  expect(asked.at(-1)).toMatchObject({ results: [{ media: [{ leftOut: 'this model cannot be given it' }] }] });
});

const answer: ModelOutcome = { kind: 'failed', message: 'no' };
/** Longest wait until what nobody holds is collected, in milliseconds. */
const collectedMsMax = 20_000;

test('an answer that begins anew at another model is another attempt from its beginning, and no other driver’s', async () => {
  const shown: unknown[] = [];
  const asked: unknown[] = [];
  const generate: ModelPort['generate'] = (_, { onDelta, onRestart }) => {
    onDelta?.('Half ');
    onDelta?.('of it');
    onRestart?.();
    onDelta?.('All ');
    onDelta?.('of it');
    return Promise.resolve(answer);
  };
  const { driver } = driverWith(
    {},
    {
      models: {
        forModel: (...names) => {
          asked.push(names);
          return { takes: () => false, generate };
        },
      },
      deltas: {
        watched: () => undefined,
        publish: ({ attempt, offset, text }) => shown.push([attempt, offset, text]),
        ended: ({ attempt }) => shown.push(['ended', attempt]),
      },
    },
    null,
  );
  driver.transcripts.add(
    'c',
    facts.map((each, index) => ({ stream: 'c', revision: index + 1, fact: each }) as unknown as RecordedFact),
  );
  Object.assign(driver.state, { revision: facts.length });
  const chained = { ...effect, node: { ...node, fallbacks: ['hears'] } } as Extract<Effect, { kind: 'model' }>;
  await performModel(driver, chained, signal, { results: [], isTaken: Promise.resolve(false) });
  const first = 16 * facts.length;
  expect(asked).toEqual([['sees', ['hears']]]);
  expect(shown).toEqual([
    ...[
      [first, 0, 'Half '],
      [first, 5, 'of it'],
      ['ended', first],
    ],
    ...[
      [first + 1, 0, 'All '],
      [first + 1, 4, 'of it'],
      ['ended', first + 1],
    ],
  ]);
});

test('once a model has answered, nobody holds what it was shown, however long the answer is checked and recorded', async () => {
  const shown: WeakRef<Uint8Array>[] = [];
  const { room, asks } = looking(async ({ messages }) => {
    for (const message of messages)
      for (const { media = [] } of message.role === 'tool' ? message.results : [])
        for (const { bytes } of media) if (bytes !== undefined) shown.push(new WeakRef(bytes));
    return answer;
  });
  let take: (isTaken: boolean) => void = () => undefined;
  const performed = asks(
    new Promise((resolve) => {
      take = resolve;
    }),
  );
  await expect.poll(() => shown.length).toBe(1);
  (await room.take(size, signal))();
  // Nobody says when all that held it has ended, and when it is collected: it is looked for until it is gone.
  const held = () => {
    collectGarbage();
    return shown.filter((one) => one.deref() !== undefined).length;
  };
  await expect.poll(held, { interval: 1, timeout: collectedMsMax }).toBe(0);
  take(false);
  await performed;
});

test('a request that waits for room longer than a moment is told of as a wait, until it has it', async () => {
  const { room, clock, ports, asks } = looking(() => Promise.resolve(answer));
  const release = await room.take(size, signal);
  expect(clock.sleeping).toBe(0);
  const performed = asks(Promise.resolve(false));
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.pass(999);
  expect(ports.waits.told()).toEqual([]);
  await clock.pass(1);
  const reason = 'other requests hold all the room for images and documents';
  await expect.poll(() => ports.waits.told()).toMatchObject([{ runId, name: 'sees', reason }]);
  release();
  await performed;
  expect(ports.waits.told()).toEqual([]);
  await clock.pass(5_000);
  expect(ports.waits.told()).toEqual([]);
});
