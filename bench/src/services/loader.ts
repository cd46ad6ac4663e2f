/**
 * Stores conversations fast: through the same gRPC call of the store as an orchestrator uses, with the same deciders, and
 * what this process need not wait for left out: no HTTP, and no model. What the model answers is taken from conversations
 * that were made through the API a moment ago; a conversation stored here differs from those in ids, texts and times only.
 */
import { randomUUID } from 'node:crypto';
import {
  type Actor,
  type AgentDefinition,
  agentFromDefinition,
  agentStream,
  anticipate,
  type ConversationState,
  conversationStream,
  createConversation,
  decideRun,
  definedAs,
  type Fact,
  type FactName,
  type FactOf,
  fold,
  initialState,
  pendingApprovals,
  pinsOfToolset,
  type RecordedFact,
  receiveMessage,
  type Toolset,
  toolStream,
  toolsetFromDefinition,
  toolsetStream,
} from '@stopgo/core';
import { type Append, appendUntilKnown, type ConversationLog, recordedOf, systemClock } from '@stopgo/log';

/** A conversation that was made through the API: what those like it are made from. */
export type Example = {
  readonly events: readonly RecordedFact[];
  readonly agent: AgentDefinition;
  readonly tools: Toolset;
};

/** A conversation that was stored. */
export type StoredConversation = { readonly id: string; readonly approval?: string };

/** Reads an example from the log. */
export async function readExample(log: ConversationLog, conversation: string): Promise<Example> {
  const events = await readAll(log, conversationStream(conversation));
  const { agentDigest, toolsetDigest } = only(events, 'runStarted');
  const agent = only(await readAll(log, agentStream(agentDigest)), 'agentDefined');
  const toolset = only(await readAll(log, toolsetStream(toolsetDigest)), 'toolsetDefined');
  const pins = await Promise.all(
    pinsOfToolset(toolset.definitionJson).map(async (pin) => {
      return [pin, only(await readAll(log, toolStream(pin)), 'toolDefined').definitionJson] as const;
    }),
  );
  return {
    events,
    agent: agentFromDefinition(agent.definitionJson),
    tools: toolsetFromDefinition(toolset.definitionJson, new Map(pins)),
  };
}

/** What is said in place of the example's words: the user's message, and the note that the model's call names. */
export type Words = { readonly message: string; readonly note: string };

/** Who drives the runs: an instance that has a heartbeat meanwhile. Appends are tried until the signal aborts. */
export type Driver = { readonly log: ConversationLog; readonly instance: string; readonly signal: AbortSignal };

/**
 * Stores a conversation like the example. Two appends, as always: the message with the start of its run, then the model's
 * answer with what follows from it. Rejects when the signal aborts, and for what an append fails with.
 */
export async function storeLike(
  { events, agent, tools }: Example,
  words: Words,
  { log, instance, signal }: Driver,
): Promise<StoredConversation> {
  const created = only(events, 'conversationCreated');
  const { agentDigest, toolsetDigest, bearerTokenPresent } = only(events, 'runStarted');
  const definitions = definedAs({ agentDigest, toolsetDigest }, { agent, tools });
  const answer = only(events, 'modelResponded');
  const [first] = events;
  if (first === undefined) throw new Error('the example is empty');
  const [id, runId] = [randomUUID(), randomUUID()];
  const { systemPrompt, agentName } = created;
  const sessionId = randomUUID().slice(0, created.sessionId.length);
  const begun = systemClock.now();
  const opening = createConversation({ id, sessionId, agentName, systemPrompt });
  const started = receiveMessage(anticipate({ ...initialState }, opening, begun), {
    ...{
      runId,
      text: words.message,
      agent: { agentDigest, toolsetDigest, definitions },
      instance,
      bearerTokenPresent,
      now: begun,
    },
  });
  if (started.kind !== 'append') throw new Error(`the message of a new conversation is ${started.kind}`);
  const empty: ConversationState = { ...initialState, id };
  const driven = await append(log, signal, empty, {
    facts: [...opening, ...started.facts],
    actor: first.actor,
    causationId: first.causationId,
    now: begun,
  });
  const now = systemClock.now();
  const { stepId, turn, text, usage, provider, model, opaque, stopReason } = answer;
  const decision = decideRun(
    driven,
    [
      {
        ...{ type: 'modelAnswered', stepId, turn, text, provider, model, opaque, stopReason },
        usage: { inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 },
        calls: answer.calls.map(({ providerCallId, tool }) => ({
          ...{ providerCallId, name: tool, argumentsJson: JSON.stringify({ note: words.note }) },
        })),
      },
    ],
    { definitions, runId, me: started.me, now },
  );
  if (decision.kind !== 'append') throw new Error('the run of a new conversation is somebody else’s');
  const settled = await append(log, signal, driven, {
    facts: decision.facts,
    actor: { kind: 'system', id: instance },
    causationId: runId,
    now,
  });
  const [approval] = pendingApprovals(settled.run);
  return { id, ...(approval === undefined ? {} : { approval }) };
}

/** Kind and actor of each event, without what is of one conversation only: the same for an example and those like it. */
export function outlineOf(events: readonly RecordedFact[]): readonly string[] {
  const who = ({ kind, id, surface = '' }: Actor): string => `${kind} ${kind === 'system' ? '' : id} ${surface}`;
  return events.map(({ actor, fact, causationId, correlationId }) => {
    const fields = Object.keys(fact.value).sort().join(',');
    return `${fact.case}(${fields}) by ${who(actor)} ${causationId !== ''} ${correlationId !== ''}`;
  });
}

/** All events of a stream. */
export async function readAll(log: ConversationLog, stream: string): Promise<readonly RecordedFact[]> {
  const events: RecordedFact[] = [];
  for await (const event of log.read(stream, 1)) events.push(event);
  return events;
}

type Written = Pick<Append, 'facts' | 'actor' | 'causationId' | 'now'>;

/** Appends, and gives the state with it. Fails if anybody else appends to the stream. */
async function append(
  log: ConversationLog,
  signal: AbortSignal,
  state: ConversationState,
  written: Written,
): Promise<ConversationState> {
  const whole: Append = {
    ...written,
    stream: conversationStream(state.id),
    correlationId: state.sessionId,
    expectedRevision: state.revision,
    key: randomUUID(),
    eventIds: written.facts.map(() => randomUUID()),
  };
  const outcome = await appendUntilKnown(log, whole, systemClock, Math.random, signal);
  if (outcome.kind === 'conflict') throw new Error(`${whole.stream} is written to by somebody else`);
  return fold(state, recordedOf(whole));
}

function only<N extends FactName>(events: readonly RecordedFact[], name: N): FactOf<N> {
  const isOfKind = (one: Fact): one is Extract<Fact, { case: N }> => one.case === name;
  for (const { fact } of events) if (isOfKind(fact)) return fact.value as FactOf<N>;
  throw new Error(`the example has no event "${name}"`);
}
