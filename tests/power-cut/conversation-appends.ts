import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  agentStream,
  conversationStream,
  defineAgent,
  defineToolset,
  type Fact,
  fact,
  newEvents,
  type StreamName,
  toolsetStream,
} from '@stopgo/core';
import { facts, type store } from '@stopgo/proto';

/** An append with what the test wants to find again: where it ends, and the id of its last event. */
export type NextAppend = {
  readonly request: {
    readonly stream: string;
    readonly expectedRevision: number;
    readonly events: store.NewEvent[];
    readonly idempotencyKey: string;
  };
  readonly revision: number;
  readonly eventId: string;
};

const agent = defineAgent({
  name: 'demo',
  root: {
    type: 'llm',
    name: 'demo',
    model: 'offline',
    prompt: 'You look after resources.',
    outputKey: '',
    canExitLoop: false,
    turnsMax: 10,
    approval: 'default',
  },
});
const toolset = defineToolset(new Map());

/** What the runs of all conversations are defined by, a stream each. */
export const definitionAppends = (): readonly NextAppend[] => [
  appendTo(agentStream(agent.digest), 0, [fact('agentDefined', agent)]),
  appendTo(toolsetStream(toolset.digest), 0, [fact('toolsetDefined', toolset)]),
];

function appendTo(stream: StreamName, expectedRevision: number, all: readonly Fact[]): NextAppend {
  const frame = {
    now: Date.now(),
    actor: { kind: 'user', id: 'ann', surface: 'rest' } as const,
    causationId: '',
    correlationId: 'session-1',
  };
  const ids = all.map(() => randomUUID());
  const events = newEvents(all, frame, ids);
  const request = { stream, expectedRevision, events, idempotencyKey: randomUUID() };
  return { request, revision: expectedRevision + all.length, eventId: ids.at(-1) ?? '' };
}

/** The appends of one conversation as an orchestrator makes them: its creation, then a question and an answer per turn. */
export function* conversationAppends(turns: number): Generator<NextAppend, void> {
  const conversationId = randomUUID();
  const stream = conversationStream(conversationId);
  let revision = 0;
  const append = (...all: readonly Fact[]): NextAppend => {
    const next = appendTo(stream, revision, all);
    revision = next.revision;
    return next;
  };
  const systemPrompt = 'You look after resources.';
  yield append(
    fact('conversationCreated', { conversationId, sessionId: 'session-1', agentName: 'demo', systemPrompt }),
  );
  for (let turn = 1; turn <= turns; turn += 1) {
    const [runId, stepId] = [randomUUID(), 'root'];
    const owner = { instance: 'orchestrator-1', epoch: 1 };
    yield append(
      fact('userMessageReceived', { runId, text: `What happens in turn ${turn}?` }),
      fact('runStarted', { runId, agentDigest: agent.digest, toolsetDigest: toolset.digest, owner }),
      fact('stepStarted', { runId, stepId, node: 'demo', nodeType: 'llm' }),
    );
    const output = create(facts.OutputSchema, { parts: [{ answerRevision: revision + 1 }] });
    yield append(
      fact('modelResponded', { runId, stepId, turn: 1, text: `Turn ${turn} goes on. `.repeat(20), model: 'offline' }),
      fact('stepFinished', { runId, stepId, output }),
      fact('runCompleted', { runId, output }),
    );
  }
}
