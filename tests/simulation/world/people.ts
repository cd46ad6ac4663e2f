import {
  type Approval,
  approvalIn,
  choiceWords,
  DomainError,
  decisionOn,
  type HumanDecision,
  interruptsOf,
  openInterrupts,
  runStanding,
} from '@stopgo/core';
import { isUnknown } from '@stopgo/log';
import { approvals, orchestrator as wire } from '@stopgo/proto';
import { type Controllers, cancelSomeStep, endPause, pauseSometime } from './controls.ts';
import { otherArguments } from './edits.ts';
import type { Fate } from './network.ts';
import type { OrchestratorProcess } from './orchestrator.ts';
import { Respondents } from './respondents.ts';
import type { ConversationPlan } from './scenario.ts';
import { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

const { DecisionKind } = approvals;

/** An answer that somebody got to a decision. */
export type Answered = {
  readonly conversationId: string;
  readonly approvalId: string;
  readonly person: string;
  readonly decision: string;
  /** `taken`: it took effect. `refused`: it was told who decided what. */
  readonly kind: 'taken' | 'refused';
  readonly toldBy: string;
  readonly toldWhat: string;
  /** An earlier or repeated request of the same person may have taken effect unseen: there was no key that would tell. */
  readonly mayBeOwn: boolean;
};

/** A command that was acknowledged, and what the log must hold since then. */
export type Acknowledged = { readonly conversationId: string; readonly what: string; readonly holds: () => boolean };

/** How long people wait before they try again, in milliseconds. */
const againMs = 700;
const { TurnOutcome } = wire;

/** The people: users who talk, approvers who decide, and somebody who cancels; they never tire of trying again. */
export class People {
  readonly answers: Answered[] = [];
  readonly acknowledged: Acknowledged[] = [];
  readonly process = new VirtualProcess('people', 'people', 0);
  private readonly world: World;
  private readonly orchestrators: () => readonly OrchestratorProcess[];
  readonly respondents: Respondents;
  private readonly attended = new Set<string>();
  private readonly ignored = new Set<string>();
  private busy = 0;
  private names = 0;

  constructor(world: World, orchestrators: () => readonly OrchestratorProcess[]) {
    this.world = world;
    this.orchestrators = orchestrators;
    this.respondents = new Respondents(this.controllers);
    for (const plan of world.scenario.conversations) this.begin(this.converse(plan));
    world.store.onAppend((stream) => {
      const plan = world.scenario.conversations.find((one) => stream.name.endsWith(one.id));
      if (plan !== undefined) this.attend(plan);
    });
  }

  /** True once everybody has what they came for. */
  areDone(): boolean {
    return this.busy === 0;
  }

  private begin(work: Promise<void>): void {
    this.busy += 1;
    work.then(
      () => {
        this.busy -= 1;
      },
      (error: unknown) =>
        this.world.violation('e', `a person gave up: ${error instanceof Error ? error.stack : error}`),
    );
  }

  private async converse(plan: ConversationPlan): Promise<void> {
    for (let turn = 1; turn <= plan.turns; turn += 1) {
      await this.pause(1_000);
      await this.say(plan, turn);
      if (this.world.random.chance(plan.cancels)) this.begin(this.cancel(plan));
      if (this.world.scenario.calls) this.control(plan);
      await this.world.until(this.process, () => this.isOver(plan));
      if (this.standing(plan) === 'waiting') return;
      this.world.count('runs settled');
    }
  }

  private get controllers(): Controllers {
    return {
      world: this.world,
      ask: this.ask.bind(this),
      checkError: this.checkError.bind(this),
      acknowledge: this.acknowledge.bind(this),
      pause: this.pause.bind(this),
      sleep: (ms) => this.clock.sleep(ms),
      begin: this.begin.bind(this),
      leave: this.leave.bind(this),
    };
  }

  /** Some people end steps, and pause runs. */
  private control(plan: ConversationPlan): void {
    if (this.world.random.chance(0.4)) this.begin(cancelSomeStep(this.controllers, plan));
    if (this.world.random.chance(0.3)) this.begin(pauseSometime(this.controllers, plan));
  }

  private standing({ id }: ConversationPlan) {
    const state = this.world.stream(id)?.states.at(-1);
    return state === undefined ? 'none' : runStanding(state);
  }

  /** Settled, or it waits for somebody who will never answer. */
  private isOver(plan: ConversationPlan): boolean {
    const standing = this.standing(plan);
    const run = this.world.stream(plan.id)?.states.at(-1)?.run ?? null;
    if (standing !== 'waiting' || run === null) return standing !== 'working' && standing !== 'none';
    const open = openInterrupts(run);
    return open.length > 0 && open.every(({ interrupt: { id } }) => this.ignored.has(id));
  }

  private hasMessage(plan: ConversationPlan, text: string): boolean {
    const facts = this.world.stream(plan.id)?.facts ?? [];
    return facts.some(({ fact }) => fact.case === 'userMessageReceived' && fact.value.text === text);
  }

  private async say(plan: ConversationPlan, turn: number): Promise<void> {
    const { random, ids } = this.world;
    const text = `message ${turn} of ${plan.id}`;
    let key = plan.hasKeys ? ids.uuid() : '';
    let exists = turn > 1;
    for (;;) {
      try {
        const answer = await this.ask('send', (orchestrator) =>
          exists
            ? orchestrator.sendMessage(plan.id, text, key, plan.hasToken, random.pick([0, 1_000, 3_000]))
            : orchestrator.createConversation(plan.id, text, key, plan.hasToken),
        );
        const outcome = answer?.outcome ?? TurnOutcome.UNSPECIFIED;
        if (outcome === TurnOutcome.SETTLED || outcome === TurnOutcome.WAITING || outcome === TurnOutcome.WORKING) {
          this.acknowledge(plan, `message "${text}"`, () => this.hasMessage(plan, text));
          return;
        }
        // It was taken as a token, and is not on the record: said again, it is another request.
        if (outcome === TurnOutcome.RESUMED_WITH_TOKEN && key !== '') key = ids.uuid();
      } catch (error) {
        // It exists already: a try that was not answered has created it.
        if (error instanceof DomainError && error.kind === 'conflict') exists = true;
        else this.checkError(error, 'a message');
        if (key === '') await this.pause(3_000);
      }
      if (key === '' && this.hasMessage(plan, text)) return;
      // A repeat that came late has begun a run of its own, which waits for somebody who will never answer.
      if (this.standing(plan) === 'waiting' && this.isOver(plan)) return;
      await this.pause(againMs);
    }
  }

  private async cancel(plan: ConversationPlan): Promise<void> {
    await this.pause(6_000);
    const runId = this.world.stream(plan.id)?.states.at(-1)?.run?.id ?? '';
    const key = plan.hasKeys ? this.world.ids.uuid() : '';
    for (;;) {
      try {
        await this.ask('cancel', (orchestrator) => orchestrator.cancelRun(plan.id, key));
        this.world.count('runs canceled');
        this.acknowledge(plan, `cancel of run ${runId}`, () =>
          (this.world.stream(plan.id)?.facts ?? []).some(({ fact }) => fact.case === 'runCanceled'),
        );
        return;
      } catch (error) {
        // Nothing to cancel any more.
        if (error instanceof DomainError && error.kind === 'failed_precondition') return;
        this.checkError(error, 'a cancel');
        await this.pause(againMs);
      }
    }
  }

  /** Looks at what waits for a human since the last event. */
  private attend(plan: ConversationPlan): void {
    const { random } = this.world;
    const run = this.world.stream(plan.id)?.states.at(-1)?.run;
    if (run === undefined || run === null || run.status !== 'open') return;
    const pause = run.paused === undefined ? undefined : `pause ${run.id} ${run.paused.at}`;
    if (pause !== undefined && !this.attended.has(pause)) {
      this.attended.add(pause);
      this.begin(endPause(this.controllers, plan, run.paused?.limitStepId !== undefined));
    }
    for (const approval of interruptsOf(run, 'approval')) {
      if (decisionOn(approval) !== undefined || this.attended.has(approval.id)) continue;
      this.attended.add(approval.id);
      this.world.count(approval.of === 'in_doubt' ? 'calls in doubt' : 'approvals asked for');
      if (random.chance(plan.silence)) {
        this.leave(approval.id);
        continue;
      }
      const people = (random.chance(plan.twoPeople) ? 2 : 1) + approval.votesNeeded - 1;
      const after = random.between(0, 3_000);
      for (let one = 0; one < people; one += 1) {
        this.begin(this.decide(plan, approval.id, approval.of, this.nextName(), after));
      }
      if (people > 1) this.world.count('double decisions');
    }
    this.respondents.attend(plan, run);
    for (const input of interruptsOf(run, 'auth')) {
      if (this.attended.has(input.id)) continue;
      this.attended.add(input.id);
      this.begin(this.bringToken(plan, input.id));
    }
  }

  private leave(interruptId: string): void {
    this.ignored.add(interruptId);
    this.world.look();
  }

  private decision(plan: ConversationPlan, kind: Approval['of'], isSecond: boolean): HumanDecision {
    const { random } = this.world;
    // Now and then somebody answers a call in doubt as if it were a plain question.
    if (kind !== 'in_doubt' || (!isSecond && random.chance(0.2))) {
      const isYes = random.chance(plan.yes);
      const argumentsJson =
        this.world.scenario.edits && isYes && !isSecond && kind === 'call' ? otherArguments(random) : undefined;
      return {
        kind: isYes ? DecisionKind.APPROVE : DecisionKind.REJECT,
        ...(argumentsJson === undefined ? {} : { argumentsJson }),
      };
    }
    return random.pick([
      { kind: DecisionKind.RUN_AGAIN },
      { kind: DecisionKind.HAPPENED, result: 'it did' },
      { kind: DecisionKind.GIVE_UP },
    ] as const);
  }

  private async decide(
    plan: ConversationPlan,
    approvalId: string,
    approvalKind: Approval['of'],
    person: string,
    afterMs: number,
  ): Promise<void> {
    await this.clock.sleep(afterMs);
    let decision = this.decision(plan, approvalKind, false);
    let key = plan.hasKeys ? this.world.ids.uuid() : '';
    for (;;) {
      try {
        const done = await this.ask('decide', (orchestrator) =>
          orchestrator.decide(plan.id, approvalId, person, decision, key),
        );
        if (done.kind !== 'refused') {
          if (this.hasVoted(plan, approvalId, person)) {
            this.world.count('votes that others had to join');
            // People may differ about what became of a call, for ever: somebody else joins.
            if (approvalKind === 'in_doubt')
              this.begin(this.decide(plan, approvalId, approvalKind, this.nextName(), againMs));
          } else this.note(plan, approvalId, person, decision, 'taken');
          await this.nudge(plan, done.kind === 'done' ? done.append.expectedRevision + done.append.facts.length : 0);
          return;
        }
        if (done.decision.kind === 'settled') {
          const { by, kind } = done.decision.decision;
          this.note(plan, approvalId, person, decision, 'refused', by, kind, key === '');
          this.world.count('decisions refused');
          return;
        }
        if (done.decision.kind === 'uneditable') this.world.count('changes refused');
        if (done.decision.kind === 'choice' || done.decision.kind === 'uneditable') {
          decision = this.decision(plan, approvalKind, true);
          key = key === '' ? '' : this.world.ids.uuid();
          continue;
        }
        // Without a key nobody is told that their first yes was taken.
        if (done.decision.kind === 'voted') return;
        // It is an approval of the past, unless a reader that lags behind said so.
        const run = this.world.stream(plan.id)?.states.at(-1)?.run;
        const approval = approvalIn(run ?? null, approvalId);
        if (approval === undefined || decisionOn(approval) !== undefined) return;
      } catch (error) {
        this.checkError(error, 'a decision');
      }
      await this.pause(againMs);
    }
  }

  private nextName(): string {
    this.names += 1;
    return `person-${this.names}`;
  }

  private hasVoted(plan: ConversationPlan, approvalId: string, person: string): boolean {
    return (this.world.stream(plan.id)?.facts ?? []).some(
      ({ fact, actor }) => fact.case === 'approvalVoted' && fact.value.approvalId === approvalId && actor.id === person,
    );
  }

  /** Tells the orchestrator to go on; losing this is harmless. */
  private async nudge(plan: ConversationPlan, minRevision: number): Promise<void> {
    const { faults } = this.world;
    if (faults.hit('nudgeLost')) return;
    const times = faults.hit('nudgeTwice') ? 2 : 1;
    for (let time = 0; time < times; time += 1)
      await this.ask('resume', (orchestrator) => orchestrator.resumeRun(plan.id, minRevision, plan.hasToken)).catch(
        (error: unknown) => this.checkError(error, 'a nudge'),
      );
  }

  private async bringToken(plan: ConversationPlan, inputId: string): Promise<void> {
    this.world.count('tokens asked for');
    const isAsked = (): boolean => this.world.stream(plan.id)?.states.at(-1)?.run?.interrupts[inputId] !== undefined;
    while (isAsked()) {
      await this.pause(2_000);
      if (!isAsked()) return;
      const isMessage = this.world.random.chance(0.5);
      await this.ask('token', async (orchestrator) => {
        if (isMessage) await orchestrator.sendMessage(plan.id, 'here is my token', '', true, 0);
        else await orchestrator.resumeRun(plan.id, 0, true);
      }).catch((error: unknown) => this.checkError(error, 'a token'));
      await this.pause(againMs);
    }
  }

  private note(
    plan: ConversationPlan,
    approvalId: string,
    person: string,
    decision: HumanDecision,
    kind: Answered['kind'],
    toldBy = '',
    toldWhat = '',
    mayBeOwn = false,
  ): void {
    const said = choiceWords[decision.kind];
    const answer = { conversationId: plan.id, approvalId, person, decision: said, kind, toldBy, toldWhat, mayBeOwn };
    this.world.trace(() => `${person} is told: ${kind} ${said} ${toldBy} ${toldWhat}`);
    this.answers.push(answer);
    if (kind === 'taken')
      this.acknowledge(plan, `decision of ${person}`, () =>
        (this.world.stream(plan.id)?.facts ?? []).some(
          ({ fact, actor }) =>
            fact.case === 'approvalResolved' && fact.value.approvalId === approvalId && actor.id === person,
        ),
      );
  }

  private acknowledge(plan: ConversationPlan, what: string, holds: () => boolean): void {
    const acknowledged = { conversationId: plan.id, what, holds };
    this.acknowledged.push(acknowledged);
    if (!holds()) this.world.violation('d', `${what} in c-${plan.id.slice(-4)} was acknowledged and is not in the log`);
  }

  /** A request to some orchestrator that is up. */
  private async ask<T>(what: string, serve: (orchestrator: OrchestratorProcess) => Promise<T>): Promise<T> {
    const ready = this.orchestrators();
    if (ready.length === 0) throw new DomainError('unavailable', 'nobody is there');
    const orchestrator = this.world.random.pick(ready);
    return this.world.network.call(this.process, orchestrator.process, what, () => serve(orchestrator), {
      fate: this.fate(),
      timeoutMs: 8_000,
    });
  }

  private fate(): Fate {
    const { faults } = this.world;
    if (faults.hit('requestLost')) return 'lost';
    if (faults.hit('answerLost')) return 'answer lost';
    return faults.hit('requestTwice') ? 'twice' : 'arrives';
  }

  /** What a person may be told: that it is not known, or to try again. Anything else is a defect. */
  private checkError(error: unknown, what: string): void {
    if (isUnknown(error)) return;
    this.world.violation(
      'e',
      `${what} was answered with ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    );
  }

  private get clock() {
    return this.world.network.clockOf(this.process);
  }

  private pause(mostMs: number): Promise<void> {
    return this.clock.sleep(this.world.random.between(0, mostMs));
  }
}
