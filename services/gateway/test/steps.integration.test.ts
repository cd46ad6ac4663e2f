import {
  decodeRecorded,
  encodeSnapshot,
  type Fact,
  fact,
  fold,
  foldVersion,
  initialState,
  notFound,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { recorded } from './support/events.ts';
import { gateway } from './support/gateway.ts';
import { ID } from './support/views.ts';

const STREAM = `conversation-${ID}`;
const PATH = `/runs/${ID}/steps`;

/** A run that one model answer has settled, and the same before it has. */
const begun = (runId: string): Fact[] => [
  fact('userMessageReceived', { runId, text: `Task of ${runId}` }),
  fact('runStarted', { runId, agentDigest: 'a', toolsetDigest: 't', owner: { instance: 'o', epoch: 1 } }),
  fact('stepStarted', { runId, stepId: 'root', node: 'tester', nodeType: 'llm' }),
];
const settled = (runId: string): Fact[] => [
  ...begun(runId),
  fact('modelResponded', { runId, stepId: 'root', turn: 1, text: 'Done.', usage: { inputTokens: 7, outputTokens: 2 } }),
  fact('stepFinished', { runId, stepId: 'root', output: { parts: [{ text: 'Done.' }] } }),
  fact('runCompleted', { runId }),
];

/** A store that has a conversation of some runs before the last one, and counts the events that it gives. */
function storeWith(earlier: number, last: readonly Fact[], { pageMax = 1_000, version = foldVersion } = {}) {
  const facts = [
    fact('conversationCreated', { conversationId: ID, agentName: 'support/tier1' }),
    ...Array.from({ length: earlier }, (_, index) => settled(`run-${index}`)).flat(),
    ...last,
  ];
  const events = facts.map((one, index) => recorded(STREAM, index + 1, one).event);
  const state = fold(initialState, events.map(decodeRecorded));
  const seen = { read: 0 };
  const store = {
    load: async () => ({ revision: state.revision, snapshot: encodeSnapshot(state), foldVersion: version }),
    readStream: async ({ fromRevision, limit }: { fromRevision: number; limit: number }) => {
      const page = events.slice(fromRevision - 1, fromRevision - 1 + Math.min(pageMax, limit || pageMax));
      seen.read += page.length;
      return { events: page, headRevision: events.length };
    },
  };
  return { store, seen };
}

describe('the steps of a run', () => {
  test.each([0, 3, 500])('cost the events of that run, whatever came before: %i runs', async (earlier) => {
    const { store, seen } = storeWith(earlier, begun('latest'), { pageMax: 2 });
    const { send } = await gateway({ store });
    const { status, json } = await send('GET', PATH);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      run: { id: 'latest', status: 'working' },
      steps: [{ id: 'root', agent: 'support/tier1', state: 'WORKING', input: 'Task of latest', turns: 0 }],
    });
    expect(seen.read).toBe(begun('latest').length);
  });

  test('of one that is over are told as they were, and why it failed', async () => {
    const { store } = storeWith(2, settled('latest'));
    const { send } = await gateway({ store });
    const { json } = await send('GET', PATH);
    expect(json.steps).toMatchObject([{ state: 'COMPLETED', turns: 1, usage: { input_tokens: 7, output_tokens: 2 } }]);
    expect(json.steps[0]).not.toHaveProperty('error');
    const failed = storeWith(2, [...begun('latest'), fact('runFailed', { runId: 'latest', text: 'No\u200b model.' })]);
    const shown = await (await gateway({ store: failed.store })).send('GET', PATH);
    expect(shown.json.steps).toMatchObject([{ state: 'FAILED', error: 'No\\u{200b} model.' }]);
  });

  test('are the same from a store of another version, which is believed its events alone', async () => {
    const { store, seen } = storeWith(3, begun('latest'), { version: foldVersion - 1, pageMax: 5 });
    const { send } = await gateway({ store });
    const { json } = await send('GET', PATH);
    expect(json.steps).toMatchObject([{ state: 'WORKING', input: 'Task of latest' }]);
    expect(seen.read).toBeGreaterThan(3 * settled('run').length);
  });

  test('of a conversation without a run are none, and one that is not there is 404', async () => {
    const { store, seen } = storeWith(0, []);
    const { send } = await gateway({ store });
    expect((await send('GET', PATH)).json).toEqual({ steps: [] });
    expect(seen.read).toBe(0);
    const load = async () => {
      throw notFound('there is no conversation');
    };
    const gone = await (await gateway({ store: { load } })).send('GET', PATH);
    expect([gone.status, gone.json.error]).toEqual([404, `conversation not found: ${ID}`]);
  });
});
