import type { RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { ToolRun } from '../promises/journal.ts';
import { branches, callIds, noteOf } from './agent.ts';

/** What a story came to. */
export type Told = {
  readonly message: string;
  readonly events: readonly RecordedFact[];
  /** What the tool says. */
  readonly runs: readonly ToolRun[];
  /** Calls that must have run once, and those that must never have; of all others nothing is known. */
  readonly ran: readonly string[];
  readonly neverRan: readonly string[];
  readonly isRejected: boolean;
};

/** Everything that is wrong with a story, one line each. */
export function wrongWith({ message, events, runs, ran, neverRan, isRejected }: Told): string[] {
  const timesOf = (callId: string): number => {
    const argumentsJson = JSON.stringify({ text: noteOf(message, callId) });
    return runs.filter((run) => run.argumentsJson === argumentsJson).length;
  };
  const wrong = [
    ...ran.filter((id) => timesOf(id) !== 1).map((id) => `${id} is approved, and ran ${timesOf(id)} times`),
    ...neverRan.filter((id) => timesOf(id) !== 0).map((id) => `${id} must not run, and ran ${timesOf(id)} times`),
    ...callIds.filter((id) => timesOf(id) > 1).map((id) => `${id} ran ${timesOf(id)} times`),
  ];
  const seen = new Map<string, number>();
  for (const { fact } of events) for (const name of onceNames(fact)) seen.set(name, (seen.get(name) ?? 0) + 1);
  for (const [name, times] of seen) if (times > 1) wrong.push(`${name} is on the record ${times} times`);
  const times = (name: string): number => seen.get(name) ?? 0;
  for (const [index, branch] of branches.entries())
    for (const turn of isRejected ? [1] : [1, 2])
      if (times(`answer root/${index}#${turn}`) !== 1) wrong.push(`branch ${branch} has no answer ${turn}`);
  for (const id of ran) if (times(`result ${id}`) !== 1) wrong.push(`the result of ${id} is not on the record`);
  if (events.some(({ fact }) => fact.case === 'toolCallInDoubt'))
    wrong.push('a call is in doubt, and the bridge knows');
  return [...wrong, ...wrongEnd(events, isRejected)];
}

function wrongEnd(events: readonly RecordedFact[], isRejected: boolean): string[] {
  const requested = events.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [fact.value.approvalId] : []));
  const resolved = events.flatMap(({ fact }) => (fact.case === 'approvalResolved' ? [fact.value.approvalId] : []));
  const wrong = requested.toSorted().join() === resolved.toSorted().join() ? [] : ['an approval has not one decision'];
  const end = events.findLast(({ fact }) => fact.case === 'runCompleted')?.fact;
  if (end?.case !== 'runCompleted') return [...wrong, 'the run is not completed'];
  const parts = end.value.output?.parts ?? [];
  if (isRejected) {
    if (parts[0]?.text !== 'Operation cancelled by user.') wrong.push('the run does not say that it was rejected');
    return wrong;
  }
  const answers = parts.map((part) => {
    const answer = events[part.answerRevision - 1]?.fact;
    return answer?.case === 'modelResponded' ? answer.value.text : '';
  });
  const wanted = branches.map((branch) => `${branch} is done`);
  if (answers.join() !== wanted.join()) wrong.push(`the run says ${answers.join()}`);
  return wrong;
}

function onceNames(fact: RecordedFact['fact']): string[] {
  switch (fact.case) {
    case 'modelResponded':
    case 'modelFailed':
      return [`answer ${fact.value.stepId}#${fact.value.turn}`];
    case 'stepStarted':
    case 'stepFinished':
      return [`${fact.case} ${fact.value.stepId}`];
    case 'toolCallFinished':
      return fact.value.late ? [] : [`result ${fact.value.callId}`];
    case 'approvalRequested':
    case 'approvalResolved':
      return [`${fact.case} ${fact.value.approvalId}`];
    case 'toolCallStarted':
      return [`start ${fact.value.callId} ${fact.value.attempt}`];
    default:
      return [];
  }
}

/** What must be shown as pending: the approvals of the calls that nobody has decided. */
export function wrongPending(
  events: readonly RecordedFact[],
  decided: ReadonlySet<string>,
  shown: readonly string[],
): string[] {
  const wanted = events.flatMap(({ fact }) =>
    fact.case === 'approvalRequested' && fact.value.kind === facts.ApprovalKind.TOOL && !decided.has(fact.value.callId)
      ? [fact.value.approvalId]
      : [],
  );
  return wanted.toSorted().join() === shown.toSorted().join()
    ? []
    : [`shown as pending are ${shown.length}, and ${wanted.length} are`];
}
