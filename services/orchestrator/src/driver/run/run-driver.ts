/**
 * Drives one run: asks the core what is owed, does it, puts the outcome on the record, and asks again.
 *
 * 1. Nothing here is truth: state is folded from the log, and a process that dies loses nothing.
 * 2. All appends of a run go through one queue, each decided against the state that it expects.
 * 3. An effect is under way at most once in this process; a fenced call is made only if the append with its
 *    `ToolCallStarted` was this driver's own.
 * 4. A driver that finds another owner stops, and hands in what it still learns as late.
 */
import {
  advance,
  allDefinitions,
  type ConversationState,
  conversationStream,
  type DefinedRun,
  type Definitions,
  decideRun,
  definitionOf,
  type Effect,
  evolve,
  nextDue,
  type Owner,
  pendingApprovals,
  type RecordedFact,
  type RunCommand,
  type RunStanding,
  runStanding,
  type StepDefinition,
} from '@stopgo/core';
import { type Append, type AppendOutcome, appendUntilKnown, isUnknown, loadCalled, recordedOf } from '@stopgo/log';
import type { views } from '@stopgo/proto';
import type { Secret } from '@stopgo/rpc';
import type { Foreseen } from '../handle/foreseen.ts';
import { Moves } from '../handle/moves.ts';
import type { DriverPorts } from '../handle/ports.ts';
import { CommandQueue, commandOf, type Taken } from '../handle/queue.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { SilentAgents } from '../handle/silent-agents.ts';
import type { Transcripts } from '../handle/transcripts.ts';
import { appendOf } from './append-of.ts';
import { claimAsOfNow } from './claims.ts';
import type { DriverListener } from './driver-listener.ts';
import { DueTimer } from './due-timer.ts';
import { followFrom } from './follow.ts';
import { performEffect } from './perform.ts';
import { type Ahead, EffectsUnderWay } from './under-way.ts';

/** What a driver starts from: a state that is on the record, and what the run was defined by. */
export type DriverStart = {
  readonly state: ConversationState;
  /** All that the run names. */
  readonly definitions: Definitions;
  /** The owner that this process is already by its own append; absent = it has to claim the run. */
  readonly me?: Owner;
  readonly bearer?: Secret;
};

/** Pause before what failed because the log or a service was out of reach is tried again, in milliseconds. */
const retryPauseMs = 500;

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const driverHasEnded = new Error('the driver has ended');

export class RunDriver implements RunHandle {
  readonly conversationId: string;
  readonly runId: string;
  readonly ports: DriverPorts;
  readonly transcripts: Transcripts;
  /** The token of the request that made the run go on last. Never recorded. */
  bearer: Secret | undefined;
  readonly silentAgents = new SilentAgents(() => this.listener.changed(this));
  state: ConversationState;
  /** The view after the latest append, if it is still current. */
  view: views.ConversationView | undefined;

  private me: Owner;
  private definitions: Definitions;
  /** The run when it was taken up: another one may have begun meanwhile. */
  private readonly begun: DefinedRun;
  private readonly queue = new CommandQueue();
  private readonly underWay = new EffectsUnderWay(
    (effect, signal, foreseen) => this.perform(effect, signal, foreseen),
    () => this.wakeUp(),
  );
  private readonly due: DueTimer;
  private readonly stopped = new AbortController();
  /** Tells when `state` is as of a later revision, or the driver has ended. */
  private readonly moves = new Moves();
  private readonly listener: DriverListener;
  private isFenced = false;
  private hasEnded = false;
  private isBehind = false;
  private wake: (() => void) | undefined;
  private isWoken = false;

  constructor(start: DriverStart, ports: DriverPorts, transcripts: Transcripts, listener: DriverListener) {
    this.state = start.state;
    this.conversationId = start.state.id;
    this.runId = start.state.run?.id ?? '';
    this.definitions = start.definitions;
    this.begun = start.state.run ?? { id: '', agentDigest: '', toolsetDigest: '' };
    this.bearer = start.bearer;
    this.ports = ports;
    this.transcripts = transcripts;
    this.listener = listener;
    this.due = new DueTimer(ports.clock, () => this.wakeUp());
    this.me = start.me ?? { instance: ports.instance, epoch: 0 };
    if (start.me === undefined) void this.queue.add({ type: 'claim', dead: [] });
  }

  definitionOf(stepId: string): StepDefinition {
    const run = this.state.run?.id === this.runId ? this.state.run : this.begun;
    return definitionOf(this.definitions, run, stepId);
  }

  define(more: Definitions): void {
    if (more.agents.size > 0) this.definitions = allDefinitions([this.definitions, more]);
  }

  /** How the run stands, as far as this driver has seen. */
  standing(): RunStanding {
    return this.state.run?.id === this.runId ? runStanding(this.state) : 'none';
  }

  /** Somebody else appended: look at the log before the next step. */
  poke(): void {
    this.isBehind = true;
    this.wakeUp();
  }

  /** Ends the driver without a trace, as if the process had died: for the end of the process. */
  stop(reason: unknown): void {
    this.stopped.abort(reason);
    this.underWay.stop(reason);
    this.wakeUp();
  }

  /** Puts a command on the record with the next append. */
  submit(command: RunCommand): Promise<Taken> {
    if (this.isFenced || this.stopped.signal.aborted) return Promise.resolve('fenced');
    const taken = this.queue.add(command);
    this.wakeUp();
    return taken;
  }

  /** True once the driver does nothing any more; set in the same turn of the event loop in which it found nothing to do. */
  isEnded(): boolean {
    return this.hasEnded;
  }

  /** True while it drives its run, or is about to claim it; false once it only waits for what it still learns. */
  isDriving(): boolean {
    return !this.hasEnded && !this.isFenced && this.isOpen() && (this.me.epoch === 0 || this.isOwner());
  }

  /** True while the run goes on, as far as this driver has seen: whoever drives it. */
  isOpen(): boolean {
    return this.state.run?.id === this.runId && this.state.run.status === 'open';
  }

  /** Aborts when the process is to end. */
  get stopping(): AbortSignal {
    return this.stopped.signal;
  }

  async movedOn(from: ConversationState, signal: AbortSignal): Promise<boolean> {
    const isWaiting = (): boolean =>
      this.state === from && !signal.aborted && !this.hasEnded && !this.stopped.signal.aborted;
    while (isWaiting()) await this.moves.next(signal);
    return !signal.aborted && !this.hasEnded && !this.stopped.signal.aborted;
  }

  /** Reads what others appended, now. */
  refresh(): Promise<void> {
    return this.catchUp();
  }

  /** Resolves when the driver has seen the log up to a revision, or has ended. */
  async reached(revision: number): Promise<void> {
    if (this.state.revision < revision && !this.hasEnded) await this.catchUp().catch(() => undefined);
    this.wakeUp();
  }

  /** A late outcome is on the record: the run may have work again. */
  handedIn(): void {
    this.listener.handedIn(this);
  }

  /** True while this process may act as the owner, as far as it knows. */
  isOwner(): boolean {
    const owner = this.state.run?.id === this.runId ? this.state.run.owner : null;
    return !this.isFenced && owner?.instance === this.me.instance && owner.epoch === this.me.epoch;
  }

  /** Drives until nothing is left for this process to do: settled, released, fenced or stopped. Never rejects. */
  async drive(): Promise<void> {
    const following = new AbortController();
    try {
      const revision = (): number => this.state.revision;
      void followFrom(this.ports, this.conversationId, revision, () => this.poke(), following.signal);
      for (;;) {
        if (this.stopped.signal.aborted) return;
        if (this.isBehind) await this.catchUp();
        const ahead = this.beginEffects();
        if (!this.queue.isEmpty || this.isDue(ahead)) {
          await this.flush();
          continue;
        }
        if (this.underWay.size === 0 && this.isOver()) return;
        this.due.set(this.isOwner() ? nextDue(this.state.run) : undefined);
        await this.nextWake();
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) {
        this.ports.onFault(error, `run ${this.runId} of conversation ${this.conversationId}`);
        this.listener.faulted(this);
      }
    } finally {
      this.hasEnded = true;
      this.due.set(undefined);
      this.moves.tell();
      following.abort(driverHasEnded);
      this.fence();
    }
  }

  private isOver(): boolean {
    const { run } = this.state;
    return this.isFenced || run === null || run.id !== this.runId || run.status !== 'open' || !this.isOwner();
  }

  private ahead(): Ahead {
    if (this.isFenced || this.state.run?.id !== this.runId) return { facts: [], effects: [] };
    return advance(this.definitions, this.state, this.ports.clock.now());
  }

  /** True if something is to be put on the record that no effect under way will bring: what others did may end the run. */
  private isDue({ facts, effects, held }: Ahead): boolean {
    return !this.isOver() && (facts.length > 0 || (effects.length === 0 && !this.underWay.hasAny(held)));
  }

  /** Begins every effect that is owed and not under way; stops those that are owed no more. Gives what follows from the state. */
  private beginEffects(): Ahead {
    const ahead = this.ahead();
    this.underWay.keepOnly([...ahead.effects, ...(ahead.held ?? [])]);
    const isOwner = this.isOwner();
    for (const effect of ahead.effects) {
      if (this.underWay.has(effect) || !this.isStepBegun(effect)) continue;
      // Before the claim is on the record only what begins with an append of its own may begin: it shares the append.
      if (!isOwner && !(effect.kind === 'call' && effect.fenced && !this.queue.isEmpty)) continue;
      this.underWay.begin(effect);
    }
    return ahead;
  }

  /** What many steps owe takes several appends: whoever is asked for one that is not on the record is not heard. */
  private isStepBegun(effect: Effect): boolean {
    return !('stepId' in effect) || this.state.run?.steps[effect.stepId] !== undefined;
  }

  /** `signal` aborts when the effect is owed no more, and when the process is to end. */
  private async perform(effect: Effect, signal: AbortSignal, foreseen: Foreseen | undefined): Promise<void> {
    try {
      await performEffect(this, effect, signal, foreseen);
    } catch (error) {
      if (signal.aborted) return;
      if (!isUnknown(error)) return this.ports.onFault(error, `${effect.kind} ${effect.id} of run ${this.runId}`);
      // The log or a service is out of reach: the effect is begun again, for as long as it takes.
      this.underWay.excuse(effect);
      await this.ports.clock.sleep(retryPauseMs, signal).catch(() => undefined);
    }
  }

  /** Appends the waiting commands; whoever waits for one of them is told what became of it, also when the append fails. */
  private async flush(): Promise<void> {
    const batch = this.queue.next();
    try {
      await this.record(batch);
    } catch (error) {
      for (const entry of batch) entry.taken('fenced');
      throw error;
    }
  }

  /** Appends a batch, deciding anew after each conflict, until it is taken or the driver is fenced. */
  private async record(batch: ReturnType<CommandQueue['next']>): Promise<void> {
    for (let isFirstTry = true; ; isFirstTry = false) {
      const { definitions, runId, me, state, ports } = this;
      const now = this.ports.clock.now();
      const commands = batch.map(commandOf).map((one) => claimAsOfNow(one, state, ports));
      // What is under way and waited for no more keeps nobody from letting a paused run go.
      const holdsOn = (held: readonly Effect[]): boolean => this.underWay.hasAny(held);
      const decision = decideRun(state, commands, { definitions, runId, me, now, holdsOn });
      if (decision.kind === 'fenced') {
        for (const entry of batch) entry.taken('fenced');
        return this.fence();
      }
      const wantsView = runStanding(decision.state) !== 'working';
      const append = appendOf(decision.facts, { state, runId, ports, now, wantsView });
      if (append !== undefined) {
        // Nobody pays for a model in vain: not while a human may decide at any moment, nor again where others are faster.
        const isLikely = isFirstTry && pendingApprovals(this.state.run).length === 0;
        const ahead = isLikely ? decision.effects.filter((effect) => this.isStepBegun(effect)) : [];
        const settle = this.underWay.beginAhead(append.facts, ahead);
        const outcome = await this.appended(append).catch((error: unknown) => {
          settle(false);
          throw error;
        });
        settle(outcome.kind !== 'conflict');
        if (outcome.kind === 'conflict') {
          await this.absorb(outcome.unseen, outcome.currentRevision);
          continue;
        }
        const made = recordedOf(append);
        // The events as the log has them are folded, not the facts as they were anticipated: who and when differ there.
        // A read alongside may have seen this append, and more, already.
        this.take(made);
        this.view = this.state.revision === made.at(-1)?.revision ? outcome.view : undefined;
        if (outcome.kind === 'appended') this.ports.deltas.watched(this.conversationId, outcome.watchers ?? 0);
        this.me = decision.me;
        this.underWay.leftATrace();
      }
      const decided = decision.applied.length;
      this.queue.putBack(batch.slice(decided));
      for (const [index, entry] of batch.slice(0, decided).entries())
        entry.taken(decision.applied[index] === true ? 'applied' : 'ignored');
      this.listener.changed(this);
      return;
    }
  }

  private appended(append: Append): Promise<AppendOutcome> {
    const { log, clock, random } = this.ports;
    return appendUntilKnown(log, append, clock, random, this.stopped.signal);
  }

  /** Takes over what others appended. */
  private async absorb(unseen: readonly RecordedFact[], currentRevision: number): Promise<void> {
    // What agents follow that others have called is read with the rest, for as long as that takes.
    if (unseen.some(({ fact }) => fact.case === 'agentCalled')) return this.catchUp();
    this.take(unseen);
    if (this.state.revision < currentRevision) await this.catchUp();
  }

  private take(events: readonly RecordedFact[]): void {
    const fresh = events.filter((event) => event.revision > this.state.revision);
    for (const event of fresh) {
      if (event.revision !== this.state.revision + 1) {
        this.isBehind = true;
        return;
      }
      this.state = evolve(this.state, event);
    }
    if (fresh.length === 0) return;
    this.transcripts.add(this.conversationId, fresh);
    this.view = undefined;
    this.moves.tell();
    this.listener.changed(this);
  }

  private async catchUp(): Promise<void> {
    this.isBehind = false;
    for (;;) {
      try {
        const unseen: RecordedFact[] = [];
        const stream = conversationStream(this.conversationId);
        for await (const event of this.ports.log.read(stream, this.state.revision + 1, this.stopped.signal))
          unseen.push(event);
        this.define(await loadCalled(this.ports.definitions, unseen));
        return this.take(unseen);
      } catch (error) {
        if (!isUnknown(error)) throw error;
        await this.ports.clock.sleep(retryPauseMs, this.stopped.signal);
      }
    }
  }

  /** From here on nothing of this driver is taken; effects that may be dropped are. */
  private fence(): void {
    this.isFenced = true;
    this.queue.fenceAll();
    this.underWay.keepOnly([]);
    this.listener.changed(this);
  }

  private wakeUp(): void {
    this.isWoken = true;
    this.wake?.();
  }

  private async nextWake(): Promise<void> {
    if (!this.isWoken) {
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
      this.wake = undefined;
    }
    this.isWoken = false;
  }
}
