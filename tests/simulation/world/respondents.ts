import { DomainError, interruptsOf, type RunState } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { askingTool } from '../../promises/people-asked.ts';
import { type Controllers, cancelStep } from './controls.ts';
import { allowed, forbidden, isAllowed, isEndless, type Question, questionIn, type Said } from './questions.ts';
import type { ConversationPlan } from './scenario.ts';

/** What somebody was told of their answer to an agent that was not taken: what had become of the question, and by whom. */
export type Refused = {
  readonly conversationId: string;
  readonly inputId: string;
  readonly person: string;
  readonly how: string;
  readonly by: string;
  /** An earlier or repeated request of the same person may have been taken unseen: there was no key that would tell. */
  readonly mayBeOwn: boolean;
};

/** How long people wait before they try again, in milliseconds. */
const againMs = 700;

/** A question, and the call that waits for its answer. */
type Asking = { readonly id: string; readonly callId: string };

/** An answer of somebody, as often as it is given. */
type Answer = {
  readonly plan: ConversationPlan;
  readonly inputId: string;
  readonly question: Question;
  readonly person: string;
};

/** The people whom agents ask: they answer, leave out, come twice, come too late, or not at all. */
export class Respondents {
  readonly refused: Refused[] = [];
  private readonly people: Controllers;
  private readonly attended = new Set<string>();

  constructor(people: Controllers) {
    this.people = people;
  }

  /** Looks at what agents ask since the last event. */
  attend(plan: ConversationPlan, run: RunState): void {
    for (const request of interruptsOf(run, 'request')) {
      if (this.attended.has(request.id)) continue;
      this.attended.add(request.id);
      this.respond(plan, run.id, request);
    }
  }

  private respond(plan: ConversationPlan, runId: string, { id: inputId, callId }: Asking): void {
    const { world, begin, leave } = this.people;
    const { random } = world;
    const question = this.questionOf(plan, runId, callId);
    world.count('questions asked');
    const stepId = callId.slice(0, callId.lastIndexOf('#'));
    if (stepId !== 'root' && random.chance(0.1)) begin(this.endBelow(plan, stepId));
    if (random.chance(isEndless(question) ? plan.silence : 0.3)) {
      if (isEndless(question)) leave(inputId);
      return;
    }
    const mostMs = isEndless(question) ? 3_000 : 1.5 * question.waitMs;
    const afterMs = random.between(0, mostMs);
    const persons = random.chance(plan.twoPeople) ? 2 : 1;
    for (let one = 1; one <= persons; one += 1) {
      const answer = { plan, inputId, question, person: `respondent-${this.attended.size}.${one}` };
      begin(this.answer(answer, persons === 1 ? afterMs : afterMs + random.between(0, 50)));
    }
  }

  private questionOf(plan: ConversationPlan, runId: string, callId: string): Question {
    const facts = this.people.world.stream(plan.id)?.facts ?? [];
    const [call] = facts.flatMap(({ fact }) =>
      fact.case === 'modelResponded' && fact.value.runId === runId
        ? fact.value.calls.filter((one) => one.callId === callId && one.tool === askingTool)
        : [],
    );
    if (call === undefined) throw new Error(`nobody has made the call ${callId}`);
    return questionIn(call.argumentsJson);
  }

  /** Somebody has no use for what the agent does, whatever it asks. */
  private async endBelow(plan: ConversationPlan, stepId: string): Promise<void> {
    await this.people.pause(3_000);
    await cancelStep(this.people, plan, stepId);
  }

  private async answer(answer: Answer, afterMs: number): Promise<void> {
    const { people } = this;
    const { world } = people;
    const { plan, inputId, question } = answer;
    const newKey = () => (plan.hasKeys ? world.ids.uuid() : '');
    await people.sleep(afterMs);
    let said = world.random.chance(0.2) ? forbidden(world.random, question) : allowed(world.random, question);
    let key = newKey();
    for (;;) {
      try {
        await this.provide(answer, said, key);
        this.acknowledge(answer, said);
        if (key !== '' && world.random.chance(0.4)) await this.again(answer, said, key);
        return;
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'invalid_argument' && !isAllowed(question, said)) {
          world.count('answers not allowed');
          said = allowed(world.random, question);
          key = newKey();
          continue;
        }
        if (this.isSettled(answer, error, key)) return;
        // It is a question of the past, unless a reader that lags behind said so.
        const isGone = error instanceof DomainError && error.kind === 'not_found';
        if (isGone && !this.isOpen(plan, inputId)) return;
        if (!isGone) people.checkError(error, 'an answer to an agent');
      }
      await people.pause(againMs);
    }
  }

  private isSettled({ plan, inputId, person }: Answer, error: unknown, key: string): boolean {
    if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') return false;
    const { reason, how = '', by = '' } = error.details;
    if (reason !== 'settled') return false;
    const { world } = this.people;
    world.count('answers to agents refused');
    world.trace(() => `${person} is told: ${how} by ${by}`);
    this.refused.push({ conversationId: plan.id, inputId, person, how, by, mayBeOwn: key === '' });
    return true;
  }

  private provide({ plan, inputId, person }: Answer, said: Said, key: string): Promise<unknown> {
    return this.people.ask('answer', (one) => one.provideInput(plan.id, inputId, said, person, key, plan.hasToken));
  }

  private acknowledge({ plan, inputId, person }: Answer, { action, contentJson }: Said): void {
    this.people.acknowledge(plan, `answer of ${person}`, () =>
      (this.people.world.stream(plan.id)?.facts ?? []).some(
        ({ fact, actor }) =>
          fact.case === 'inputProvided' &&
          fact.value.inputId === inputId &&
          fact.value.action === action &&
          fact.value.contentJson === contentJson &&
          actor.id === person,
      ),
    );
  }

  /** The same key once more: with the same answer it was taken, and with another one it is refused. */
  private async again(answer: Answer, said: Said, key: string): Promise<void> {
    const { people } = this;
    const { world } = people;
    const other = world.random.chance(0.5) ? said : allowed(world.random, answer.question);
    const isSame = other.action === said.action && other.contentJson === said.contentJson;
    await people.pause(2_000);
    try {
      await this.provide(answer, other, key);
      world.count('answers to agents repeated');
      if (!isSame) world.violation('q', `${answer.person} answers otherwise with the same key, and it is taken`);
    } catch (error) {
      const isMismatch = error instanceof DomainError && error.details.reason === 'idempotency_mismatch';
      if (isMismatch && !isSame) world.count('answers under a used key refused');
      else people.checkError(error, 'an answer that is repeated');
    }
  }

  private isOpen(plan: ConversationPlan, inputId: string): boolean {
    const run = this.people.world.stream(plan.id)?.states.at(-1)?.run;
    return run?.status === 'open' && run.interrupts[inputId] !== undefined;
  }
}

/** How a refusal names what somebody did. */
export const actionWords: Readonly<Partial<Record<wire.InputAction, string>>> = {
  [wire.InputAction.ACCEPT]: 'accepted',
  [wire.InputAction.DECLINE]: 'declined',
  [wire.InputAction.CANCEL]: 'canceled',
};
