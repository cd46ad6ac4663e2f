import { conversationStream, decidedWord, parkedCalls, type RecordedFact, type RemoteQuestion } from '@stopgo/core';
import type { DelegationAnswer, DelegationRequest, LookedUp } from '@stopgo/orchestrator';
import { ownedSince } from './checks-now.ts';
import { type Stream, short } from './event-store.ts';
import { isOver, type Question, type Task, textOf, traitsOf } from './remote-task.ts';
import type { World } from './world.ts';

/**
 * The rules of what is asked and answered at other agents. They read the raw facts and what the agents did, so that a defect
 * in the fold cannot hide from them.
 */

/** Within this virtual time whoever is alive has noticed what became of a task, in milliseconds. */
const noticedMs = 30_000;

/** An answer on its way to an agent. */
type Sent = {
  readonly instance: string;
  readonly messageId: string;
  /** What the agent showed this process when it looked last. */
  readonly shown: readonly RemoteQuestion[];
  isRefused: boolean;
};

type Notes = {
  readonly sent: Sent[];
  readonly looks: Map<string, readonly RemoteQuestion[]>;
  readonly acted: Map<string, string>;
};
const notesOf = new WeakMap<World, Notes>();

function notes(world: World): Notes {
  const known = notesOf.get(world) ?? { sent: [], looks: new Map(), acted: new Map() };
  notesOf.set(world, known);
  return known;
}

function factsOf(world: World, { key }: DelegationRequest): readonly RecordedFact[] {
  return world.store.stream(conversationStream(key.conversationId))?.facts ?? [];
}

function nameOf({ key }: DelegationRequest): string {
  return `${key.callId} attempt ${key.attempt} of c-${key.conversationId.slice(-4)}`;
}

/** Rules b and g, when a delegation is sent: fenced by this process' append, or one that the agent promises to take once. */
export function checkDelegated(world: World, instance: string, request: DelegationRequest): void {
  const started = factsOf(world, request).find(
    ({ fact }) => fact.case === 'delegationStarted' && fact.value.messageId === request.messageId,
  );
  const what = `${instance} sent ${nameOf(request)}`;
  world.trace(() => what);
  if (started === undefined) world.violation('g', `${what}, and its start is not on the record`);
  else if (!traitsOf(request.agent.url).isIdempotent) {
    if (started.actor.id !== instance)
      world.violation('g', `${what}, but ${started.actor.id} put its start on the record`);
    const facts = factsOf(world, request);
    const isOpen = !facts.some(({ fact }) => isEnd(fact) && fact.value.runId === request.key.runId);
    if (isOpen && ownedSince(facts, request.key.runId, instance) === undefined)
      world.violation('g', `${what}, and does not own the run any more`);
  }
}

/** Rule b, when an agent makes a task: one of each message, unless it was lost to it. */
export function checkNewTask(world: World, request: DelegationRequest, tasks: Iterable<Task>): void {
  for (const one of tasks)
    if (one.request.messageId === request.messageId)
      world.violation('b', `the agent makes a second task of ${nameOf(request)}`);
}

export function noteLook(world: World, instance: string, { contextId }: DelegationRequest, found: LookedUp): void {
  notes(world).looks.set(`${instance} ${contextId}`, found.kind === 'asks' ? found.questions : []);
}

export function noteRefused(sent: Sent): void {
  sent.isRefused = true;
}

/** Rules g and m, when an answer is sent: fenced, by an owner, after a look that shows its question, and once if in words. */
export function checkAnswerSent(
  world: World,
  instance: string,
  request: DelegationRequest,
  answer: DelegationAnswer,
): Sent {
  const { sent, looks } = notes(world);
  const { messageId } = answer;
  const facts = factsOf(world, request);
  const fence = fenceOf(facts, messageId);
  const what = `${instance} answers ${answer.verdict} to ${fence?.key ?? 'nothing'} of ${nameOf(request)}`;
  world.trace(() => what);
  const shown = looks.get(`${instance} ${request.contextId}`) ?? [];
  const earlier = sent.filter((one) => one.messageId === messageId);
  const now: Sent = { instance, messageId, shown, isRefused: false };
  sent.push(now);
  world.count(earlier.length > 0 ? 'answers sent again' : 'answers sent');
  if (fence === undefined) {
    world.violation('g', `${what}, which is not on the record`);
    return now;
  }
  const isOwned = ownedSince(facts, request.key.runId, instance) !== undefined;
  const isOpen = !facts.some(({ fact }) => isEnd(fact) && fact.value.runId === request.key.runId);
  if (isOpen && fence.instance !== instance && !isOwned)
    world.violation('g', `${what}, and neither fenced nor owns it`);
  if (isOpen && !isOwned) world.violation('g', `${what}, and does not own the run any more`);
  const keys = shown.map(({ key }) => key);
  if (!keys.includes(fence.key)) world.violation('m', `${what}, but was shown ${keys.join() || 'no question'} last`);
  const isBound = answer.approvalId !== '' || traitsOf(request.agent.url).isIdempotent;
  if (!isBound && !earlier.every((one) => one.isRefused))
    world.violation('m', `${what} again, in words, and the one before may be on its way`);
  return now;
}

type Fence = { readonly key: string; readonly instance: string; readonly askedAs: string };

function fenceOf(facts: readonly RecordedFact[], messageId: string): Fence | undefined {
  for (const { fact, actor } of facts)
    if (fact.case === 'delegationAnswered' && fact.value.messageId === messageId)
      return { key: fact.value.key, instance: actor.id, askedAs: fact.value.approvalId };
  return undefined;
}

function isEnd(
  fact: RecordedFact['fact'],
): fact is Extract<RecordedFact['fact'], { case: 'runCompleted' | 'runFailed' | 'runCanceled' }> {
  return fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled';
}

/** Rule m, when an agent acts on an answer: somebody here decided exactly so, of exactly what it shows. */
export function checkDecision(
  world: World,
  instance: string,
  task: Task,
  question: Question,
  { messageId, verdict }: DelegationAnswer,
): void {
  const { sent, acted } = notes(world);
  const { request } = task;
  const facts = factsOf(world, request);
  const fence = fenceOf(facts, messageId);
  const what = `${task.id} takes ${verdict} of ${instance} for ${question.shown.key}`;
  const before = acted.get(messageId);
  if (before !== undefined) world.violation('m', `${what}, and took the same answer before, for ${before}`);
  acted.set(messageId, question.shown.key);
  world.count('answers taken there');
  const isNamed = question.shown.approval !== undefined && verdict !== 'token';
  const last = sent.findLast((one) => one.instance === instance && one.messageId === messageId);
  const seen = last?.shown.find(({ key }) => key === fence?.key);
  if (fence !== undefined && fence.key !== question.shown.key && !isNamed) {
    // In words, or with a token, an answer names no question: somebody there was quicker than the message.
    if (seen !== undefined) world.count('answers in words that met another question');
    else world.violation('m', `${what}, but it was meant for ${fence.key}`);
    return;
  }
  const wasAsked = (shown: RemoteQuestion) =>
    facts.some(({ fact }) => standsFor(fact, fence?.askedAs ?? '', request, shown));
  if (!wasAsked(question.shown)) {
    // The agent has put another question under the same id since the look that the answer was sent after.
    if (seen === undefined || !wasAsked(seen)) {
      world.violation('m', `${what}, which nobody here was asked like that`);
      return;
    }
    world.count('answers that met what their question had become');
  }
  const decided = facts.flatMap(({ fact, actor }) => {
    if (fact.case === 'inputProvided' && fact.value.inputId === fence?.askedAs) return ['token'];
    if (fact.case !== 'approvalResolved' || fact.value.approvalId !== fence?.askedAs) return [];
    return actor.kind === 'approver' ? [decidedWord(fact.value.decision)] : [];
  });
  if (decided.length !== 1 || decided[0] !== verdict)
    world.violation('m', `${what}, but here it was decided ${decided.join() || 'by nobody'}`);
}

/** True for what asked people here this very question of the task. */
function standsFor(fact: RecordedFact['fact'], id: string, { key }: DelegationRequest, shown: RemoteQuestion): boolean {
  if (fact.case === 'inputRequested')
    return fact.value.inputId === id && fact.value.question === shown.key && fact.value.callId === key.callId;
  if (fact.case !== 'approvalRequested' || fact.value.approvalId !== id) return false;
  const { callId, question } = fact.value;
  const { approval } = shown;
  return (
    callId === key.callId &&
    question?.key === shown.key &&
    question.argumentsJson === (approval?.argumentsJson ?? '') &&
    question.approvalId === (approval?.id ?? '')
  );
}

/** Rules m and n of a world that has come to rest. */
export function checkTasks(world: World, stream: Stream): void {
  const where = short(stream.name);
  for (const { fact, revision } of stream.facts) {
    if (fact.case === 'delegationAnswered') checkFence(world, stream, fact.value, `${where} event ${revision}`);
    if (fact.case === 'delegationFinished') checkOutcome(world, fact.value, `${where} event ${revision}`);
  }
  checkWaiting(world, stream);
  for (const task of world.remote.tasks.values())
    if (stream.name === conversationStream(task.request.key.conversationId)) checkLeft(world, stream, task);
}

function checkFence(
  world: World,
  { facts }: Stream,
  { approvalId, key }: { readonly approvalId: string; readonly key: string },
  where: string,
): void {
  for (const { fact } of facts) {
    if (fact.case !== 'approvalResolved' || fact.value.approvalId !== approvalId) continue;
    const what = decidedWord(fact.value.decision);
    if (what === 'withdrawn') world.violation('m', `${where}: ${key} is answered, and its approval was withdrawn`);
  }
}

/** Rule m: what is recorded as the agent's result is what its task came to. */
function checkOutcome(
  world: World,
  {
    task,
    content,
    callId,
  }: { readonly task?: { readonly id: string } | undefined; readonly content: string; readonly callId: string },
  where: string,
): void {
  if (task === undefined || task.id === '') return;
  const there = world.remote.tasks.get(task.id);
  if (there === undefined || !isOver(there) || textOf(there) !== content)
    world.violation('m', `${where}: ${callId} came to "${content}", and ${task.id} is ${there?.state ?? 'none'}`);
}

/** Rule n: what waits here for people waits there as well, and the other way round. */
function checkWaiting(world: World, stream: Stream): void {
  const run = stream.states.at(-1)?.run ?? null;
  if (run === null || run.status !== 'open') return;
  for (const call of parkedCalls(run)) {
    const task = world.remote.tasks.get(call.sent?.taskId ?? '');
    if (task !== undefined && world.scheduler.now - task.changedAt < noticedMs) continue;
    const there = (task?.open ?? []).map(({ shown }) => shown.key).sort();
    const here = (call.sent?.questions ?? []).map(({ key }) => key).sort();
    if (there.join() !== here.join())
      world.violation(
        'n',
        `${short(stream.name)}: ${call.id} waits for ${here.join()}; ${task?.id ?? 'no task'} asks ${there.join() || 'nothing'}`,
      );
    world.count('questions left open');
  }
}

/** Rule n: the task of a run that was ended here is ended there, or it is on the record that nobody knows of it. */
function checkLeft(world: World, stream: Stream, task: Task): void {
  if (isOver(task)) return;
  const { runId, callId, attempt } = task.request.key;
  const isOfRun = ({ fact }: RecordedFact): boolean => 'runId' in fact.value && fact.value.runId === runId;
  const facts = stream.facts.filter(isOfRun);
  const end = facts.find(({ fact }) => isEnd(fact));
  if (end === undefined) return;
  const isUnknown = facts.some(
    ({ fact }) => fact.case === 'toolCallInDoubt' && fact.value.callId === callId && fact.value.attempt === attempt,
  );
  const before = stream.states[end.revision - 1]?.run?.calls[callId];
  // One that was seen to wait can be found, and ended; of an attempt that a human had run again only the doubt is known.
  if (isUnknown && (before?.phase !== 'asking' || before.attempt !== attempt)) {
    world.count('tasks that nobody knows of');
    return;
  }
  world.violation(
    'n',
    `${short(stream.name)}: ${task.id} of ${callId} (${before?.phase}) is ${task.state} though its run ended at ${end.revision}`,
  );
}
