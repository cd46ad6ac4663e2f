import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type BlobRef, blobRefsToWire, conversationStream, type Fact, fact, newEvents, sha256Hex } from '@stopgo/core';
import { facts, type store } from '@stopgo/proto';

/** The events to append for some facts, made at this moment. */
export const eventsOf = (...all: readonly Fact[]): store.NewEvent[] => eventsBy('', all);

function eventsBy(principal: string, all: readonly Fact[]): store.NewEvent[] {
  const frame = {
    now: Date.now(),
    actor: { kind: 'user', id: 'ann', surface: 'rest', ...(principal === '' ? {} : { principal }) } as const,
    causationId: '',
    correlationId: 'session-1',
  };
  return newEvents(
    all,
    frame,
    all.map(() => randomUUID()),
  );
}

/** One conversation as the platform would append it: each call gives the next append of its stream. */
export class Story {
  readonly id = randomUUID();
  readonly stream: string = conversationStream(this.id);
  /** Revision after the appends so far. */
  revision = 0;
  #runId = '';
  #approvalId = '';
  #answer = 0;
  #epoch = 0;

  /** The next append, for some facts. */
  append(...all: readonly Fact[]) {
    return this.#appendBy('', all);
  }

  #appendBy(principal: string, all: readonly Fact[]) {
    const expectedRevision = this.revision;
    this.revision += all.length;
    return { stream: this.stream, expectedRevision, events: eventsBy(principal, all), idempotencyKey: randomUUID() };
  }

  created(
    systemPrompt = 'Be helpful.',
    more: { readonly contextId?: string; readonly principal?: string; readonly agentName?: string } = {},
  ) {
    const conversationId = this.id;
    return this.append(
      fact('conversationCreated', { conversationId, sessionId: 'session-1', agentName: 'demo', systemPrompt, ...more }),
    );
  }

  /** `principal`: key of who asks; empty: nobody in particular. */
  asked(text: string, principal = '') {
    this.#runId = randomUUID();
    const owner = { instance: 'orchestrator-1', epoch: ++this.#epoch };
    const [runId, digest] = [this.#runId, sha256Hex('definition')];
    return this.#appendBy(principal, [
      fact('userMessageReceived', { runId, text }),
      fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner }),
      fact('stepStarted', { runId, stepId: 'root', node: 'demo', nodeType: 'llm' }),
    ]);
  }

  stopped(argumentsJson = '{"name":"my-test","value":42}', approvalId: string = randomUUID(), notify: string[] = []) {
    const runId = this.#runId;
    const [stepId, callId, tool, server] = ['root', 'root#1.0', 'add_resource', 'resources'];
    this.#answer = this.revision + 1;
    this.#approvalId = approvalId;
    const call = { callId, tool, server, argumentsJson, pin: sha256Hex('pin'), digest: sha256Hex('call') };
    const disposition = facts.Disposition.GATED;
    return this.append(
      fact('modelResponded', { runId, stepId, turn: 1, calls: [{ ...call, disposition }], model: 'offline' }),
      fact('approvalRequested', {
        ...{ runId, stepId, callId, tool, server, approvalId: this.#approvalId, digest: call.digest },
        kind: facts.ApprovalKind.TOOL,
        description: 'add_resource with {"name":"my-test","value":42}',
        choices: ['approve', 'reject'],
        callRevision: this.#answer,
        notify,
      }),
      fact('runReleased', { runId }),
    );
  }

  /** Waits for an approval of another tool and node, with what it demands. `expiresAt`: in milliseconds since 1970. */
  waitsFor(
    tool: string,
    node: string,
    demand: MessageInitShape<typeof facts.DemandSchema> | undefined,
    expiresAt?: number,
  ) {
    const [runId, stepId, callId, server] = [this.#runId, 'root', 'root#1.0', 'resources'];
    this.#approvalId = randomUUID();
    const call = { callId, tool, server, argumentsJson: '{}', pin: sha256Hex('pin'), digest: sha256Hex('call') };
    const callRevision = this.revision + 1;
    return this.append(
      fact('modelResponded', {
        ...{ runId, stepId, turn: 1, model: 'offline' },
        calls: [{ ...call, disposition: facts.Disposition.GATED }],
      }),
      fact('approvalRequested', {
        ...{ runId, stepId, callId, tool, server, node, callRevision, approvalId: this.#approvalId },
        ...{ digest: call.digest, kind: facts.ApprovalKind.TOOL, choices: ['approve', 'reject'] },
        ...(demand && { demand }),
        ...(expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) }),
      }),
    );
  }

  /** Somebody says yes to what needs more than one. */
  voted(key: string) {
    const [runId, approvalId, callId] = [this.#runId, this.#approvalId, 'root#1.0'];
    const said = { runId, approvalId, callId, decision: facts.Decision.APPROVED, tool: 'add_resource' };
    return this.append(fact('approvalVoted', { ...said, voter: { key, name: key } }));
  }

  /** Somebody is to look at it; undefined: nobody in particular any more. */
  assigned(key: string | undefined) {
    const [runId, approvalId, callId] = [this.#runId, this.#approvalId, 'root#1.0'];
    const to = key === undefined ? {} : { assignee: { key, name: key } };
    return this.append(fact('approvalAssigned', { runId, approvalId, callId, tool: 'add_resource', ...to }));
  }

  approved() {
    const [runId, approvalId, callId] = [this.#runId, this.#approvalId, 'root#1.0'];
    const decision = facts.Decision.APPROVED;
    const voter = { key: 'user:someone', name: 'someone@x.example' };
    return this.append(fact('approvalResolved', { runId, approvalId, decision, callId, tool: 'add_resource', voter }));
  }

  started() {
    const [runId, stepId, callId, approvalId] = [this.#runId, 'root', 'root#1.0', this.#approvalId];
    const owner = { instance: 'orchestrator-1', epoch: ++this.#epoch };
    return this.append(
      fact('runClaimed', { runId, owner }),
      fact('toolCallStarted', { runId, stepId, callId, attempt: 1, bridgeInstance: 'bridge-1', approvalId }),
    );
  }

  finished(content = '{"id":"7","name":"my-test","value":42}', blobs: readonly BlobRef[] = []) {
    const [runId, stepId, callId] = [this.#runId, 'root', 'root#1.0'];
    const told = { content, tool: 'add_resource', blobs: blobRefsToWire(blobs) };
    return this.append(fact('toolCallFinished', { runId, stepId, callId, attempt: 1, ...told }));
  }

  completed(text = 'I created my-test with the value 42.') {
    const [runId, stepId] = [this.#runId, 'root'];
    const output = create(facts.OutputSchema, { parts: [{ answerRevision: this.revision + 1 }] });
    return this.append(
      fact('modelResponded', { runId, stepId, turn: 2, text, model: 'offline' }),
      fact('stepFinished', { runId, stepId, output }),
      fact('runCompleted', { runId, output }),
    );
  }

  /** The six appends of a turn that stops for an approval and goes on. */
  *turn(text = 'create a server my-test with value 42') {
    yield this.asked(text);
    yield this.stopped();
    yield this.approved();
    yield this.started();
    yield this.finished();
    yield this.completed();
  }

  /** Id of the approval asked for last. */
  get approvalId(): string {
    return this.#approvalId;
  }

  /** Id of the latest run. */
  get runId(): string {
    return this.#runId;
  }
}
