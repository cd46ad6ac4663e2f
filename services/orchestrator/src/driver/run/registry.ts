import {
  type ConversationState,
  conversationOfStream,
  conversationStream,
  DomainError,
  failRun,
  fold,
  hasWork,
  initialState,
  isDue,
  provideToken,
  type RecordedFact,
  type RunStanding,
} from '@stopgo/core';
import {
  type Append,
  type DefinitionSource,
  handOver,
  type Loaded,
  loadDefinitions,
  type OpenRun,
  recordedOf,
} from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import type { DriverPorts } from '../handle/ports.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { Transcripts } from '../handle/transcripts.ts';
import { claimsMax, killsItsDrivers } from './claims.ts';
import type { DriverListener } from './driver-listener.ts';
import { onlyWaits } from './only-waits.ts';
import { type DriverStart, RunDriver } from './run-driver.ts';

/** Conversations whose folded state is kept in memory; a lost one is loaded again. */
const statesKeptMax = 5_000;

/** Times that a run may break its driver before it is ended. */
const faultsMax = 5;
/** Runs that one sweep takes up at the same time. */
const takenUpAtOnceMax = 16;
const faultText = 'The run was ended: the platform could not go on with it. The log of the orchestrator says why.';

/** The runs that this process drives, at most one for each conversation. */
export class Registry implements DriverListener {
  readonly ports: DriverPorts;
  /** Is told of each conversation that begins to be driven here. */
  onStart: (conversationId: string) => void = () => undefined;
  /** Is told of each conversation that is driven here no more, as it stands. */
  onRest: (state: ConversationState, bearer: Secret | undefined) => void = () => undefined;
  private readonly definitions: DefinitionSource;
  private readonly transcripts: Transcripts;
  private readonly states = new Map<string, ConversationState>();
  private readonly active = new Map<string, RunDriver>();
  /** Every driver that has not ended, also one whose run is over and that only waits for the outcome of a call. */
  private readonly running = new Map<RunDriver, Promise<void>>();
  private readonly watchers = new Map<string, Set<() => void>>();
  private readonly held = new Map<string, number>();
  private readonly runsMax: number;
  private readonly faults = new Map<string, number>();
  private isStopping = false;
  private hasStopped = false;

  constructor(ports: DriverPorts, definitions: DefinitionSource, runsMax: number) {
    this.ports = ports;
    this.definitions = definitions;
    this.runsMax = runsMax;
    this.transcripts = new Transcripts(ports.log);
  }

  /** Admits a message to a conversation: holds it (see `hold`). Throws `resource_exhausted` if no further run can be begun. */
  admit(conversationId: string): () => void {
    if (this.isStopping)
      throw new DomainError('unavailable', 'the orchestrator is stopping; try again', { retryAfterMs: 1_000 });
    const isCounted = this.active.has(conversationId) || this.held.has(conversationId);
    if (!isCounted && this.isFull())
      throw new DomainError(
        'resource_exhausted',
        `${this.runsMax} runs are being worked on, which is the most (limits.concurrent_runs); try again`,
        {
          retryAfterMs: 1_000,
        },
      );
    return this.hold(conversationId);
  }

  /** The driver that drives a conversation's run, if this process does. */
  driver(conversationId: string): RunDriver | undefined {
    const driver = this.active.get(conversationId);
    return driver?.isDriving() === true ? driver : undefined;
  }

  /**
   * A conversation as it stands in the log; what this process knows of it already is not read again. The events come with
   * it where they are few, so that a model call needs no other read of the log.
   */
  async load(conversationId: string, keys: readonly string[] = []): Promise<Loaded> {
    const loaded = await this.ports.log.load(conversationId, keys, this.states.get(conversationId) ?? initialState);
    this.transcripts.add(conversationId, loaded.unseen ?? []);
    this.remember(loaded.state);
    return loaded;
  }

  /** Takes note of an append that this process has made outside of a driver, and of the state after it. */
  appended(append: Append, state: ConversationState): void {
    this.transcripts.add(conversationOfStream(append.stream) ?? '', recordedOf(append));
    this.remember(state);
  }

  /** Takes note of events that others have appended. */
  seen(conversationId: string, events: readonly RecordedFact[]): void {
    this.transcripts.add(conversationId, events);
  }

  /** A conversation as this process has seen it last, which may be a while ago; undefined if it keeps none. */
  lastSeen(conversationId: string): ConversationState | undefined {
    return this.active.get(conversationId)?.state ?? this.states.get(conversationId);
  }

  /**
   * Keeps a run that this process begins from being taken up here by a sweep while the one who began it is still waiting
   * to hear that its append was made. Gives what ends the hold; calling that twice does nothing.
   */
  hold(conversationId: string): () => void {
    const count = (by: number): void => {
      const holds = (this.held.get(conversationId) ?? 0) + by;
      if (holds === 0) this.held.delete(conversationId);
      else this.held.set(conversationId, holds);
    };
    let isHeld = true;
    count(1);
    return () => {
      if (isHeld) count(-1);
      isHeld = false;
    };
  }

  /** Begins to drive, unless somebody here does so already. */
  start(start: DriverStart): RunDriver {
    const before = this.driver(start.state.id);
    if (before !== undefined && before.runId === start.state.run?.id) {
      this.nudge(before.conversationId, start.bearer);
      return before;
    }
    const driver = new RunDriver(start, this.ports, this.transcripts, this);
    const { conversationId } = driver;
    // What was admitted before the stop and recorded after it: whoever takes over drives it.
    if (this.hasStopped) driver.stop(stopReason());
    this.active.set(conversationId, driver);
    this.onStart(conversationId);
    const ended = driver.drive().then(() => {
      if (this.active.get(conversationId) === driver) this.active.delete(conversationId);
      this.remember(driver.state);
      this.running.delete(driver);
      if (driver.state.run?.id !== driver.runId || driver.state.run.status !== 'open') this.faults.delete(driver.runId);
      this.changed(driver);
      if (!this.isStopping) this.onRest(driver.state, driver.bearer);
      // What came in while the run was being released: its nudge went to a driver that was about to end.
      const { run } = driver.state;
      if (run !== null && run.owner === null && hasWork(run)) this.takeUp(driver);
    });
    this.running.set(driver, ended);
    return driver;
  }

  /**
   * Sees to it that a run with something to do is driven by somebody: by this process, unless another one that is alive
   * owns it. A token that the run waits for is used. `appended`: what somebody else has just put on the record; if this
   * process has seen all before it, the log is not asked: should there be more, the claim finds out.
   */
  async resume(conversationId: string, bearer?: Secret, appended: readonly RecordedFact[] = []): Promise<void> {
    if (this.isStopping) return;
    const driver = this.driver(conversationId);
    if (this.nudge(conversationId, bearer)) {
      if (driver === undefined || bearer === undefined || provideToken(driver.state).length === 0) return;
      // Other calls of the run are under way while one waits for the token.
      await handOver(this.ports, driver.state, provideToken);
      if (this.nudge(conversationId, bearer)) return;
    }
    let state = this.told(conversationId, appended) ?? (await this.load(conversationId)).state;
    if (bearer !== undefined && provideToken(state).length > 0) state = await handOver(this.ports, state, provideToken);
    const run = state.run;
    if (run === null || run.status !== 'open') return;
    const { owner } = run;
    const isMine = owner?.instance === this.ports.instance;
    const isOwed = hasWork(run) || isDue(run, this.ports.clock.now());
    if (owner === null ? !isOwed : !isMine && !this.ports.liveness.isDead(owner.instance)) return;
    if (isMine && this.held.has(conversationId)) return;
    if (owner !== null && (await this.killsItsDrivers(state, run.id))) {
      // Whatever comes in between is a sign of life, or somebody's who knows better.
      const isAsJudged = (now: ConversationState): boolean => now.revision === state.revision;
      await handOver(this.ports, state, (now) => (isAsJudged(now) ? failRun(now, run.id, faultText) : []));
      return;
    }
    const definitions = await loadDefinitions(this.definitions, run);
    // Somebody else here may have been faster meanwhile.
    if (this.isStopping || this.nudge(conversationId, bearer)) return;
    // A run that is ours and that no driver here drives any more is claimed anew too: what was loaded may be old by now,
    // and only an append tells.
    this.start({ state, definitions, ...(bearer === undefined ? {} : { bearer }) });
  }

  /** Takes up every run that nobody drives and that something is to be done for, or is due of; has those who drive look at what they have missed. */
  async sweep(): Promise<void> {
    const open = await this.ports.log.openRuns(this.ports.clock.now());
    this.pokeBehind(open);
    const left = open.filter((run) => this.isLeft(run));
    while (left.length > 0) {
      // Together: one that has to wait for an answer of the store does not hold up the others.
      const some = left.splice(0, Math.min(takenUpAtOnceMax, this.runsMax - this.runs()));
      if (some.length === 0) return;
      await Promise.all(
        some.map(({ conversationId, runId }) =>
          this.resume(conversationId).catch((error) => this.ports.onFault(error, `taking up run ${runId}`)),
        ),
      );
    }
  }

  private isLeft({ conversationId, ownerInstance }: OpenRun): boolean {
    if (this.driver(conversationId) !== undefined) return false;
    return ownerInstance === '' || ownerInstance === this.ports.instance || this.ports.liveness.isDead(ownerInstance);
  }

  /**
   * A stream that is followed may have fallen silent: the decision or the cancel is found here then. And a timer may be late: clocks are
   * set, and machines sleep.
   */
  private pokeBehind(open: readonly OpenRun[]): void {
    const listed = new Map(open.map((run) => [run.runId, run]));
    const now = this.ports.clock.now();
    for (const driver of this.active.values()) {
      const run = listed.get(driver.runId);
      if (run === undefined || run.revision > driver.state.revision || isDue(driver.state.run, now)) driver.poke();
    }
  }

  private async killsItsDrivers({ id, revision }: ConversationState, runId: string): Promise<boolean> {
    const from = revision - claimsMax + 1;
    if (from < 1) return false;
    const last: RecordedFact[] = [];
    for await (const event of this.ports.log.read(conversationStream(id), from)) last.push(event);
    return killsItsDrivers(last, runId, this.ports.clock.now());
  }

  changed(driver: RunHandle): void {
    for (const wake of this.watchers.get(driver.conversationId) ?? []) wake();
  }

  handedIn(driver: RunHandle): void {
    this.takeUp(driver);
  }

  /** The sweep tries again, but not for ever: each try costs a claim, and maybe a model call. */
  faulted(driver: RunHandle): void {
    const { runId, conversationId } = driver;
    const faults = (this.faults.get(runId) ?? 0) + 1;
    this.faults.set(runId, faults);
    if (faults < faultsMax) return;
    this.faults.delete(runId);
    handOver(this.ports, driver.state, (state) => failRun(state, runId, faultText)).catch((error) =>
      this.ports.onFault(error, `ending run ${runId} of conversation ${conversationId}`),
    );
  }

  /**
   * Resolves when the driver's run is not being worked on any more, or only waits for agents that are silent, or the driver has ended, or
   * the signal aborts.
   */
  async settled(driver: RunDriver, signal: AbortSignal): Promise<RunStanding> {
    const isDone = (): boolean =>
      signal.aborted ||
      driver.isEnded() ||
      driver.standing() !== 'working' ||
      onlyWaits(driver, driver.silentAgents.heldUp);
    while (!isDone()) {
      await new Promise<void>((wake) => {
        const watchers = this.watchers.get(driver.conversationId) ?? new Set();
        this.watchers.set(driver.conversationId, watchers);
        const done = (): void => {
          watchers.delete(done);
          if (watchers.size === 0) this.watchers.delete(driver.conversationId);
          signal.removeEventListener('abort', done);
          wake();
        };
        watchers.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
    return driver.standing();
  }

  /** Lets runs go on for at most so long, then stops driving; what is left is taken up by the next process. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const waited = new AbortController();
    const grace = this.ports.clock.sleep(graceMs, waited.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.running.values()), grace]);
    waited.abort();
    this.hasStopped = true;
    for (const driver of this.running.keys()) driver.stop(stopReason());
    await Promise.all(this.running.values());
  }

  /**
   * Runs that are driven here, or about to be begun. Those that wait for people in the midst of calls, or only for agents that are
   * away, keep nobody from being served; of them there are at most as many again.
   */
  private runs(): number {
    let waiting = 0;
    for (const driver of this.active.values()) if (onlyWaits(driver) || driver.standing() === 'waiting') waiting += 1;
    let count = this.active.size - Math.min(waiting, this.runsMax);
    for (const conversationId of this.held.keys()) if (!this.active.has(conversationId)) count += 1;
    return count;
  }

  /** True if no further run may begin. Far from that, nobody is looked at: it is asked for each message. */
  private isFull(): boolean {
    return this.active.size + this.held.size >= this.runsMax && this.runs() >= this.runsMax;
  }

  private takeUp(driver: RunHandle): void {
    const { conversationId, runId, bearer } = driver;
    this.resume(conversationId, bearer).catch((error) => this.ports.onFault(error, `resuming run ${runId}`));
  }

  /** The state with an append of somebody else, if this process has seen all that stands before it. */
  private told(conversationId: string, appended: readonly RecordedFact[]): ConversationState | undefined {
    const seen = this.lastSeen(conversationId);
    if (seen === undefined || seen.revision + 1 !== appended[0]?.revision) return undefined;
    const state = fold(seen, appended);
    this.transcripts.add(conversationId, appended);
    this.remember(state);
    return state;
  }

  private remember(state: ConversationState): void {
    const known = this.states.get(state.id);
    if (known !== undefined && known.revision > state.revision) return;
    this.states.delete(state.id);
    this.states.set(state.id, state);
    const oldest = this.states.keys().next().value;
    if (this.states.size > statesKeptMax && oldest !== undefined) this.states.delete(oldest);
  }

  private nudge(conversationId: string, bearer: Secret | undefined): boolean {
    const driver = this.driver(conversationId);
    if (driver === undefined) return false;
    if (bearer !== undefined) driver.bearer = bearer;
    driver.poke();
    return true;
  }
}

/** What is told to whoever waits for an orchestrator that stops: another one may be there. */
export function stopReason(): DomainError {
  return new DomainError('unavailable', 'the orchestrator is stopping');
}
