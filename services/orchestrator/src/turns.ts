import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ConversationState, conversationStream, type RunStanding, runStanding } from '@stopgo/core';
import { views, orchestrator as wire } from '@stopgo/proto';
import type { Registry } from './driver/run/registry.ts';
import type { RunDriver } from './driver/run/run-driver.ts';
import { runFollowed } from './followed-run.ts';
import { readPastRun } from './past-run.ts';

export type Turn = MessageInitShape<typeof wire.TurnSchema>;

const outcomes: Readonly<Record<RunStanding, wire.TurnOutcome>> = {
  none: wire.TurnOutcome.SETTLED,
  completed: wire.TurnOutcome.SETTLED,
  failed: wire.TurnOutcome.SETTLED,
  canceled: wire.TurnOutcome.SETTLED,
  waiting: wire.TurnOutcome.WAITING,
  working: wire.TurnOutcome.WORKING,
};

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const waitIsOver = new Error('the wait is over');

/** Answers about conversations: waits for runs, wherever they are driven, and shows what they came to. */
export class Turns {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The turn of a conversation whose run this process drives, or has just driven. */
  async ofDriver(driver: RunDriver, waitMs: number): Promise<Turn> {
    const standing = await this.#withTimer(waitMs, (signal) => this.#registry.settled(driver, signal));
    if (standing === 'working' && driver.isEnded()) return this.ofState(driver.state, waitMs);
    if (standing === 'none') return this.now(driver.conversationId);
    const view = driver.view ?? (await this.#view(driver.conversationId));
    const waits = this.#registry.ports.waits.told(driver.conversationId);
    return { outcome: outcomes[standing], view: waits.length === 0 ? view : { ...view, waits } };
  }

  /** The turn of a conversation whose run somebody drives, from a state that is on the record. */
  async ofState(state: ConversationState, waitMs: number): Promise<Turn> {
    const driver = this.#registry.driver(state.id);
    if (driver !== undefined && driver.runId === state.run?.id) return this.ofDriver(driver, waitMs);
    if (runStanding(state) === 'working')
      await this.#withTimer(waitMs, (signal) => runFollowed(this.#registry.ports, state, signal));
    return this.now(state.id);
  }

  /** The conversation as it stands. */
  async now(conversationId: string): Promise<Turn> {
    const view = await this.#view(conversationId);
    return { outcome: outcomeOfView(view), view };
  }

  /** An answer that nothing was taken, or why. */
  async refused(conversationId: string, outcome: wire.TurnOutcome): Promise<Turn> {
    return { outcome, view: await this.#view(conversationId) };
  }

  /** The turn of a request that was made before: of the run that it started, even if others have followed. */
  async ofPast(state: ConversationState, firstRevision: number, lastRevision: number, waitMs: number): Promise<Turn> {
    const messageRevision = state.run?.messageRevision ?? 0;
    const isLatest = messageRevision === 0 || lastRevision >= messageRevision;
    if (isLatest) return this.ofState(state, waitMs);
    const view = await this.#view(state.id);
    const past = await readPastRun(this.#registry.ports.log, state.id, firstRevision);
    if (past === undefined || view.head === undefined) return { outcome: outcomeOfView(view), view };
    // What the latest run waits for is not this one's.
    const { pipeline: _, ...latest } = view.head;
    const head = { ...latest, run: past, pendingApprovalIds: [], pendingInputs: [], authPrompt: '' };
    return { outcome: wire.TurnOutcome.SETTLED, view: { ...view, head, pendingApprovals: [], waits: [] } };
  }

  /**
   * The turn of a message that was sent before. One that was taken as a token is answered so again: it is not on the record as a message,
   * and whoever did not hear the first answer is to know that.
   */
  async ofRepeat(state: ConversationState, firstRevision: number, lastRevision: number, waitMs: number): Promise<Turn> {
    const turn = await this.ofPast(state, firstRevision, lastRevision, waitMs);
    for await (const { fact } of this.#registry.ports.log.read(conversationStream(state.id), firstRevision))
      return fact.case === 'inputProvided' ? { ...turn, outcome: wire.TurnOutcome.RESUMED_WITH_TOKEN } : turn;
    return turn;
  }

  #view(conversationId: string): Promise<views.ConversationView> {
    return this.#registry.ports.log.view(conversationId);
  }

  async #withTimer<T>(waitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const timer = this.#registry.ports.clock.sleep(waitMs, over.signal).then(
      () => over.abort(waitIsOver),
      () => undefined,
    );
    try {
      return await work(over.signal);
    } finally {
      over.abort(waitIsOver);
      await timer;
    }
  }
}

function outcomeOfView(view: views.ConversationView): wire.TurnOutcome {
  switch (view.head?.run?.status) {
    case views.RunStatus.WORKING:
      return wire.TurnOutcome.WORKING;
    case views.RunStatus.WAITING:
      return wire.TurnOutcome.WAITING;
    default:
      return wire.TurnOutcome.SETTLED;
  }
}
