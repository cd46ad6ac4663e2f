/** One conversation in memory whose tool server has asked something in the midst of a call, and processes that drive its run. */
import {
  type AgentDefinition,
  type ConversationState,
  createConversation,
  decideRun,
  definedAs,
  evolve,
  type Fact,
  type FactName,
  type FactOf,
  fact,
  hasWork,
  type InputAction,
  initialState,
  nextDue,
  type OfferedTool,
  type Owner,
  provideInput,
  type RecordedFact,
  type RunCommand,
  receiveMessage,
  serverQuestions,
} from '@stopgo/core';
import { type Append, type ConversationLog, recordedOf } from '@stopgo/log';
import type { DriverPorts } from '../../src/driver/handle/ports.ts';
import { Transcripts } from '../../src/driver/handle/transcripts.ts';
import { Registry } from '../../src/driver/run/registry.ts';
import { RunDriver } from '../../src/driver/run/run-driver.ts';
import type { AskedQuestions, FenceOutcome, QuestionAnswer } from '../../src/tool-port.ts';
import { driverWith, HandClock } from './one-driver.ts';

const callId = 'root#1.0';
const agent: AgentDefinition = {
  name: 'agent',
  root: {
    type: 'llm',
    name: 'agent',
    model: 'm',
    prompt: '',
    outputKey: '',
    canExitLoop: false,
    turnsMax: 5,
    approval: 'default',
  },
};
const order: OfferedTool = {
  target: { kind: 'tool', server: 'shop' },
  name: 'order',
  description: '',
  inputSchemaJson: '{}',
  pin: 'p',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  approvalRequired: false,
  forwardsBearer: false,
};
const tools = new Map([[order.name, order]]);
const digests = { agentDigest: 'a', toolsetDigest: 't' };
const definitions = definedAs(digests, { agent, tools });

/** A question that is waited for until a time. */
export const question = (id: string, waitMs: number): AskedQuestions[number] => {
  return { id, message: 'How many?', schemaJson: '', url: 'https://shop.example/pay', waitMs };
};

/** Lets everything happen that needs no time. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
}

export class AskingServer {
  readonly clock = new HandClock();
  readonly log: RecordedFact[] = [];
  /** Facts of each append, in order. */
  readonly appends: (readonly FactName[])[] = [];
  /** What was handed to the bridge. */
  readonly handed: QuestionAnswer[] = [];
  /** What somebody else does right before an append that holds such a fact. */
  before: { readonly fact: FactName; readonly happens: () => void } | undefined;
  private open: AskedQuestions;
  private readonly watching = new Set<() => void>();

  /** The first process has recorded at the time 0 what is asked. */
  constructor(...questions: AskedQuestions) {
    this.open = questions;
    this.append(createConversation({ id: 'c', sessionId: 's', agentName: 'agent', systemPrompt: '' }));
    const message = receiveMessage(this.state, {
      ...{
        text: 'go',
        runId: 'r',
        agent: { ...digests, definitions },
        instance: 'first',
        bearerTokenPresent: false,
        now: 0,
      },
    });
    if (message.kind !== 'append') throw new Error(message.kind);
    this.append(message.facts);
    const calls = [{ name: 'order', providerCallId: '', argumentsJson: '{}' }];
    const model = { provider: 'p', model: 'm', usage: { inputTokens: 1, outputTokens: 1 }, stopReason: 'end' };
    const opaque = new Uint8Array();
    this.recorded({ type: 'modelAnswered', stepId: 'root', turn: 1, text: '', calls, opaque, ...model });
    this.recorded({ type: 'startCall', callId, attempt: 1, bridge: 'bridge' });
    this.recorded({ type: 'callAsked', callId, attempt: 1, bridge: 'bridge', questions });
  }

  get state(): ConversationState {
    return this.log.reduce(evolve, initialState);
  }

  get names(): readonly FactName[] {
    return this.log.map(({ fact: { case: name } }) => name);
  }

  all<N extends FactName>(name: N): readonly FactOf<N>[] {
    return this.log.flatMap(({ fact: one }) => (one.case === name ? [one.value as FactOf<N>] : []));
  }

  /** Somebody else writes. */
  append(facts: readonly Fact[]): void {
    const frame = {
      stream: 'conversation-c',
      actor: { kind: 'user', id: 'ada' },
      correlationId: '',
      causationId: '',
    } as const;
    const eventIds = facts.map(() => 'id');
    this.add({ ...frame, expectedRevision: this.log.length, facts, key: '', now: this.clock.now(), eventIds });
  }

  /** What somebody's answer to the oldest question puts on the record; the refusal, if there is one. */
  answers(action: InputAction, inputId = serverQuestions(this.state.run)[0]?.id ?? '') {
    const decided = provideInput(this.state, { now: 0, inputId, action, contentJson: '' });
    if (decided.kind === 'append') this.append(decided.facts);
    return decided;
  }

  /** The run as if nobody needed to drive it: its call is in doubt, and a person has been asked something else meanwhile. */
  released(dueAt: number): void {
    const [input] = this.all('inputRequested');
    this.recorded({ type: 'callUnknown', callId, attempt: 1, reason: 'it died', argumentsJson: '{}' });
    if (input === undefined) throw new Error('nothing was asked');
    const due = { seconds: BigInt(Math.floor(dueAt / 1_000)), nanos: (dueAt % 1_000) * 1_000_000 };
    const { inputId: _, dueAt: __, $typeName: ___, ...asked } = input;
    this.append([fact('inputRequested', { ...asked, inputId: 'later', dueAt: due })]);
  }

  /** A process that drives the run; without an owner of its own it has to claim it from those that are dead to it. */
  process(instance: string, me?: Owner, dead: readonly string[] = ['first']) {
    const all = this.ports(instance, dead);
    const listener = { changed: () => undefined, handedIn: () => undefined, faulted: () => undefined };
    const start = { state: this.state, definitions, ...(me === undefined ? {} : { me }) };
    const driver = new RunDriver(start, all, new Transcripts(all.log), listener);
    return { driver, ended: driver.drive() };
  }

  /** The process that recorded what is asked goes on. */
  first() {
    return this.process('first', { instance: 'first', epoch: 1 });
  }

  registry(instance: string, dead: readonly string[] = ['first']): Registry {
    const source = { agent: async () => agent, toolset: async () => tools, policy: async () => ({ rules: [] }) };
    return new Registry(this.ports(instance, dead), source, 10);
  }

  private recorded(command: RunCommand): void {
    const me = this.state.run?.owner ?? { instance: 'first', epoch: 1 };
    const decided = decideRun(this.state, [command], { definitions, runId: 'r', me, now: this.clock.now() });
    if (decided.kind !== 'append') throw new Error(decided.kind);
    this.append(decided.facts);
  }

  private add(append: Append): void {
    this.appends.push(append.facts.map((one) => one.case));
    this.log.push(...recordedOf(append));
    this.tell();
  }

  private tell(): void {
    for (const wake of [...this.watching]) wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.watching.delete(wake);
        resolve();
      };
      this.watching.add(wake);
    });
  }

  private ports(instance: string, dead: readonly string[]): DriverPorts {
    const { ports } = driverWith({ dead: new Set(dead), alive: ['bridge'] });
    const never = new Promise<never>(() => undefined);
    return {
      ...ports,
      instance,
      clock: this.clock,
      log: this.port(),
      models: { forModel: () => ({ takes: () => false, generate: () => never }) },
      tools: {
        ...ports.tools,
        fence: async (_key, _bridge, news): Promise<FenceOutcome> => {
          while (news !== undefined && news.known.length === this.open.length) await this.change();
          if (this.open.length > 0) return { kind: 'running', questions: this.open, lapsed: [] };
          return { kind: 'outcome', outcome: { kind: 'finished', content: 'done', isError: false, durationMs: 1 } };
        },
        answer: async (_key, _bridge, answer) => {
          this.handed.push(answer);
          const isOpen = this.open.some(({ id }) => id === answer.questionId);
          this.open = this.open.filter(({ id }) => id !== answer.questionId);
          this.tell();
          return isOpen ? 'taken' : 'late';
        },
      },
    };
  }

  private port(): ConversationLog {
    return {
      append: async (append) => {
        await new Promise((next) => setImmediate(next));
        const { before } = this;
        if (before !== undefined && append.facts.some((one) => one.case === before.fact)) {
          this.before = undefined;
          before.happens();
        }
        const { log } = this;
        if (append.expectedRevision !== log.length)
          return { kind: 'conflict', currentRevision: log.length, unseen: log.slice(append.expectedRevision) };
        this.add(append);
        return { kind: 'appended', revision: log.length };
      },
      read: async function* (this: AskingServer, _: string, from: number) {
        yield* this.log.slice(from - 1);
      }.bind(this),
      follow: async function* () {},
      load: async () => ({ conversationId: 'c', state: this.state, knownKeys: [] }),
      openRuns: async (dueBy) => {
        const { run, revision } = this.state;
        if (run === null || run.status !== 'open') return [];
        const isListed = run.owner !== null || hasWork(run) || (nextDue(run) ?? Number.POSITIVE_INFINITY) <= dueBy;
        const ownerInstance = run.owner?.instance ?? '';
        return isListed ? [{ conversationId: 'c', runId: run.id, ownerInstance, revision }] : [];
      },
      watchedRuns: async () => [],
      view: () => Promise.reject(new Error('not viewed here')),
    };
  }
}
