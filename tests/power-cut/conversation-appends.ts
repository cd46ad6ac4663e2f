import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { conversationStream, type Fact, fact, newEvents, sha256Hex } from '@stopgo/core';
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

/** The appends of one conversation as an orchestrator makes them: its creation, then a question and an answer per turn. */
export function* conversationAppends(turns: number): Generator<NextAppend, void> {
  const conversationId = randomUUID();
  const stream = conversationStream(conversationId);
  let revision = 0;
  const append = (...all: readonly Fact[]): NextAppend => {
    const expectedRevision = revision;
    revision += all.length;
    const frame = {
      now: Date.now(),
      actor: { kind: 'user', id: 'ann', surface: 'rest' } as const,
      causationId: '',
      correlationId: 'session-1',
    };
    const ids = all.map(() => randomUUID());
    const events = newEvents(all, frame, ids);
    const request = { stream, expectedRevision, events, idempotencyKey: randomUUID() };
    return { request, revision, eventId: ids.at(-1) ?? '' };
  };
  const systemPrompt = 'You look after resources.';
  yield append(
    fact('conversationCreated', { conversationId, sessionId: 'session-1', agentName: 'demo', systemPrompt }),
  );
  for (let turn = 1; turn <= turns; turn += 1) {
    const [runId, stepId, digest] = [randomUUID(), 'root', sha256Hex('definition')];
    const owner = { instance: 'orchestrator-1', epoch: 1 };
    yield append(
      fact('userMessageReceived', { runId, text: `What happens in turn ${turn}?` }),
      fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner }),
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
