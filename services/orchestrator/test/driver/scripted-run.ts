import {
  type AgentDefinition,
  type AgentNode,
  createConversation,
  definedAs,
  encodeFact,
  evolve,
  type Fact,
  initialState,
  type LlmNode,
  type OfferedTool,
  outputText,
  type RecordedFact,
  type RunDefinition,
  receiveMessage,
} from '@stopgo/core';
import { type Append, type AppendOutcome, type Clock, type ConversationLog, recordedOf } from '@stopgo/log';
import { type CallableAgents, noAgents } from '../../src/agents/callable.ts';
import { Transcripts } from '../../src/driver/handle/transcripts.ts';
import { RunDriver } from '../../src/driver/run/run-driver.ts';
import type { MemoryPort } from '../../src/memories/memory-port.ts';
import type { ModelAnswer, ModelRequest } from '../../src/models/port.ts';
import { driverWith, type ScriptedBridge } from './one-driver.ts';
export const llm = (name: string, prompt: string, more: Partial<LlmNode> = {}): LlmNode => ({
  type: 'llm',
  name,
  model: name,
  prompt,
  outputKey: name,
  canExitLoop: false,
  turnsMax: 5,
  approval: 'default',
  ...more,
});
export const look: OfferedTool = {
  target: { kind: 'tool', server: 's' },
  name: 'look',
  description: '',
  inputSchemaJson: '{}',
  pin: 'p',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  approvalRequired: false,
  forwardsBearer: false,
};
export const put: OfferedTool = { ...look, name: 'put', hints: { ...look.hints, readOnly: false, destructive: true } };
export const looks = { name: 'look', providerCallId: '', argumentsJson: '{}' };
export const says = (text: string, calls: ModelAnswer['calls'] = []): ModelAnswer => ({
  text,
  calls,
  provider: 'scripted',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1 },
  stopReason: 'end',
});

/** The tools of the agents. */
export const tools = new Map([look, put].map((one) => [one.name, one]));

/** What a log may do with an append before it takes it, or instead. */
export type Before = (
  append: Append,
  seen: { readonly asked: readonly ModelRequest[]; readonly log: RecordedFact[] },
) => Promise<AppendOutcome | undefined>;

type Answers = Readonly<Record<string, readonly (ModelAnswer | Promise<ModelAnswer>)[]>>;

/** Drives one message through a tree whose models have their answers ready, in order. */
export function driven(
  root: AgentNode,
  answers: Answers,
  before: Before = async () => undefined,
  more: Pick<Around, 'execute'> = {},
) {
  return drivenAgent({ name: 'agent', root }, answers, { before, ...more });
}

type Around = {
  readonly before?: Before;
  /** Those that others may call. */
  readonly agents?: CallableAgents;
  readonly calling?: RunDefinition['calling'];
  /** What they remember; absent: nothing yet. */
  readonly memories?: MemoryPort;
  /** Is told what the run waits for whenever it sleeps; the sleep is over at once. */
  readonly onSleep?: (waits: readonly unknown[]) => void;
  /** How tools are called; absent: each has its result at once. */
  readonly execute?: NonNullable<ScriptedBridge['execute']>;
};

/** Looks that a run takes at most: a driver that looks again and again, and finds nothing to do, lets nobody else do anything. */
const looksMax = 10_000;

/** Calls that have their results at once. */
export const finishes: NonNullable<ScriptedBridge['execute']> = async () => ({
  kind: 'finished',
  content: 'three',
  isError: false,
  durationMs: 1,
});

/** The same of an agent, which may call others. */
export async function drivenAgent(
  agent: AgentDefinition,
  answers: Answers,
  { before = async () => undefined, agents = noAgents, calling, memories, onSleep, execute = finishes }: Around,
) {
  const log: RecordedFact[] = [];
  const most = { events: 0, bytes: 0 };
  const add = (append: Append) => {
    log.push(...recordedOf(append));
    most.events = Math.max(most.events, append.facts.length);
    most.bytes = Math.max(
      most.bytes,
      append.facts.reduce((sum, one) => sum + encodeFact(one).length, 0),
    );
  };
  const { ports } = driverWith({ alive: ['bridge'], execute });
  const frame = {
    stream: 'conversation-c',
    actor: { kind: 'system', id: 'me' },
    correlationId: '',
    causationId: '',
    now: 0,
  } as const;
  const begin = (facts: readonly Fact[]) =>
    add({ ...frame, expectedRevision: log.length, facts, key: '', eventIds: facts.map(() => 'id') });
  begin(createConversation({ id: 'c', sessionId: '', agentName: 'agent', systemPrompt: '' }));
  const digests = { agentDigest: 'a', toolsetDigest: 't' };
  const definitions = definedAs(digests, { agent, tools });
  const message = receiveMessage(log.reduce(evolve, initialState), {
    text: 'go',
    runId: 'r',
    agent: { ...digests, definitions, ...(calling && { calling }) },
    instance: 'me',
    bearerTokenPresent: false,
    now: 0,
  });
  if (message.kind !== 'append') throw new Error(message.kind);
  begin(message.facts);
  const asked: ModelRequest[] = [];
  const shown: { readonly turn: number; readonly attempt: number }[] = [];
  const inMemory: ConversationLog = {
    append: async (append) => {
      // Models answer faster than the log.
      await new Promise((done) => setImmediate(done));
      const instead = await before(append, { asked, log });
      if (instead !== undefined) return instead;
      add(append);
      return { kind: 'appended', revision: log.length };
    },
    read: async function* (_, from) {
      yield* log.slice(from - 1);
    },
    follow: async function* () {},
    load: async (conversationId) => ({ conversationId, state: log.reduce(evolve, initialState), knownKeys: [] }),
    openRuns: async () => [],
    watchedRuns: async () => [],
    view: () => Promise.reject(new Error('not viewed here')),
  };
  const forModel = (name: string) => ({
    takes: () => false,
    generate: async (request: ModelRequest, { onDelta }: { readonly onDelta?: (text: string) => void }) => {
      asked.push(request);
      onDelta?.('…');
      const answer = answers[name]?.[asked.filter((one) => one.model === name).length - 1];
      if (answer === undefined) throw new Error(`${name} was asked once too often`);
      return { kind: 'answer', answer: await answer } as const;
    },
  });
  const start = {
    state: log.reduce(evolve, initialState),
    definitions,
    me: message.me,
  };
  let looks = 0;
  const changed = (): void => {
    looks += 1;
    if (looks > looksMax) throw new Error('the driver does nothing, and does not end');
  };
  const listener = { changed, handedIn: () => undefined, faulted: () => undefined };
  const deltas = { ...ports.deltas, publish: (piece: (typeof shown)[number]) => void shown.push(piece) };
  const unasked: unknown[] = [];
  const onUnasked = (call: unknown) => void unasked.push(call);
  const sleep = async (): Promise<void> => {
    onSleep?.(ports.waits.told('c'));
    await new Promise((done) => setImmediate(done));
  };
  const clock: Clock = { now: () => 0, monotonic: () => 0, sleep };
  const awake = onSleep === undefined ? {} : { clock };
  const all = {
    ...ports,
    ...awake,
    log: inMemory,
    models: { forModel },
    deltas,
    onUnasked,
    agents,
    ...(memories && { memories }),
  };
  await new RunDriver(start, all, new Transcripts(inMemory), listener).drive();
  const { run } = log.reduce(evolve, initialState);
  const transcript = await new Transcripts(inMemory).upTo('c', log.length, new AbortController().signal);
  return {
    asked,
    unasked,
    shown,
    log,
    most,
    status: run?.status,
    response: outputText(run?.output ?? [], (at) => transcript.textAt(at)),
  };
}
