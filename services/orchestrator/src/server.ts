import {
  anticipate,
  byteLength,
  callerOf,
  checkContextId,
  conversationStream,
  createConversation,
  DomainError,
  decodeEvent,
  fold,
  type IdempotencyKey,
  initialState,
  isUuid,
  type MessageDecision,
  messageBytesMax,
  principalKey,
  type RecordedFact,
  receiveMessage,
  requireAllowed,
  requireReach,
} from '@stopgo/core';
import {
  clientKey,
  type DefinitionSource,
  idempotencyFromWire,
  type Loaded,
  loadDefinitions,
  recordedOf,
  type Transacted,
  type TransactPorts,
  transact,
} from '@stopgo/log';
import { orchestrator as wire } from '@stopgo/proto';
import type { CallContext, ServiceImpl } from '@stopgo/rpc';
import {
  type AgentCatalogue,
  agentIsGone,
  agentNamed,
  agentOfConversation,
  type CatalogueAgent,
  noAgent,
} from './agents/catalogue.ts';
import { agentsOffered } from './agents/offered.ts';
import { notPinned, requirePin } from './agents/pinned.ts';
import { callDepth, withinDepth } from './agents/run-depth.ts';
import type { KeepBlob } from './blobs.ts';
import { actorOf } from './caller.ts';
import { cancel } from './cancel-run.ts';
import type { Contexts } from './contexts.ts';
import { controlService } from './control-service.ts';
import type { TaskWatch } from './driver/delegations/task-watch.ts';
import type { Registry } from './driver/run/registry.ts';
import type { RunDriver } from './driver/run/run-driver.ts';
import { handedOn, refuseTokenOfOthers } from './handed-on.ts';
import { provide } from './provide-input.ts';
import { type CalledBack, callbackService } from './push/callback-service.ts';
import type { Outbox } from './push/outbox.ts';
import { pushService } from './push/service.ts';
import { type Turn, Turns } from './turns.ts';

/** What the service is made of. */
export type OrchestratorParts = {
  readonly registry: Registry;
  readonly watch: TaskWatch;
  /** Keeps what people give beside words. */
  readonly keepBlob: KeepBlob;
  readonly definitions: DefinitionSource;
  /** Absent: nobody is told of anything. */
  readonly outbox?: Outbox;
  /** Absent: no agent calls back. */
  readonly calledBack?: CalledBack;
  /** The agents of runs that start now; those that started before go on with theirs. */
  readonly agents: AgentCatalogue;
  readonly contexts: Contexts;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
};

/** The gRPC surface of the orchestrator. */
export function orchestratorService(parts: OrchestratorParts): ServiceImpl<typeof wire.OrchestratorService> {
  const turns = new Turns(parts.registry);
  return {
    createConversation: async (request, context) => ({ turn: await create(parts, turns, request, context) }),
    sendMessage: async (request, context) => ({ turn: await send(parts, turns, request, context) }),
    cancelRun: async (request, context) => ({ turn: await cancel(parts, turns, request, context) }),
    provideInput: async (request, context) => ({ turn: await provide(parts, turns, request, context) }),
    resumeRun: async (request, context) => ({ turn: await resume(parts, turns, request, context) }),
    listAgents: async () => ({ agents: agentsOffered(await parts.agents.default()) }),
    ...controlService(parts, turns),
    ...pushService(parts.outbox),
    ...callbackService(parts.calledBack),
  };
}

async function create(
  parts: OrchestratorParts,
  turns: Turns,
  request: wire.CreateConversationRequest,
  context: CallContext,
): Promise<Turn> {
  const { conversationId: id, message: text } = request;
  const owner = principalKey(context.principal);
  requireAllowed(context.principal, 'conversation.create');
  if (request.push !== undefined) requireAllowed(context.principal, 'push.set', owner);
  if (!isUuid(id)) throw new DomainError('invalid_argument', 'conversation_id must be a UUID in lower case');
  if (text !== '') checkMessage(text);
  const { contextId } = request;
  checkContextId(contextId);
  const push = request.push === undefined ? undefined : parts.outbox?.check(request.push);
  const idempotency = idempotencyFromWire(request.idempotency);
  const belonging = contextId === '' ? {} : { contextId, earlier: await parts.contexts(contextId, context) };
  const { registry } = parts;
  const { ports } = registry;
  const begin = async (): Promise<Begun> => {
    const agent = await agentNamed(parts.agents, request.agentName, request.agentRevision);
    requirePin(context.principal, agent);
    const opening = createConversation({
      id,
      sessionId: context.sessionId ?? '',
      agentName: agent.name,
      systemPrompt: agent.systemPrompt,
      principal: owner,
      ...belonging,
      ...(idempotency === undefined ? {} : { idempotency }),
    });
    const message = text === '' ? undefined : await messageDecider(parts, agent, request, idempotency, context);
    return transact(
      ports,
      { conversationId: id, state: { ...initialState, id }, knownKeys: [] },
      {
        actor: actorOf(request.caller),
        ...(idempotency === undefined ? {} : { idempotency }),
        wantsView: message === undefined,
        decide: (state): MessageDecision | { readonly kind: 'open'; readonly facts: typeof opening } => {
          if (state.revision > 0) throw new DomainError('conflict', `conversation ${id} exists already`);
          if (message === undefined) return { kind: 'open', facts: opening };
          const decision = message(anticipate({ ...initialState }, opening, ports.clock.now()));
          return decision.kind === 'append' ? { ...decision, facts: [...opening, ...decision.facts] } : decision;
        },
        factsOf: (decision) => ('facts' in decision ? decision.facts : undefined),
      },
    );
  };
  const beginOnce = () => begin().catch((error: unknown) => repeatOfCreate(parts, id, idempotency, error));
  const release = text === '' ? registry.hold(id) : registry.admit(id);
  const { done, driver } = await drive(parts, beginOnce, context).finally(release);
  // Nothing that was before the conversation could be told.
  if (push !== undefined) await parts.outbox?.set(id, push, actorOf(request.caller), 0);
  if (done.kind === 'done' && done.decision.kind === 'open' && done.view !== undefined)
    return { outcome: wire.TurnOutcome.SETTLED, view: done.view };
  return started(parts, turns, id, done, driver, request.wait, context);
}

/** A conversation that may exist already: the answer of the request that made it, if it was this one. */
async function repeatOfCreate(
  parts: OrchestratorParts,
  id: string,
  idempotency: IdempotencyKey | undefined,
  error: unknown,
): Promise<Transacted<never>> {
  if (idempotency === undefined || !(error instanceof DomainError)) throw error;
  // Its agent may have gone since, and the configuration may have become stricter.
  if (error.kind !== 'conflict' && ![noAgent, callDepth, notPinned].includes(error.details.reason ?? '')) throw error;
  const { ports } = parts.registry;
  const loaded = await ports.log.load(id, [clientKey(idempotency)]).catch((cause: unknown) => {
    throw cause instanceof DomainError && cause.kind === 'not_found' ? error : cause;
  });
  const refuse = {
    actor: { kind: 'system', id: '' } as const,
    idempotency,
    decide: () => ({ kind: 'none' as const }),
    factsOf: () => undefined,
  };
  const known = await transact(ports, loaded, refuse);
  if (known.kind !== 'repeated') throw error;
  return known;
}

async function send(
  parts: OrchestratorParts,
  turns: Turns,
  request: wire.SendMessageRequest,
  context: CallContext,
): Promise<Turn> {
  checkMessage(request.message);
  const idempotency = idempotencyFromWire(request.idempotency);
  const { conversationId } = request;
  const { registry } = parts;
  const state = idempotency === undefined ? registry.lastSeen(conversationId) : undefined;
  const seen = state === undefined ? undefined : { conversationId, state, knownKeys: [] };
  const loaded = seen ?? (await load(parts, conversationId, idempotency));
  requireReach(context.principal, 'message.send', loaded.state);
  const begin = async (): Promise<Begun> => {
    const agent = await agentOfConversation(parts.agents, loaded.state.agentName, request.agentRevision);
    // What was taken before is answered as it was.
    if (loaded.knownKeys.length === 0) requirePin(context.principal, agent);
    const command = {
      actor: actorOf(request.caller),
      ...(idempotency === undefined ? {} : { idempotency }),
      decide: await messageDecider(parts, agent, request, idempotency, context),
      factsOf: (decision: MessageDecision) => ('facts' in decision ? decision.facts : undefined),
    };
    const done = await transact(portsThatSee(registry, conversationId), loaded, command);
    // An append onto what was seen last is checked by the log; a refusal by it may be out of date.
    if (done.kind !== 'refused' || done.state !== seen?.state) return done;
    return transact(registry.ports, await load(parts, conversationId, undefined), command);
  };
  // A repeat begins no run.
  const release = loaded.knownKeys.length > 0 ? registry.hold(conversationId) : registry.admit(conversationId);
  const { done, driver } = await drive(parts, begin, context).finally(release);
  return started(parts, turns, conversationId, done, driver, request.wait, context);
}

/** As the registry's, and it is told what others have appended meanwhile. */
function portsThatSee(registry: Registry, conversationId: string): TransactPorts {
  const { ports } = registry;
  return {
    ...ports,
    log: {
      ...ports.log,
      append: async (append) => {
        const outcome = await ports.log.append(append);
        if (outcome.kind === 'conflict') registry.seen(conversationId, outcome.unseen);
        return outcome;
      },
    },
  };
}

/** What a message comes to, decided against whatever state the conversation has by then. */
async function messageDecider(
  parts: OrchestratorParts,
  agent: CatalogueAgent | undefined,
  { message: text, caller, callDepthMax }: Pick<wire.SendMessageRequest, 'message' | 'caller' | 'callDepthMax'>,
  idempotency: IdempotencyKey | undefined,
  context: CallContext,
) {
  const { ports } = parts.registry;
  const actor = actorOf(caller);
  const asker = callerOf(context.principal, actor.claimed === true ? actor.id : '');
  const follows = await agent?.forRun(parts.signal);
  const runId = ports.newId();
  return (state: Loaded['state']): MessageDecision =>
    receiveMessage(state, {
      text,
      runId,
      ...(follows && { agent: withinDepth(follows, agent?.name ?? '', callDepthMax) }),
      instance: ports.instance,
      bearerTokenPresent: handedOn(context, state) !== undefined,
      caller: asker,
      sessionId: context.sessionId,
      ...(idempotency === undefined ? {} : { idempotency }),
      now: ports.clock.now(),
    });
}

type Begun = Transacted<MessageDecision | { readonly kind: 'open' }>;

/** Appends what a message comes to, and drives the run that it starts. The caller holds the conversation meanwhile. */
async function drive(
  { registry, definitions }: OrchestratorParts,
  begin: () => Promise<Begun>,
  context: CallContext,
): Promise<{ readonly done: Begun; readonly driver?: RunDriver }> {
  const done = await begin();
  if (done.kind !== 'done') return { done };
  // The events as the log has them, not the facts as they were anticipated: the times differ.
  const state = fold(done.state, recordedOf(done.append));
  registry.appended(done.append, state);
  const { run } = state;
  if (done.decision.kind !== 'append' || run === null) return { done };
  const bearer = handedOn(context, state);
  const driver = registry.start({
    state,
    definitions: await loadDefinitions(definitions, run),
    me: done.decision.me,
    ...(bearer === undefined ? {} : { bearer }),
  });
  return { done, driver };
}

/** Answers after a message was taken, or not. */
async function started(
  parts: OrchestratorParts,
  turns: Turns,
  conversationId: string,
  done: Begun,
  driver: RunDriver | undefined,
  wait: wire.Wait | undefined,
  context: CallContext,
): Promise<Turn> {
  const waitMs = wait?.milliseconds ?? 0;
  if (done.kind === 'repeated') {
    const { state, firstRevision, lastRevision } = done;
    await parts.registry.resume(conversationId, handedOn(context, state));
    return turns.ofRepeat(state, firstRevision, lastRevision, waitMs);
  }
  const { decision } = done;
  switch (decision.kind) {
    case 'append':
      return driver === undefined ? turns.now(conversationId) : turns.ofDriver(driver, waitMs);
    case 'token': {
      await parts.registry.resume(conversationId, handedOn(context, done.state));
      const { view } = await turns.ofState((await load(parts, conversationId, undefined)).state, waitMs);
      return { outcome: wire.TurnOutcome.RESUMED_WITH_TOKEN, ...(view === undefined ? {} : { view }) };
    }
    case 'waiting':
      refuseTokenOfOthers(context, done.state);
      return turns.refused(conversationId, wire.TurnOutcome.REFUSED_WAITING);
    case 'busy':
      return turns.refused(conversationId, wire.TurnOutcome.REFUSED_BUSY);
    case 'no_agent':
      throw await agentIsGone(parts.agents, conversationId, done.state.agentName);
    case 'open':
      return turns.now(conversationId);
  }
}

async function resume(
  parts: OrchestratorParts,
  turns: Turns,
  request: wire.ResumeRunRequest,
  context: CallContext,
): Promise<Turn> {
  const { conversationId, minRevision } = request;
  const waitMs = request.wait?.milliseconds ?? 0;
  const { registry } = parts;
  // Whose conversation it is never changes.
  const known =
    context.bearerToken && (registry.lastSeen(conversationId) ?? (await load(parts, conversationId, undefined)).state);
  const bearer = known && handedOn(context, known);
  if (request.looks) await parts.watch.look(conversationId, bearer);
  await registry.resume(conversationId, bearer, appendedBefore(request));
  const driver = registry.driver(conversationId);
  await driver?.reached(minRevision);
  const state = driver?.state ?? (await load(parts, conversationId, undefined)).state;
  // What the caller asks about may be over, and others have followed.
  if (minRevision > 0 && minRevision < (state.run?.messageRevision ?? 0))
    return turns.ofPast(state, minRevision, minRevision, waitMs);
  return driver === undefined ? turns.ofState(state, waitMs) : turns.ofDriver(driver, waitMs);
}

/** The append that a request tells of, as the log has it. */
function appendedBefore({ conversationId, minRevision, appended }: wire.ResumeRunRequest): RecordedFact[] {
  const stream = conversationStream(conversationId);
  return appended.map((event, index) => decodeEvent(event, stream, minRevision - appended.length + index + 1));
}

async function load(
  parts: OrchestratorParts,
  conversationId: string,
  idempotency: IdempotencyKey | undefined,
): Promise<Loaded> {
  if (!isUuid(conversationId)) throw new DomainError('not_found', `conversation not found: ${conversationId}`);
  return parts.registry.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
}

function checkMessage(text: string): void {
  if (text === '') throw new DomainError('invalid_argument', 'message is required');
  const bytes = byteLength(text);
  if (bytes > messageBytesMax)
    throw new DomainError(
      'invalid_argument',
      `the message is ${bytes} bytes long; at most ${messageBytesMax} are taken`,
    );
}
