/**
 * Watches the tasks of other agents that wait for an answer here. Nobody drives their runs, so whoever is alive looks.
 *
 * 1. It finds them in the store, so that any process goes on watching after any other.
 * 2. A look changes nothing at the agent. What it shows is put on the record only if the questions are still those that were
 *    looked at, and nobody is about to answer one.
 * 3. The task of a run that has ended here is ended there, too.
 * 4. An agent that calls back says only that its task has changed; what has become of it a look shows. Calls may be lost: the
 *    task is looked at from time to time as well.
 */
import {
  type AskedIn,
  type CallState,
  type ConversationState,
  decideLate,
  delegationAsked,
  dueAnswers,
  type Fact,
  type LeftElsewhere,
  notifyOf,
  parkedTasks,
  type RunState,
  remoteAgentOf,
  sha256Hex,
} from '@stopgo/core';
import { type DefinitionSource, handOver } from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import type { DelegationRequest, LookedUp } from '../../delegation-port.ts';
import { believed, lookedUp } from '../handle/agent-news.ts';
import type { DriverPorts } from '../handle/ports.ts';
import { delegationCommand } from './delegation-outcome.ts';
import type { Registrations } from './registrations.ts';
import { hadToken } from './send-delegation.ts';

/** How often a task is looked at while nothing happens, first and in the end, in milliseconds. */
export type WatchTimes = { readonly firstMs: number; readonly mostMs: number };
export const watchTimes: WatchTimes = { firstMs: 15_000, mostMs: 300_000 };

/** The pause between looks at tasks whose agents call back, in milliseconds. */
const calledBackPauseMs = 900_000;
/** Runs that are looked at together, and tasks of one run. */
const togetherMax = 16;
/** Longest look at a task, in milliseconds. */
const lookMs = 5_000;
/**
 * How long a task that was under way when its run ended is left to whoever sent it, in milliseconds from when it was first seen
 * here: longer than that is looked for there. Then that process is gone.
 */
const sendersTimeMs = 180_000;
/** How long the other tasks of an agent are left alone that took too long over one, in milliseconds. */
const leftAloneMs = 30_000;
/** Looks at a task that is to be ended and cannot be; then it is noted that nobody knows what became of it. */
const endingsMax = 20;
/** What is heard of a task that may go on there. */
const goesOn: ReadonlySet<LookedUp['kind']> = new Set(['asks', 'running', 'unauthenticated']);
/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const looksTooLong = new Error('the look took too long');

export type WatchParts = {
  readonly ports: DriverPorts;
  readonly definitions: DefinitionSource;
  load(conversationId: string): Promise<{ readonly state: ConversationState }>;
  /** The run may have work again. */
  resume(conversationId: string, bearer?: Secret): Promise<void>;
  /** Which agents call back; absent: none. */
  readonly registrations?: Registrations;
};

/** Why a task is looked at. */
type Occasion = {
  /**
   * `turn`: it is due. `wanted`: somebody waits for what the look shows. `over`: its run has just ended. `call`: its agent says
   * that it has changed.
   */
  readonly kind: 'turn' | 'wanted' | 'over' | 'call';
  readonly bearer?: Secret;
  /** The only task that is looked at, by the message that it was made of; absent: all of the conversation. */
  readonly messageId?: string;
};

/**
 * What looks have shown. `isCalled`: all tasks of the conversation are of agents that call back. `isLeft`: some were not looked
 * at although it was their turn.
 */
type Shown = { readonly hasChanged: boolean; readonly isCalled: boolean; readonly isLeft: boolean };

/**
 * A task that is to be ended: how often that was tried in its turn, since when it is known, and when a list last had its
 * conversation, on the monotonic clock.
 */
type Ending = { readonly tries: number; readonly since: number; readonly listedAt: number };

export class TaskWatch {
  private readonly parts: WatchParts;
  private readonly times: WatchTimes;
  /** By run: when it is looked at next, on the monotonic clock, the pause before that, and how far the run was then. */
  private readonly due = new Map<string, Due>();
  /** Tasks that are to be ended, by conversation, run and call. */
  private readonly endings = new Map<string, Ending>();
  /** By address of an agent that took too long: until when its tasks are left alone, on the monotonic clock. */
  private readonly slow = new Map<string, number>();

  constructor(parts: WatchParts, times: WatchTimes = watchTimes) {
    this.parts = parts;
    this.times = times;
  }

  /** Looks at whatever is due, and is this process' to watch. To be called every `firstMs`. */
  async round(): Promise<void> {
    const { ports } = this.parts;
    const listed = (await ports.log.watchedRuns()).filter(({ conversationId }) => this.isMine(conversationId));
    const known = new Set(listed.map(({ runId }) => runId));
    for (const runId of [...this.due.keys()]) if (!known.has(runId)) this.due.delete(runId);
    const watched = new Set(listed.map(({ conversationId }) => conversationId));
    const now = ports.clock.monotonic();
    this.forgetEndings(watched, now);
    for (const [url, until] of [...this.slow]) if (until <= now) this.slow.delete(url);
    const dueAt = ({ runId }: { readonly runId: string }) => this.due.get(runId)?.at ?? 0;
    // Whoever waits longest is first: others of the same agent may keep it from its turn.
    const left = listed
      .filter(({ runId, revision }) => isDue(this.due.get(runId), revision, now))
      .sort((one, other) => dueAt(one) - dueAt(other));
    while (left.length > 0) {
      const some = left.splice(0, togetherMax).map(async ({ conversationId, runId, revision }) => {
        const { pauseMs = this.times.firstMs / 2 } = this.due.get(runId) ?? {};
        const { hasChanged, isCalled, isLeft } = await this.lookAll(conversationId, { kind: 'turn' }).catch(
          (error: unknown) => {
            ports.onFault(error, `looking at the tasks of run ${runId}`);
            return nothingShown;
          },
        );
        if (isLeft) return;
        const usual = Math.min(2 * pauseMs, this.times.mostMs);
        const next = hasChanged ? this.times.firstMs : isCalled ? calledBackPauseMs : usual;
        // What is due a moment after a round is not left for the next.
        const at = ports.clock.monotonic() + next - this.times.firstMs / 2;
        this.due.set(runId, { at, pauseMs: next, revision });
      });
      await Promise.all(some);
    }
  }

  /**
   * Looks at the tasks of a conversation's open run now. True if something was put on the record. Rejects if the store is away.
   */
  async look(conversationId: string, bearer?: Secret): Promise<boolean> {
    return (await this.lookAll(conversationId, { kind: 'wanted', ...(bearer && { bearer }) })).hasChanged;
  }

  /** A run of the conversation has ended: what waits of it at other agents is ended there. Rejects if the store is away. */
  async ended(conversationId: string): Promise<void> {
    await this.lookAll(conversationId, { kind: 'over' });
  }

  /** Looks at one task now, because its agent says that it has changed. Rejects if the store is away. */
  async called(conversationId: string, messageId: string): Promise<void> {
    await this.lookAll(conversationId, { kind: 'call', messageId });
  }

  /** A run has come to rest here: the agents that it waits for are asked to call back. */
  async rested(state: ConversationState, bearer: Secret | undefined): Promise<void> {
    const { ports } = this.parts;
    const open = parkedTasks(state).filter((task) => openRunOf(state, task) !== undefined);
    const offers = open.map(async (task) => {
      const request = await this.requestOf(state, task, bearer);
      if (request !== undefined) await this.offer(request);
    });
    await Promise.all(offers).catch((error: unknown) => ports.onFault(error, `resting in conversation ${state.id}`));
  }

  private async lookAll(conversationId: string, occasion: Occasion): Promise<Shown> {
    const { state } = await this.parts.load(conversationId);
    const { kind, messageId = '', bearer } = occasion;
    const tasks = parkedTasks(state).filter(
      (task) =>
        (messageId === '' || task.call.sent?.messageId === messageId) &&
        // Nobody but the round and whoever ends a run waits for agents that are of no use to it any more.
        (kind === 'turn' || (openRunOf(state, task) === undefined) === (kind === 'over')),
    );
    const shown: Shown[] = [];
    while (tasks.length > 0) {
      const some = tasks.splice(0, togetherMax);
      shown.push(...(await Promise.all(some.map((task) => this.lookAt(state, task, occasion)))));
    }
    const hasChanged = shown.some((one) => one.hasChanged);
    if (hasChanged) await this.parts.resume(conversationId, bearer);
    const isLeft = shown.some((one) => one.isLeft);
    return { hasChanged, isLeft, isCalled: shown.length > 0 && shown.every((one) => one.isCalled) };
  }

  /** One list may lack a conversation, for example that of a view that lags. What is known of its tasks outlives that. */
  private forgetEndings(watched: ReadonlySet<string>, now: number): void {
    for (const [place, ending] of [...this.endings]) {
      if (watched.has(place.split(' ')[0] ?? '')) this.endings.set(place, { ...ending, listedAt: now });
      else if (now - ending.listedAt >= this.times.mostMs) this.endings.delete(place);
    }
  }

  /** Of those that are alive each takes some. That two take one for a while does no harm. */
  private isMine(conversationId: string): boolean {
    const { instance, liveness } = this.parts.ports;
    const all = new Set([instance, ...liveness.alive('orchestrator').map((one) => one.instance)]);
    const rank = (one: string): string => sha256Hex(`${one} ${conversationId}`);
    return [...all].every((one) => one === instance || rank(one) < rank(instance));
  }

  /** An agent that has just taken too long is not asked in its turn: others would wait for theirs. */
  private async lookAt(state: ConversationState, task: LeftElsewhere, { kind, bearer }: Occasion): Promise<Shown> {
    const { runId, call } = task;
    const { registrations } = this.parts;
    const run = openRunOf(state, task);
    // Whoever is about to answer looks as well.
    if (run !== undefined && dueAnswers(run, call).length > 0) return nothingShown;
    const request = await this.requestOf(state, task, bearer);
    if (request === undefined) return nothingShown;
    if (kind === 'turn' && this.slow.has(request.agent.url)) return { ...nothingShown, isLeft: true };
    if (run === undefined)
      return { ...nothingShown, hasChanged: await this.end(state, call, request, kind === 'turn') };
    // Before the look: what changes after it is called back.
    if (kind === 'turn') await this.offer(request);
    const found = await this.lookUp(request);
    const { policyDigest } = run;
    const policy = policyDigest === undefined ? undefined : await this.parts.definitions.policy(policyDigest);
    const notify = notifyOf(policy, call.rule === undefined ? [] : [call.rule]);
    let isFailed = false;
    const hasChanged =
      found !== undefined &&
      (await this.record(state, (now) => {
        const asked = { now: this.parts.ports.clock.now(), notify };
        const facts = isSame(now, runId, call) ? seen(now, call, found, asked) : [];
        isFailed = facts.some((one) => one.case === 'delegationFinished');
        return facts;
      }));
    // What it asks has failed its delegation: nobody here answers it, and its own people may still say yes.
    if (hasChanged && isFailed) void this.parts.ports.delegations.cancel(request).catch(() => undefined);
    if (hasChanged && kind === 'turn') registrations?.forget(request);
    return { hasChanged, isCalled: registrations?.isTaken(request) === true, isLeft: false };
  }

  /** Whom to ask about a task; undefined if that cannot be told. */
  private async requestOf(
    state: ConversationState,
    { runId, agentDigest, call }: LeftElsewhere,
    bearer: Secret | undefined,
  ): Promise<DelegationRequest | undefined> {
    const agent = remoteAgentOf(await this.parts.definitions.agent(agentDigest), call);
    if (call.sent === undefined || agent === undefined) return undefined;
    const { messageId, contextId, taskId } = call.sent;
    return {
      key: { conversationId: state.id, runId, callId: call.id, attempt: call.attempt },
      agent,
      message: '',
      messageId,
      contextId,
      taskId,
      ...(bearer === undefined ? {} : { bearer }),
      ...hadToken(state.run, runId, agent),
      sessionId: state.sessionId,
    };
  }

  /** The run is over, and its task waits there still. Only turns are tries: how many others there are says nothing of time. */
  private async end(
    state: ConversationState,
    call: CallState,
    request: DelegationRequest,
    isTurn: boolean,
  ): Promise<boolean> {
    const { clock, delegations } = this.parts.ports;
    const runId = request.key.runId;
    const place = `${state.id} ${runId} ${call.id}`;
    const now = clock.monotonic();
    const {
      tries: before,
      since: seenAt,
      listedAt,
    } = this.endings.get(place) ?? { tries: 0, since: now, listedAt: now };
    const isSendersStill = call.phase === 'started' && now - seenAt < sendersTimeMs;
    const tries = before + (isTurn && !isSendersStill ? 1 : 0);
    this.endings.set(place, { tries, since: seenAt, listedAt });
    if (isSendersStill) return false;
    const since = clock.monotonic();
    await delegations.cancel(request).catch(() => undefined);
    const hasHung = clock.monotonic() - since >= lookMs;
    if (hasHung) this.leaveAlone(request);
    const found = hasHung ? undefined : await this.lookUp(request);
    // What nobody there knows of cannot be ended there.
    const isOver = found !== undefined && !goesOn.has(found.kind);
    const gone = { kind: 'unknown', message: 'the run is over, and the agent was not heard to end the task' } as const;
    const end = found?.kind === 'outcome' ? found.outcome : found?.kind === 'unknown' ? found : gone;
    if (!isOver && tries < endingsMax) return false;
    const command = delegationCommand(call, end, '');
    if (command?.type !== 'callFinished' && command?.type !== 'callUnknown') return false;
    const isRecorded = await this.record(state, (now) =>
      isSame(now, runId, call) ? decideLate(now, runId, call.stepId, command) : [],
    );
    this.endings.delete(place);
    return isRecorded;
  }

  private async offer(request: DelegationRequest): Promise<void> {
    const { registrations } = this.parts;
    if (registrations) await this.within(lookMs, (signal) => registrations.offer(request, signal));
  }

  private lookUp(request: DelegationRequest): Promise<LookedUp | undefined> {
    return this.within(lookMs, async (signal) => {
      signal.addEventListener('abort', () => this.leaveAlone(request), { once: true });
      const found = await lookedUp(this.parts.ports, request, signal);
      return found && believed(request, found);
    });
  }

  private async within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const timer = new AbortController();
    this.parts.ports.clock.sleep(ms, timer.signal).then(
      () => over.abort(looksTooLong),
      () => undefined,
    );
    try {
      return await work(over.signal);
    } finally {
      timer.abort(looksTooLong);
    }
  }

  private leaveAlone({ agent }: DelegationRequest): void {
    this.slow.set(agent.url, this.parts.ports.clock.monotonic() + leftAloneMs);
  }

  private async record(
    state: ConversationState,
    decide: (now: ConversationState) => readonly Fact[],
  ): Promise<boolean> {
    const after = await handOver(this.parts.ports, state, decide);
    return after.revision > state.revision;
  }
}

type Due = { readonly at: number; readonly pauseMs: number; readonly revision: number };

/** A run that has moved on meanwhile may wait for a task of another agent, which does not call back. */
function isDue(due: Due | undefined, revision: number, now: number): boolean {
  return due === undefined || due.at <= now || (due.pauseMs === calledBackPauseMs && due.revision !== revision);
}

const nothingShown: Shown = { hasChanged: false, isCalled: false, isLeft: false };

/** The run of a task, if it waits for it. One that another has followed is over, and so is a step that was ended. */
function openRunOf({ run }: ConversationState, { runId, call }: LeftElsewhere): RunState | undefined {
  return run?.id === runId && run.status === 'open' && call.id in run.calls ? run : undefined;
}

/** Nothing has become of the call since it was looked at. */
function isSame(state: ConversationState, runId: string, call: CallState): boolean {
  const now = parkedTasks(state).find((one) => one.runId === runId && one.call.id === call.id);
  return JSON.stringify(now?.call) === JSON.stringify(call);
}

/** What a look puts on the record of an open run. What is gone is found out by whoever drives the run then. */
function seen(
  { run }: ConversationState,
  { id: callId, attempt, revision, sent }: CallState,
  found: LookedUp,
  asked: AskedIn,
): readonly Fact[] {
  if (run === null) return [];
  const base = { type: 'delegationAsked', callId, attempt, text: '', questions: [] } as const;
  const known = { id: sent?.taskId ?? '', state: '' };
  switch (found.kind) {
    case 'asks':
      return delegationAsked(run, { ...base, ...found, type: 'delegationAsked' }, revision, asked);
    case 'running':
      // One of several questions may only be hidden by what goes on with another.
      return sent?.questions?.length === 1 ? delegationAsked(run, { ...base, task: found.task }, revision, asked) : [];
    case 'outcome':
      return found.outcome.kind === 'finished'
        ? delegationAsked(run, { ...base, task: found.outcome.task }, revision, asked)
        : [];
    case 'unauthenticated':
      // Nothing was said of the task: whoever has a token finds out.
      return [];
    default:
      return delegationAsked(run, { ...base, task: known }, revision, asked);
  }
}
