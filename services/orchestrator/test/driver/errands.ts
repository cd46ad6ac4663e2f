/** One conversation in memory, drivers of its run in processes of their own, and one agent that does as it is told. */
import {
  type AgentDefinition,
  type AgentNode,
  type ConversationState,
  cancelRun,
  createConversation,
  type Definitions,
  definedAs,
  evolve,
  type Fact,
  type FactName,
  type FactOf,
  type HumanDecision,
  initialState,
  outputText,
  parkedTasks,
  type RecordedFact,
  type RemoteAgent,
  receiveMessage,
  resolveApproval,
} from '@stopgo/core';
import { type Append, type ConversationLog, recordedOf } from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import type {
  Callback,
  DelegationAnswer,
  DelegationPort,
  DelegationRequest,
  DelegationUpdate,
} from '../../src/delegation-port.ts';
import type { DriverPorts } from '../../src/driver/handle/ports.ts';
import { Transcripts } from '../../src/driver/handle/transcripts.ts';
import { RunDriver } from '../../src/driver/run/run-driver.ts';
import type { ModelAnswer, ModelRequest } from '../../src/models/port.ts';
import { driverWith, type HandClock } from './one-driver.ts';

export const peer: RemoteAgent = {
  name: 'peer',
  url: 'https://peer.example.com/a2a',
  description: 'It peers.',
  destructive: false,
  forwardsBearer: true,
};

const digests = { agentDigest: 'a', toolsetDigest: 't' };

type Sent = { readonly request: DelegationRequest; readonly on: readonly FactName[] };

/** What the agent answers, one after the other; what is not given never answers. */
export type Script = {
  readonly delegate?: readonly Answer<DelegationPort['delegate']>[];
  readonly lookUp?: readonly Answer<DelegationPort['lookUp']>[];
  readonly answer?: readonly Answer<DelegationPort['answer']>[];
  readonly notify?: readonly Answer<DelegationPort['notify']>[];
};
type Answer<F extends (...args: never[]) => Promise<unknown>> =
  | Awaited<ReturnType<F>>
  | Error
  | ((request: DelegationRequest, tell: (update: DelegationUpdate) => void) => ReturnType<F>);

export const lost = new Error('the connection broke');
export const done = (text: string) =>
  ({ kind: 'finished', task: { id: 'task-1', state: 'completed' }, text, isError: false, durationMs: 5 }) as const;

/** Lets everything happen that needs no time. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
}

type Process = {
  readonly me?: { instance: string; epoch: number };
  readonly bearer?: Secret;
  readonly isFresh?: () => boolean;
  /** Processes that are known to be dead; without more, all before. */
  readonly dead?: readonly string[];
};

export class Errand {
  readonly log: RecordedFact[] = [];
  /** What was sent, and what was on the record by then. */
  readonly sent: Sent[] = [];
  readonly asked: DelegationRequest[] = [];
  readonly canceled: DelegationRequest[] = [];
  /** Callbacks that the agent was given. */
  readonly offered: { readonly request: DelegationRequest; readonly callback: Callback }[] = [];
  /** Answers that were sent, and what was on the record by then. */
  readonly answered: { readonly answer: DelegationAnswer; readonly on: readonly FactName[] }[] = [];
  readonly told: ModelRequest[] = [];
  /** What another process does right before an append of one that holds such a fact. */
  before: { readonly fact: FactName; readonly happens: () => void } | undefined;
  /** What an answer waits for before it can be sent. */
  ready: (() => Promise<void>) | undefined;
  /** What reading the log waits for, or fails with. */
  reading: ((from: number) => Promise<void>) | undefined;
  readonly agent: AgentDefinition;
  private readonly script: Script;
  private readonly answers: readonly ModelAnswer[];
  private readonly waiting = new Set<() => void>();

  constructor(root: AgentNode, script: Script, answers: readonly ModelAnswer[] = [], bearerTokenPresent = false) {
    this.agent = { name: 'agent', root };
    this.script = script;
    this.answers = answers;
    this.append(createConversation({ id: 'c', sessionId: 'abc', agentName: 'agent', systemPrompt: '' }));
    this.hears('Buy bread.', 'r', bearerTokenPresent);
  }

  /** Its agent, which has no tools. */
  get definitions(): Definitions {
    return definedAs(digests, { agent: this.agent, tools: new Map() });
  }

  get state(): ConversationState {
    return this.log.reduce(evolve, initialState);
  }

  get names(): readonly FactName[] {
    return this.log.map(({ fact }) => fact.case);
  }

  /** The facts of one kind. */
  all<N extends FactName>(name: N): readonly FactOf<N>[] {
    return this.log.flatMap(({ fact }) => (fact.case === name ? [fact.value as FactOf<N>] : []));
  }

  async response(): Promise<string> {
    const transcript = await new Transcripts(this.port()).upTo('c', this.log.length, new AbortController().signal);
    return outputText(this.state.run?.output ?? [], (at) => transcript.textAt(at));
  }

  /** Somebody else writes. */
  append(facts: readonly Fact[]): void {
    const frame = {
      stream: 'conversation-c',
      actor: { kind: 'system', id: '' },
      correlationId: '',
      causationId: '',
    } as const;
    this.add({ ...frame, expectedRevision: this.log.length, facts, key: '', now: 0, eventIds: facts.map(() => 'id') });
  }

  /** A process that drives the run from what is on the record; without an owner of its own it has to claim it. */
  process(name: string, { me, bearer, isFresh = () => true, dead = name === 'first' ? [] : ['first'] }: Process = {}) {
    const { ports, clock } = driverWith({ dead: new Set(dead) });
    let renew: () => void = () => undefined;
    const renewed = new Promise<void>((resolve) => {
      renew = resolve;
    });
    const all = {
      ...ports,
      instance: name,
      log: this.port(),
      delegations: this.delegations(),
      models: { forModel: () => ({ takes: () => false, generate: (request: ModelRequest) => this.generate(request) }) },
      liveness: { ...ports.liveness, isFresh, renewed: () => renewed },
    };
    const listener = { changed: () => undefined, handedIn: () => undefined, faulted: () => undefined };
    const start = {
      state: this.state,
      definitions: this.definitions,
      ...(me && { me }),
      ...(bearer && { bearer }),
    };
    const driver = new RunDriver(start, all, new Transcripts(all.log), listener);
    return { driver, clock, renew, ended: driver.drive() };
  }

  /** A message comes, and a run begins. */
  hears(text: string, runId: string, bearerTokenPresent = false): void {
    const begun = receiveMessage(this.state, {
      text,
      runId,
      agent: { ...digests, definitions: this.definitions },
      instance: 'first',
      bearerTokenPresent,
      now: 0,
    });
    if (begun.kind !== 'append') throw new Error(begun.kind);
    this.append(begun.facts);
  }

  /** Somebody cancels the run. */
  cancel(): void {
    const canceled = cancelRun(this.state, { reason: '' });
    if (canceled.kind !== 'append') throw new Error(canceled.kind);
    this.append(canceled.facts);
  }

  /** What a process needs that looks at the run while nobody drives it. */
  watcher(instance: string, alive: readonly string[], clock: HandClock): DriverPorts {
    const { ports } = driverWith({});
    const peers = alive.map((one) => ({ instance: one, role: 'orchestrator', address: '', counter: 1 }) as const);
    const log = { ...this.port(), watchedRuns: async () => this.watched() };
    return {
      ...ports,
      instance,
      clock,
      log,
      delegations: this.delegations(),
      liveness: { ...ports.liveness, alive: () => peers },
    };
  }

  /** What a decision on the latest approval puts on the record. */
  decision(decision: HumanDecision): readonly Fact[] {
    const approvalId = this.all('approvalRequested').at(-1)?.approvalId ?? '';
    const resolved = resolveApproval(this.state, { approvalId, decision });
    if (resolved.kind !== 'append') throw new Error(resolved.kind);
    return resolved.facts;
  }

  private watched() {
    const { revision } = this.state;
    const first = parkedTasks(this.state)[0];
    return first === undefined ? [] : [{ conversationId: 'c', runId: first.runId, ownerInstance: '', revision }];
  }

  /** The process that took the message. */
  first(how: Omit<Process, 'me'> = {}) {
    return this.process('first', { ...how, me: { instance: 'first', epoch: 1 } });
  }

  private add(append: Append): void {
    this.log.push(...recordedOf(append));
    for (const wake of [...this.waiting]) wake();
  }

  private delegations(): DelegationPort {
    return {
      delegate: (request, tell, signal) => {
        this.sent.push({ request, on: this.names });
        return orAborted(played(this.script.delegate?.[this.sent.length - 1], request, tell), signal);
      },
      answer: async (request, answer, tell, signal, mayGo) => {
        await this.ready?.();
        if (!(await mayGo())) return { kind: 'held' };
        this.answered.push({ answer, on: this.names });
        return orAborted(played(this.script.answer?.[this.answered.length - 1], request, tell), signal);
      },
      lookUp: (request, signal) => {
        this.asked.push(request);
        const answer = this.script.lookUp?.[this.asked.length - 1];
        return orAborted(
          played(answer ?? (this.script.lookUp && lost), request, () => undefined),
          signal,
        );
      },
      notify: async (request, callback, signal) => {
        this.offered.push({ request, callback });
        return orAborted(
          played(this.script.notify?.[this.offered.length - 1], request, () => undefined),
          signal,
        );
      },
      cancel: async (request) => {
        this.canceled.push(request);
      },
    };
  }

  private async generate(request: ModelRequest) {
    this.told.push(request);
    const answer = this.answers[this.told.length - 1];
    if (answer === undefined) throw new Error('the model was asked once too often');
    return { kind: 'answer', answer } as const;
  }

  private port(): ConversationLog {
    const { log, waiting } = this;
    const reading = (from: number): Promise<void> | undefined => this.reading?.(from);
    return {
      append: async (append) => {
        await new Promise((next) => setImmediate(next));
        const { expectedRevision, facts } = append;
        const { before } = this;
        if (before !== undefined && facts.some((one) => one.case === before.fact)) {
          this.before = undefined;
          before.happens();
        }
        if (expectedRevision !== log.length)
          return { kind: 'conflict', currentRevision: log.length, unseen: log.slice(expectedRevision) };
        this.add(append);
        return { kind: 'appended', revision: log.length };
      },
      read: async function* (_, from) {
        await reading(from);
        yield* log.slice(from - 1);
      },
      follow: async function* (_, from, signal) {
        for (let next = from; !signal.aborted; ) {
          for (; next <= log.length; next += 1) yield log[next - 1] as RecordedFact;
          await new Promise<void>((wake) => {
            waiting.add(wake);
            signal.addEventListener('abort', () => wake(), { once: true });
          });
        }
      },
      load: async () => ({ conversationId: 'c', state: this.state, knownKeys: [] }),
      openRuns: async () => [],
      watchedRuns: async () => [],
      view: () => Promise.reject(new Error('not viewed here')),
    };
  }
}

function played<T>(
  answer:
    | T
    | Error
    | undefined
    | ((request: DelegationRequest, tell: (update: DelegationUpdate) => void) => Promise<T>),
  request: DelegationRequest,
  tell: (update: DelegationUpdate) => void,
): Promise<T> {
  if (answer === undefined) return new Promise(() => undefined);
  if (answer instanceof Error) return Promise.reject(answer);
  // A function here is a script, never an answer.
  return answer instanceof Function ? answer(request, tell) : Promise.resolve(answer);
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
