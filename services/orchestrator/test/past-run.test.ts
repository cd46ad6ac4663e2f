import { type Fact, fact, type RecordedFact } from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';
import { expect, test } from 'vitest';
import { readPastRun } from '../src/past-run.ts';

/** A log that holds these facts and can only be read; `seen`: is told of each event that is read. */
function logOf(all: readonly Fact[], seen: (revision: number) => void = () => undefined): ConversationLog {
  const events = all.map(
    (one, index): RecordedFact => ({
      stream: 'conversation-c',
      revision: index + 1,
      eventId: `event-${index + 1}`,
      time: 0,
      actor: { kind: 'system', id: '' },
      causationId: '',
      correlationId: '',
      fact: one,
    }),
  );
  const notHere = () => Promise.reject(new Error('only read here'));
  return {
    append: notHere,
    load: notHere,
    openRuns: notHere,
    watchedRuns: notHere,
    view: notHere,
    follow: async function* () {},
    read: async function* (_, from, _signal, through) {
      for (const event of events.slice(from - 1, through)) {
        seen(event.revision);
        yield event;
      }
    },
  };
}

const runId = 'r';
const says = (stepId: string, text: string) => fact('modelResponded', { runId, stepId, turn: 1, text });

test('the answer of a tree holds what a branch said before the other was decided upon', async () => {
  const log = logOf([
    fact('userMessageReceived', { runId, text: 'go' }),
    says('root/0', 'Left.'),
    fact('approvalResolved', { runId, approvalId: 'a', callId: 'root/1#1.0' }),
    fact('toolCallFinished', { runId, callId: 'root/1#1.0', content: 'Right.' }),
    fact('runCompleted', { runId, output: { parts: [{ answerRevision: 2 }, { resultRevision: 4 }] } }),
    fact('userMessageReceived', { runId: 'next', text: 'and now' }),
  ]);
  expect((await readPastRun(log, 'c', 3))?.response).toBe('Left.\nRight.');
  expect((await readPastRun(log, 'c', 1))?.response).toBe('Left.\nRight.');
});

const spent = { inputTokens: 7, outputTokens: 2 };
const past = (id: string, answers: number) => [
  fact('userMessageReceived', { runId: id, text: 'go' }),
  fact('runStarted', { runId: id, agentDigest: 'a', toolsetDigest: 't', agentSource: { repository: 'r', commit: id } }),
  ...Array.from({ length: answers }, (_, turn) =>
    fact('modelResponded', { runId: id, stepId: 'root', turn: turn + 1, text: `${turn}`, usage: spent }),
  ),
  fact('runCompleted', { runId: id, output: { parts: [] } }),
];
const begins = (id: string) => fact('stepStarted', { runId: id, stepId: 'root', node: 'n', nodeType: 'llm' });

test.each([
  ['its message', 0],
  ['an event soon after it', 100],
  ['the middle of it', 150],
])('is read from its own events, however many came before, from %s on', async (_what, ahead) => {
  const answers = 300;
  const [message, started, ...rest] = past('mine', answers);
  if (message === undefined || started === undefined) throw new Error('nothing happened');
  const earlier = Array.from({ length: 400 }, (_, index) => past(`run-${index}`, 1)).flat();
  const all = [
    fact('conversationCreated', { conversationId: 'c', agentName: 'a' }),
    ...earlier,
    ...[message, started, begins('mine'), ...rest],
    ...past('next', 1),
  ];
  const from = 2 + earlier.length + ahead;
  const read: number[] = [];
  const run = await readPastRun(
    logOf(all, (revision) => read.push(revision)),
    'c',
    from,
  );
  expect(run).toMatchObject({
    id: 'mine',
    agentSource: { commit: 'mine' },
    usage: { inputTokens: 7 * answers, outputTokens: 2 * answers },
  });
  expect(read.length).toBeLessThan(3 * (answers + 4));
  if (ahead === 0) expect(Math.min(...read)).toBe(from);
});

test('one whose beginning or end the log does not show is not told', async () => {
  const [, ...headless] = past('mine', 3);
  expect(await readPastRun(logOf(headless), 'c', 2)).toBeUndefined();
  expect(await readPastRun(logOf(past('mine', 3).slice(0, -1)), 'c', 1)).toBeUndefined();
  expect(await readPastRun(logOf([fact('conversationCreated', { conversationId: 'c' })]), 'c', 1)).toBeUndefined();
});
