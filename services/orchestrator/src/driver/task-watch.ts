/**
 * Watches the tasks of other agents that wait for an answer here. Nobody drives their runs, so whoever is alive looks.
 *
 * 1. It finds them in the store, so that any process goes on watching after any other.
 * 2. A look changes nothing at the agent. What it shows is put on the record only if the questions are still those that were
 *    looked at, and nobody is about to answer one.
 * 3. The task of a run that has ended here is ended there, too.
 */
import {
  type CallState,
  type ConversationState,
  decideLate,
  delegationAsked,
  dueAnswers,
  type Fact,
  type LeftElsewhere,
  parkedTasks,
  remoteAgentOf,
  sha256Hex,
} from '@stopgo/core';
import { handOver } from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import type { DelegationRequest, LookedUp } from '../delegation-port.ts';
import { lookedUp } from './agent-news.ts';
import { delegationCommand } from './outcomes.ts';
import type { Definitions, DriverPorts } from './ports.ts';

/** How often a task is looked at while nothing happens, first and in the end, in milliseconds. */
export type WatchTimes = { readonly firstMs: number; readonly mostMs: number };
export const watchTimes: WatchTimes = { firstMs: 15_000, mostMs: 300_000 };

/** Runs that are looked at together. */
const togetherMax = 16;
/** Longest look at a task, in milliseconds. */
const lookMs = 5_000;
/**
 * How long a task that was under way when its run ended is left to whoever sent it, in milliseconds: longer than that is looked
 * for there. Then that process is gone.
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
  readonly definitions: Definitions;
  load(conversationId: string): Promise<{ readonly state: ConversationState }>;
  /** True while this process owns the conversation's run, and nobody drives it until one of its agents is heard of. */
  isResting(conversationId: string): boolean;
  /** The run may have work again. */
  resume(conversationId: string, bearer?: Secret): Promise<void>;
};

export class TaskWatch {
  private readonly parts: WatchParts;
  private readonly times: WatchTimes;
  /** By run: when it is looked at next, on the monotonic clock, and the pause before that. */
  private readonly due = new Map<string, { readonly at: number; readonly pauseMs: number }>();
  /** Looks at tasks that are to be ended, by run and call. */
  private readonly endings = new Map<string, number>();

  /** By address of an agent that took too long: until when its tasks are left alone, on the monotonic clock. */
  private readonly slow = new Map<string, number>();

  constructor(parts: WatchParts, times: WatchTimes = watchTimes) {
    this.parts = parts;
    this.times = times;
  }

  /** Looks at whatever is due, and is this process' to watch. To be called every `firstMs`. */
  async round(): Promise<void> {
    const { ports } = this.parts;
    const listed = (await ports.log.watchedRuns()).filter(
      ({ conversationId }) => this.isMine(conversationId) || this.parts.isResting(conversationId),
    );
    const known = new Set(listed.map(({ runId }) => runId));
    for (const runId of [...this.due.keys()]) if (!known.has(runId)) this.due.delete(runId);
    const watched = new Set(listed.map(({ conversationId }) => conversationId));
    for (const place of [...this.endings.keys()])
      if (!watched.has(place.split(' ')[0] ?? '')) this.endings.delete(place);
    const now = ports.clock.monotonic();
    for (const [url, until] of [...this.slow]) if (until <= now) this.slow.delete(url);
    const left = listed.filter(({ runId }) => (this.due.get(runId)?.at ?? now) <= now);
    while (left.length > 0) {
      const some = left.splice(0, togetherMax).map(async ({ conversationId, runId }) => {
        const { pauseMs = this.times.firstMs / 2 } = this.due.get(runId) ?? {};
        const hasChanged = await this.lookAll(conversationId, undefined, false).catch((error: unknown) => {
          ports.onFault(error, `looking at the tasks of run ${runId}`);
          return false;
        });
        const next = hasChanged ? this.times.firstMs : Math.min(2 * pauseMs, this.times.mostMs);
        // What is due a moment after a round is not left for the next.
        this.due.set(runId, { at: ports.clock.monotonic() + next - this.times.firstMs / 2, pauseMs: next });
      });
      await Promise.all(some);
    }
  }

  /** Looks at the tasks of a conversation now. True if something was put on the record, or its run goes on. Rejects if the store is away. */
  look(conversationId: string, bearer?: Secret): Promise<boolean> {
    return this.lookAll(conversationId, bearer, true);
  }

  /** Unless somebody waits for it, an agent that has just taken too long is not asked: others would wait for their turn. */
  private async lookAll(conversationId: string, bearer: Secret | undefined, isWanted: boolean): Promise<boolean> {
    const { state } = await this.parts.load(conversationId);
    const looks = parkedTasks(state).map((task) => this.lookAt(state, task, bearer, isWanted));
    const hasChanged = (await Promise.all(looks)).includes(true);
    if (hasChanged) await this.parts.resume(conversationId, bearer);
    return hasChanged;
  }

  /** Of those that are alive each takes some. That two take one for a while does no harm. */
  private isMine(conversationId: string): boolean {
    const { instance, liveness } = this.parts.ports;
    const all = new Set([instance, ...liveness.alive('orchestrator').map((one) => one.instance)]);
    const rank = (one: string): string => sha256Hex(`${one} ${conversationId}`);
    return [...all].every((one) => one === instance || rank(one) < rank(instance));
  }

  private async lookAt(
    state: ConversationState,
    task: LeftElsewhere,
    bearer: Secret | undefined,
    isWanted: boolean,
  ): Promise<boolean> {
    const { runId, agentDigest, call } = task;
    // A run that another has followed is over.
    const run = state.run?.id === runId && state.run.status === 'open' ? state.run : undefined;
    const { definitions, ports } = this.parts;
    // Whoever is about to answer looks as well, unless it rests.
    const isDue = run !== undefined && dueAnswers(run, call).length > 0;
    if (call.sent === undefined || (isDue && !this.parts.isResting(state.id))) return false;
    const agent = remoteAgentOf(await definitions.agent(agentDigest), call);
    if (agent === undefined || (!isWanted && this.slow.has(agent.url))) return false;
    const { messageId, contextId, taskId } = call.sent;
    const request: DelegationRequest = {
      key: { conversationId: state.id, runId, callId: call.id, attempt: call.attempt },
      agent,
      message: '',
      messageId,
      contextId,
      taskId,
      ...(bearer === undefined ? {} : { bearer }),
      sessionId: state.sessionId,
    };
    if (run === undefined) {
      const isSendersStill = call.phase === 'started' && ports.clock.now() - state.updatedAt < sendersTimeMs;
      return isSendersStill ? false : this.end(state, call, request);
    }
    const found = await this.lookUp(request);
    if (found === undefined) return false;
    // Whoever drives it from here on looks once more, before anything is sent.
    if (isDue) return true;
    return this.record(state, (now) => (isSame(now, runId, call) ? seen(now, call, found) : []));
  }

  /** The run is over, and its task waits there still. */
  private async end(state: ConversationState, call: CallState, request: DelegationRequest): Promise<boolean> {
    const runId = request.key.runId;
    const place = `${state.id} ${runId} ${call.id}`;
    const tries = (this.endings.get(place) ?? 0) + 1;
    this.endings.set(place, tries);
    const { clock, delegations } = this.parts.ports;
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

  private async lookUp(request: DelegationRequest): Promise<LookedUp | undefined> {
    const { clock } = this.parts.ports;
    const over = new AbortController();
    const timer = new AbortController();
    clock.sleep(lookMs, timer.signal).then(
      () => {
        this.leaveAlone(request);
        over.abort(looksTooLong);
      },
      () => undefined,
    );
    try {
      return await lookedUp(this.parts.ports, request, over.signal);
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
): readonly Fact[] {
  if (run === null) return [];
  const base = { type: 'delegationAsked', callId, attempt, text: '', questions: [] } as const;
  const known = { id: sent?.taskId ?? '', state: '' };
  switch (found.kind) {
    case 'asks':
      return delegationAsked(run, { ...base, ...found, type: 'delegationAsked' }, revision);
    case 'running':
      // One of several questions may only be hidden by what goes on with another.
      return sent?.questions?.length === 1 ? delegationAsked(run, { ...base, task: found.task }, revision) : [];
    case 'outcome':
      return found.outcome.kind === 'finished'
        ? delegationAsked(run, { ...base, task: found.outcome.task }, revision)
        : [];
    case 'unauthenticated':
      // Nothing was said of the task: whoever has a token finds out.
      return [];
    default:
      return delegationAsked(run, { ...base, task: known }, revision);
  }
}
