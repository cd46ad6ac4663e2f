import { isDeepStrictEqual } from 'node:util';
import { conversationOfStream, type RecordedFact } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { askingTool, wrongWithQuestions } from '../../promises/people-asked.ts';
import { type Stream, short } from './event-store.ts';
import { isAllowed, type Question, questionIn, type Told, toldOf, toldOfSilence } from './questions.ts';
import { actionWords, type Refused } from './respondents.ts';
import type { World } from './world.ts';

/** What an agent has asked people, as the record tells it. */
type Asked = {
  readonly inputId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly callId: string;
  readonly question: Question;
  /** When that was, by the clock of whoever recorded it. */
  readonly time: number;
};

type Fact = RecordedFact['fact'];

/**
 * Rule q: an agent that asks people goes on with none of its work in that step before one of them has answered or its time is over; the
 * question ends once, and what its agent is told is what ended it; only what may be answered is; with its step or its run a question
 * ends, and whoever comes later is told what became of it.
 */
export function checkQuestions(world: World, stream: Stream, refused: readonly Refused[]): void {
  for (const what of wrongWithQuestions(short(stream.name), stream.facts)) world.violation('q', what);
  const open = new Map<string, Asked>();
  for (const [index, event] of stream.facts.entries()) checkEvent(world, stream, index, event, open);
  checkRefused(world, stream, refused);
}

function checkEvent(
  world: World,
  stream: Stream,
  index: number,
  { fact, revision, time }: RecordedFact,
  open: Map<string, Asked>,
): void {
  const wrong = (what: string): void => world.violation('q', `${short(stream.name)} event ${revision}: ${what}`);
  for (const one of open.values())
    if (goesOn(fact, one)) wrong(`${fact.case}, while ${one.callId} waits for people to answer`);
  switch (fact.case) {
    case 'inputRequested': {
      if (fact.value.agentQuestion === undefined) return;
      const asked = askedBy(stream.facts.slice(0, index), fact.value, time);
      if (asked?.question.prompt === fact.value.prompt) open.set(asked.inputId, asked);
      else wrong(`${fact.value.callId} did not ask for this`);
      return;
    }
    case 'inputProvided':
    case 'inputWithdrawn': {
      const { inputId } = fact.value;
      const asked = open.get(inputId);
      open.delete(inputId);
      if (asked !== undefined) checkEnding(world, stream, index, asked, wrong);
      else if (isOfAgent(stream.facts, inputId)) wrong(`${fact.case}, and the question ${inputId} was over`);
      return;
    }
    case 'toolCallFinished': {
      const before = stream.facts[index - 1]?.fact;
      const isAnswer = before?.case === 'inputProvided' || before?.case === 'inputWithdrawn';
      if (isAsking(stream.facts, fact.value) && !isAnswer) wrong(`${fact.value.callId} is told what nobody said`);
      return;
    }
    case 'stepCanceled':
      for (const { inputId, stepId } of open.values())
        if (isWithin(stepId, fact.value.stepId)) wrong(`${stepId} is ended, and people are still asked ${inputId}`);
      return;
    case 'runCompleted':
    case 'runFailed':
    case 'runCanceled':
      if (open.size > 0) world.count('questions that ended with their run', open.size);
      open.clear();
      return;
    default:
  }
}

/** Of a question that ends: by what, and that its agent is told so by the same append. */
function checkEnding(world: World, stream: Stream, index: number, asked: Asked, wrong: (what: string) => void): void {
  const { fact, revision, time } = stream.facts[index] as RecordedFact;
  const together = appendOf(stream, revision).filter((one) => one.revision > revision);
  const told = together.flatMap(({ fact: one }) =>
    one.case === 'toolCallFinished' && one.value.runId === asked.runId && one.value.callId === asked.callId
      ? [{ content: one.value.content, isError: one.value.isError }]
      : [],
  );
  const tells = (said: Told): void => {
    if (!isDeepStrictEqual(told, [said]))
      wrong(`its agent is told ${JSON.stringify(told)}, not ${JSON.stringify(said)}`);
  };
  if (fact.case === 'inputProvided') {
    const said = { action: fact.value.action, contentJson: fact.value.contentJson };
    world.count(said.action === wire.InputAction.ACCEPT ? 'questions answered' : 'questions left out');
    if (!isAllowed(asked.question, said)) wrong(`${said.contentJson} is no answer to ${asked.callId}`);
    else tells(toldOf(asked.question, said));
    return;
  }
  const isEnded = together.some(
    ({ fact: one }) =>
      one.case === 'runFailed' || (one.case === 'stepCanceled' && isWithin(asked.stepId, one.value.stepId)),
  );
  world.count(isEnded ? 'questions withdrawn' : 'questions that nobody answered in time');
  if (isEnded) return;
  const early = asked.time + asked.question.waitMs - time;
  if (early > 0) wrong(`${asked.callId} is not waited for any more ${early} ms before its time`);
  tells(toldOfSilence(asked.question));
}

/** What must not happen while people are asked: the step goes on, or what it is a part of ends. */
function goesOn(fact: Fact, { runId, stepId, callId }: Asked): boolean {
  switch (fact.case) {
    case 'modelResponded':
    case 'modelFailed':
    case 'modelAnsweredNothing':
    case 'stepReminded':
      return fact.value.runId === runId && fact.value.stepId === stepId;
    case 'stepFinished':
      return fact.value.runId === runId && isWithin(stepId, fact.value.stepId);
    case 'agentReturned':
      return fact.value.runId === runId && callId.startsWith(`${fact.value.callId}/`);
    case 'toolCallFinished':
      return fact.value.runId === runId && fact.value.callId === callId;
    default:
      return false;
  }
}

function askedBy(
  before: readonly RecordedFact[],
  { inputId, runId, stepId, callId }: wire.InputRequested,
  time: number,
): Asked | undefined {
  const call = callIn(before, { runId, callId });
  return call && { inputId, runId, stepId, callId, question: questionIn(call.argumentsJson), time };
}

function callIn(facts: readonly RecordedFact[], { runId, callId }: Pick<Asked, 'runId' | 'callId'>) {
  const calls = facts.flatMap(({ fact }) =>
    fact.case === 'modelResponded' && fact.value.runId === runId ? fact.value.calls : [],
  );
  return calls.find((one) => one.callId === callId && one.tool === askingTool && one.askedBy !== '');
}

/** Whether a result is that of a call that has asked people. */
const isAsking = (facts: readonly RecordedFact[], { runId, callId }: wire.ToolCallFinished): boolean =>
  facts.some(
    ({ fact }) =>
      fact.case === 'inputRequested' &&
      fact.value.agentQuestion !== undefined &&
      fact.value.runId === runId &&
      fact.value.callId === callId,
  );

const isOfAgent = (facts: readonly RecordedFact[], inputId: string): boolean =>
  facts.some(
    ({ fact }) =>
      fact.case === 'inputRequested' && fact.value.inputId === inputId && fact.value.agentQuestion !== undefined,
  );

/** Whoever was refused was told what the log says. */
function checkRefused(world: World, stream: Stream, refused: readonly Refused[]): void {
  for (const { conversationId, inputId, person, how, by, mayBeOwn } of refused) {
    if (conversationOfStream(stream.name) !== conversationId) continue;
    const [taken] = stream.facts.filter(({ fact }) => fact.case === 'inputProvided' && fact.value.inputId === inputId);
    const truth = taken?.fact.case === 'inputProvided' ? actionWords[taken.fact.value.action] : 'withdrawn';
    const what = `${person} was told that the question ${inputId} was ${how} by ${by}`;
    if (how !== truth || (taken !== undefined && taken.actor.id !== by))
      world.violation('q', `${what}; the log says ${truth} by ${taken?.actor.id ?? 'nobody'}`);
    if (by === person && !mayBeOwn) world.violation('q', `${what}, though it was theirs that was taken`);
  }
}

/** Rule l: whoever looks at the conversation is shown exactly what agents ask people now. */
export function checkShown(world: World, stream: Stream): void {
  const open = openIn(stream.facts);
  const shown = (stream.head?.pendingInputs ?? []).filter(({ agent }) => agent !== '').map(({ id }) => id);
  if (!isDeepStrictEqual(shown.toSorted(), open.toSorted()))
    world.violation(
      'l',
      `${short(stream.name)} at ${stream.facts.length}: people are asked ${shown.join()}, not ${open.join()}`,
    );
  if (open.length > 1) world.count('questions open together');
}

function openIn(facts: readonly RecordedFact[]): string[] {
  const open = new Set<string>();
  for (const { fact } of facts) {
    if (fact.case === 'inputRequested' && fact.value.agentQuestion !== undefined) open.add(fact.value.inputId);
    if (fact.case === 'inputProvided' || fact.case === 'inputWithdrawn') open.delete(fact.value.inputId);
    if (fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled') open.clear();
  }
  return [...open];
}

const appendOf = ({ made, facts }: Stream, revision: number): readonly RecordedFact[] => {
  const one = made.find(({ firstRevision, lastRevision }) => firstRevision <= revision && revision <= lastRevision);
  return one === undefined ? [] : facts.slice(one.firstRevision - 1, one.lastRevision);
};

/** The step itself, or what is below it. */
const isWithin = (id: string, step: string): boolean =>
  id === step || (id.startsWith(step) && /[/[#]/.test(id[step.length] ?? ''));
