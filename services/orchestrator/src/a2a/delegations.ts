/**
 * The way to other agents over A2A.
 *
 * 1. A message goes out once per call of `delegate`: nothing here repeats it.
 * 2. What is certain of a failure decides what becomes of it: what nobody took is unavailable, what an agent answers is an
 *    outcome, and everything else is for whoever asks.
 * 3. An agent is talked to at the address that is configured for it, in the newest version that its card offers there.
 */
import type { Clock } from '@stopgo/log';
import type { BoundedFetch } from '../bounded-fetch.ts';
import type {
  AgentAsks,
  Callback,
  CallbackAnswer,
  DelegationAnswer,
  DelegationOutcome,
  DelegationPort,
  DelegationRequest,
  DelegationUpdate,
  LookedUp,
} from '../delegation-port.ts';
import { createAgentFetch, createBareFetch } from './agent-fetch.ts';
import { answerMessage } from './answer-message.ts';
import { listPauseMostMs, pollPauseMs } from './bounds.ts';
import { callHeaders, takesToken } from './call-headers.ts';
import { cutQuestions } from './cut-questions.ts';
import type { Endpoint } from './endpoint.ts';
import { AgentFailed, NoSuchTask, NotTaken, TokenWanted } from './failures.ts';
import {
  askAbout,
  askToNotify,
  awaitEnd,
  cancelTask,
  findInContext,
  type InContext,
  isAtRest,
  type Line,
  sendMessage,
} from './follow-task.ts';
import { GrpcTransports } from './grpc-transports.ts';
import { Kept } from './kept.ts';
import { KnownAgents } from './known-agents.ts';
import { legacyPeer } from './legacy-peer.ts';
import { hasEnded, type RemoteAnswer, type RemoteTaskSeen } from './remote-answer.ts';
import { sdkPeer } from './sdk-peer.ts';
import { type Said, SentTokens } from './sent-tokens.ts';
import { toldError } from './told-error.ts';

/** Is told of an agent whose card has it reached at an origin that is not shown the token. */
export type TokenWithheld = (agent: string, origin: string) => void;

/** Origins that are remembered as told. */
const originsToldMax = 1_024;

/** The agent has named no task that this would be about. */
const noTask = { id: '', state: '' };

export class A2aDelegations implements DelegationPort {
  readonly #clock: Clock;
  readonly #fetch: BoundedFetch;
  readonly #grpc = new GrpcTransports();
  readonly #agents: KnownAgents;
  readonly #tokens: SentTokens;
  readonly #onTokenWithheld: TokenWithheld;
  /** Origins that were told. */
  readonly #withheld = new Kept<true>(originsToldMax);

  /** `secrets`: see `SentTokens`. */
  constructor(clock: Clock, secrets: readonly string[] = [], onTokenWithheld: TokenWithheld = () => undefined) {
    this.#tokens = new SentTokens(secrets);
    this.#onTokenWithheld = onTokenWithheld;
    const bare = createBareFetch();
    this.#clock = clock;
    this.#fetch = createAgentFetch(bare);
    this.#agents = new KnownAgents(bare, clock);
  }

  async delegate(
    request: DelegationRequest,
    tell: (update: DelegationUpdate) => void,
    signal: AbortSignal,
  ): Promise<DelegationOutcome> {
    const startedAt = this.#clock.monotonic();
    const { url } = request.agent;
    const since = (): number => Math.round(this.#clock.monotonic() - startedAt);
    const redact = this.#tokens.redactor(request);
    const leftAlone = this.#agents.leftAlone(url);
    if (leftAlone !== undefined) return { kind: 'unavailable', message: leftAlone };
    let endpoint: Endpoint | undefined;
    try {
      endpoint = await this.#agents.endpoint(url, signal);
      return await this.#deliver(request, endpoint, tell, signal, since);
    } catch (error) {
      signal.throwIfAborted();
      this.#count(url, error);
      if (error instanceof TokenWanted) return { kind: 'unauthenticated' };
      if (error instanceof NotTaken || error instanceof NoSuchTask) {
        this.#agents.forget(url);
        return { kind: 'unavailable', message: redact(error.message) };
      }
      // An agent that takes a message once may have taken this one before, whatever it says now.
      if (error instanceof AgentFailed && endpoint?.isIdempotent === false)
        return { kind: 'finished', task: noTask, text: redact(error.message), isError: true, durationMs: since() };
      throw toldError(error, redact);
    }
  }

  async answer(
    request: DelegationRequest,
    answer: DelegationAnswer,
    tell: (update: DelegationUpdate) => void,
    signal: AbortSignal,
    mayGo: () => Promise<boolean>,
  ): ReturnType<DelegationPort['answer']> {
    const startedAt = this.#clock.monotonic();
    const { url } = request.agent;
    const redact = this.#tokens.redactor(request);
    const ready = await this.#ready(request, signal).catch((error: Error) => {
      signal.throwIfAborted();
      this.#count(url, error);
      return { kind: 'unavailable', message: redact(error.message) } as const;
    });
    if ('kind' in ready) return ready;
    const { endpoint, line } = ready;
    if (!(await mayGo())) return { kind: 'held' };
    try {
      const told = newStates((task) => tell(updateOf(this.#told(request, task))));
      const { messageId, isOneOfSeveral } = answer;
      const { taskId } = request;
      const sending = { ...answerMessage(answer, endpoint.dialect), messageId, taskId, contextId: '' };
      const said = await sendMessage(line, sending, told, isOneOfSeveral);
      if (isOneOfSeveral && said.kind === 'task' && !isAtRest(said.task)) {
        this.#agents.answered(url);
        return { kind: 'running', ...updateOf(this.#told(request, said.task)) };
      }
      const since = (): number => Math.round(this.#clock.monotonic() - startedAt);
      return await this.#outcomeOf(request, endpoint, line, said, told, since);
    } catch (error) {
      signal.throwIfAborted();
      this.#count(url, error);
      if (error instanceof TokenWanted) return { kind: 'unauthenticated' };
      if (error instanceof NotTaken || error instanceof NoSuchTask)
        return { kind: 'unavailable', message: redact(error.message) };
      if (error instanceof AgentFailed) return { kind: 'failed', message: redact(error.message) };
      throw toldError(error, redact);
    }
  }

  async lookUp(request: DelegationRequest, signal: AbortSignal): Promise<LookedUp> {
    try {
      return await this.#seen(request, signal);
    } catch (error) {
      if (error instanceof TokenWanted) {
        this.#agents.answered(request.agent.url);
        return { kind: 'unauthenticated' };
      }
      // The agent may repeat a token that whoever looks does not have.
      throw toldError(error, this.#tokens.redactor(request));
    }
  }

  async #seen(request: DelegationRequest, signal: AbortSignal): Promise<LookedUp> {
    const { agent } = request;
    const { endpoint, line } = await this.#ready(request, signal);
    let found = await this.#find(request, line);
    // What is on its way may still arrive. Where it may be sent again nobody has to wait for that.
    for (let pauseMs = pollPauseMs; found.kind === 'none' && !endpoint.isIdempotent; pauseMs *= 2) {
      if (pauseMs > listPauseMostMs) break;
      await this.#clock.sleep(pauseMs, signal);
      found = await this.#find(request, line);
    }
    this.#agents.answered(agent.url);
    if (found.kind === 'several') return unknown(`${agent.name} shows several tasks for one message`);
    if (found.kind !== 'task')
      return endpoint.isIdempotent
        ? { kind: 'repeatable' }
        : unknown(`${agent.name} was sent the message, and cannot say what became of it`);
    try {
      const task = this.#told(request, await askAbout(line, found.id));
      if (task.questions.length > 0) return asks(task, endpoint);
      if (!hasEnded(task.state)) return { kind: 'running', ...updateOf(task) };
      return { kind: 'outcome', outcome: finished(task, 0) };
    } catch (error) {
      if (!(error instanceof NoSuchTask)) throw error;
      const id = this.#tokens.redactor(request)(found.id);
      return unknown(`${agent.name} knows nothing of the task ${id} any more`);
    }
  }

  async cancel(request: DelegationRequest): Promise<void> {
    const never = new AbortController().signal;
    const { line } = await this.#ready(request, never);
    const found = await this.#find(request, line);
    if (found.kind === 'task') await cancelTask(line, found.id);
  }

  async notify(request: DelegationRequest, callback: Callback, signal: AbortSignal): Promise<CallbackAnswer> {
    const redact = this.#tokens.redactor(request, callback.token);
    try {
      const { endpoint, line } = await this.#ready(request, signal);
      if (!endpoint.notifies || line.peer.notify === undefined) return { kind: 'not_offered' };
      const found = await this.#find(request, line);
      if (found.kind !== 'task') return { kind: 'refused', reason: 'it names no task' };
      await askToNotify(line, found.id, callback);
      return { kind: 'taken' };
    } catch (error) {
      const isSure = error instanceof AgentFailed || error instanceof NoSuchTask;
      if (isSure || (error instanceof NotTaken && !error.isOutage))
        return { kind: 'refused', reason: redact(error.message) };
      throw toldError(error, redact);
    }
  }

  /** What an agent says that it is good for; may be empty. Rejects if its card cannot be read. */
  async about(url: string, signal: AbortSignal): Promise<string> {
    return (await this.#agents.endpoint(url, signal)).about;
  }

  async #find({ taskId, contextId }: DelegationRequest, line: Line): Promise<InContext> {
    return taskId === '' ? await findInContext(line, contextId) : { kind: 'task', id: taskId };
  }

  async #deliver(
    request: DelegationRequest,
    endpoint: Endpoint,
    tell: (update: DelegationUpdate) => void,
    signal: AbortSignal,
    since: () => number,
  ): Promise<DelegationOutcome> {
    const { message: text, messageId, contextId } = request;
    const line = await this.#line(request, endpoint, signal);
    const told = newStates((task) => tell(updateOf(this.#told(request, task))));
    const answer = await sendMessage(line, { text, messageId, contextId }, told);
    return this.#outcomeOf(request, endpoint, line, answer, told, since);
  }

  /** What the task of an answer comes to, or waits for. */
  async #outcomeOf(
    request: DelegationRequest,
    endpoint: Endpoint,
    line: Line,
    answer: RemoteAnswer,
    told: (task: RemoteTaskSeen) => void,
    since: () => number,
  ): Promise<Extract<DelegationOutcome, { kind: 'finished' | 'asks' }>> {
    this.#agents.answered(request.agent.url);
    if (answer.kind === 'message') {
      const said = this.#told(request, answer);
      return { kind: 'finished', task: noTask, text: said.text, isError: false, durationMs: since() };
    }
    const { task } = answer;
    const last = this.#told(request, isAtRest(task) ? task : await followed(line, task, told));
    return last.questions.length > 0 ? asks(last, endpoint) : finished(last, since());
  }

  /** Where an agent is talked to, and how: all that is needed before something is sent. */
  async #ready(
    request: DelegationRequest,
    signal: AbortSignal,
  ): Promise<{ readonly endpoint: Endpoint; readonly line: Line }> {
    const endpoint = await this.#agents.endpoint(request.agent.url, signal);
    return { endpoint, line: await this.#line(request, endpoint, signal) };
  }

  /** What an agent says, as it may go on the record. */
  #told<T extends Said>(request: DelegationRequest, said: T): T {
    return cutQuestions(this.#tokens.hidden(request, said));
  }

  async #line(request: DelegationRequest, endpoint: Endpoint, signal: AbortSignal): Promise<Line> {
    const { url, dialect } = endpoint;
    this.#tokens.note(request);
    this.#tellWithheld(request, url);
    const peer =
      dialect === 'legacy'
        ? legacyPeer(url, this.#fetch)
        : await sdkPeer(endpoint, { fetch: this.#fetch, grpc: this.#grpc });
    return { peer, headers: callHeaders(request, url), clock: this.#clock, signal };
  }

  /** Says once of each origin that it is not shown the token. */
  #tellWithheld({ agent, bearer }: DelegationRequest, url: string): void {
    if (bearer === undefined || !agent.forwardsBearer || takesToken(agent, url)) return;
    const { origin } = new URL(url);
    if (this.#withheld.get(`${agent.name} ${origin}`) !== undefined) return;
    this.#withheld.set(`${agent.name} ${origin}`, true);
    this.#onTokenWithheld(agent.name, origin);
  }

  /** An agent that answers is there, whatever it says. */
  #count(url: string, error: unknown): void {
    const isThere =
      error instanceof TokenWanted ||
      error instanceof AgentFailed ||
      error instanceof NoSuchTask ||
      (error instanceof NotTaken && !error.isOutage);
    if (isThere) this.#agents.answered(url);
    else this.#agents.failed(url);
  }
}

/** Waits for the end of a task that is known. Whatever goes wrong by now says nothing of the message: it was taken. */
async function followed(
  line: Line,
  task: RemoteTaskSeen,
  told: (task: RemoteTaskSeen) => void,
): Promise<RemoteTaskSeen> {
  try {
    return await awaitEnd(line, task, told);
  } catch (error) {
    throw new Error('the agent was lost while its task went on', { cause: error });
  }
}

/** Tells each state that is new and goes on: what the task comes to, or waits for, is told otherwise. */
function newStates(tell: (task: RemoteTaskSeen) => void) {
  let toldLast = '';
  return (task: RemoteTaskSeen): void => {
    const now = `${task.state} ${task.id}`;
    if (now !== toldLast && !isAtRest(task)) tell(task);
    toldLast = now;
  };
}

function asks({ id, state, text, questions }: RemoteTaskSeen, { isIdempotent }: Endpoint): AgentAsks {
  return { kind: 'asks', task: { id, state }, text, questions, isIdempotent };
}

function finished(
  { id, state, text }: RemoteTaskSeen,
  durationMs: number,
): Extract<DelegationOutcome, { kind: 'finished' }> {
  return { kind: 'finished', task: { id, state }, text, isError: state !== 'completed', durationMs };
}

function updateOf({ id, state, text }: RemoteTaskSeen): DelegationUpdate {
  return { task: { id, state }, text };
}

function unknown(message: string): LookedUp {
  return { kind: 'unknown', message };
}
