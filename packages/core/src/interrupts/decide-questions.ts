/** The questions of other agents: what of them is asked here, what is withdrawn, and the fence of an answer. */

import { describeQuestion } from '../calls/description.ts';
import { delegatingNode, failedDelegation, finished } from '../calls/finished.ts';
import { type Fact, fact } from '../events/facts.ts';
import { remoteOf } from '../events/target.ts';
import type { AskedQuestion, CallState, RunState } from '../state/state.ts';
import { dueAnswers } from '../state/work.ts';
import {
  argumentsBytesMax,
  askedPerCallMax,
  descriptionBytesMax,
  remoteChainMax,
  remoteNameCharactersMax,
  remoteQuestionsBytesMax,
  remoteQuestionsMax,
  taskTextBytesMax,
  taskWordBytesMax,
} from '../text/bounds.ts';
import { byteLength, cutText } from '../text/cut.ts';
import { uuidFrom } from '../text/digest.ts';
import { askedTooOften, tokenInQuestion, unreadableQuestion } from '../text/texts.ts';
import { quotedLines, quotedName } from '../text/visible.ts';
import type { AnswerDelegation, DelegationAskedCommand, RemoteQuestion } from './commands.ts';
import { isPending, withdrawal } from './kinds/approval.ts';
import { choicesOf, questionDigest, stateOfQuestion, wellFormed } from './question-identity.ts';
import { questionRequest, tokenRequest } from './requests.ts';

/** When something is asked, and which webhooks are told of it. */
export type AskedIn = { readonly now: number; readonly notify: readonly string[] };

/**
 * The facts of what an agent waits for now: what is new is asked here, what is gone is withdrawn. None if that is on the
 * record, or if an answer is under way to a question that is still there: then it is for whoever sends it. Of many new
 * questions only some are taken at a time.
 */
export function delegationAsked(
  run: RunState,
  asked: DelegationAskedCommand,
  callRevision: number,
  { now, notify }: AskedIn,
): Fact[] {
  const { callId, attempt, task, questions, closed = [], notTaken = [] } = asked;
  const call = run.calls[callId];
  if (call?.sent === undefined || call.attempt !== attempt) return [];
  if (call.phase !== 'started' && call.phase !== 'asking') return [];
  if (byteLength(task.id) > taskWordBytesMax || byteLength(task.state) > taskWordBytesMax) return [];
  const known = call.sent.questions ?? [];
  const isOpen = ({ key }: AskedQuestion): boolean => !closed.includes(key);
  const isSent = ({ messageId }: AskedQuestion): boolean => messageId !== undefined;
  if (known.some((one) => isSent(one) && isOpen(one) && stateOfQuestion(call, one, questions) !== 'gone')) return [];
  const kept = known.filter((one) => isOpen(one) && stateOfQuestion(call, one, questions) === 'there');
  const gone = known.filter((one) => !kept.includes(one));
  if (!areTold(call, questions))
    return [
      ...withdrawn(run, known, becameOf(call, task.state)),
      ...failedCall(run, call, whyNotTold(call, questions)),
    ];
  const isKept = (one: RemoteQuestion): boolean =>
    kept.some((asked) => stateOfQuestion(call, asked, [one]) === 'there');
  const fresh = taken(
    questions.filter((one) => !isKept(one)),
    remoteQuestionsMax - kept.length,
  );
  if (fresh.length === 0 && gone.length === 0 && call.phase === 'asking') return [];
  // Nothing was asked, and nothing is.
  if (fresh.length === 0 && known.length === 0) return [];
  const reason = asked.reason ?? becameOf(call, task.state);
  if (call.asked + fresh.length > askedPerCallMax) {
    const tooOften = askedTooOften(remoteOf(call.target), askedPerCallMax);
    return [...withdrawn(run, known, reason), ...failedCall(run, call, tooOften)];
  }
  const keys = [...kept, ...fresh].map(({ key }) => key);
  const text = cutText(asked.text, taskTextBytesMax).text;
  const place = { runId: run.id, stepId: call.stepId, callId, attempt };
  return [
    ...withdrawn(run, gone, reason),
    fact('delegationAsked', {
      ...{ ...place, task, text, keys },
      notTaken: known.filter((one) => isSent(one) && notTaken.includes(one.key)).map(({ key }) => key),
    }),
    ...fresh.map((one, index) =>
      requestOf(run, call, one, call.asked + index + 1, { asked, callRevision, now, notify }),
    ),
  ];
}

/** True if all can be bound, and no two of one name are to be told apart: else an answer might go to what nobody saw. */
function areTold(call: CallState, questions: readonly RemoteQuestion[]): boolean {
  const known = new Map<string, string>();
  for (const one of questions) {
    const digest = questionDigest(call, one);
    if (digest === undefined || (known.get(one.key) ?? digest) !== digest) return false;
    known.set(one.key, digest);
  }
  return true;
}

function whyNotTold({ target }: CallState, questions: readonly RemoteQuestion[]): string {
  const agent = remoteOf(target);
  return questions.some(({ holdsToken }) => holdsToken) ? tokenInQuestion(agent) : unreadableQuestion(agent);
}

/** The fence of an answer; none if the question is not there any more, or is answered already. */
export function delegationAnswered(run: RunState, { callId, attempt, key }: AnswerDelegation): Fact[] {
  const call = run.calls[callId];
  if (call === undefined || call.attempt !== attempt || (call.phase !== 'asking' && call.phase !== 'started'))
    return [];
  const question = dueAnswers(run, call).find((one) => one.key === key);
  if (question === undefined) return [];
  const { askedAs: approvalId } = question;
  const messageId = uuidFrom('answer', run.id, approvalId);
  const place = { runId: run.id, stepId: call.stepId, callId, attempt };
  return [fact('delegationAnswered', { ...place, key, messageId, approvalId })];
}

/** The answer that is due needs a token, and none is at hand. */
export function tokenForAnswer(run: RunState, call: CallState, prompt: string): Fact[] {
  const [due] = dueAnswers(run, call);
  if (due === undefined) return [];
  return [tokenRequest(run, call.id, prompt, due.verdict === 'token' ? due.key : '')];
}

function withdrawn(run: RunState, gone: readonly AskedQuestion[], reason: string): Fact[] {
  const pending = gone.filter(({ askedAs }) => isPending(run, askedAs));
  return pending.map(({ askedAs }) => withdrawal(run, askedAs, reason));
}

function becameOf({ target, sent }: CallState, state: string): string {
  const task = `task ${sent?.taskId ?? ''} of the agent ${remoteOf(target)}`;
  return cutText(`${task} does not ask this any more: it is ${state === '' ? 'gone' : state}`, taskWordBytesMax).text;
}

function requestOf(
  run: RunState,
  call: CallState,
  shownQuestion: RemoteQuestion,
  count: number,
  {
    asked,
    callRevision,
    now,
    notify,
  }: AskedIn & { readonly asked: DelegationAskedCommand; readonly callRevision: number },
): Fact {
  const { task, reason = '' } = asked;
  const question = boundedQuestion(shownQuestion);
  if (question.kind === 'auth') return tokenRequest(run, call.id, promptOf(call, question), question.key, count);
  const { key, approval } = question;
  const agent = remoteOf(call.target);
  const shown = { tool: approval?.tool || call.tool, server: approval?.server ?? '' };
  const argumentsJson = approval?.argumentsJson ?? '';
  const agents = approval?.agents ?? [];
  const choices = choicesOf(approval?.choices ?? []);
  const digest = questionDigest(call, shownQuestion) ?? '';
  const request = {
    id: uuidFrom('approval', run.id, call.id, String(count)),
    ...shown,
    digest,
    description: describeQuestion({ agent, agents, prompt: question.prompt, ...shown, argumentsJson, choices }),
    choices,
    reason,
    callRevision,
    notify,
    question: { key, taskId: task.id, agent, approvalId: approval?.id ?? '', agents: [...agents], argumentsJson },
  };
  return questionRequest(run, call, request, now);
}

function promptOf({ target }: CallState, { prompt }: RemoteQuestion): string {
  const asks = `Authentication required to access the ${quotedName(remoteOf(target))} agent.`;
  return cutText(prompt === '' ? asks : `${asks} It says:\n${quotedLines(prompt)}`, taskTextBytesMax).text;
}

/** As many as may be put on the record together, within what an agent may show. */
function taken(fresh: readonly RemoteQuestion[], most: number): RemoteQuestion[] {
  const some: RemoteQuestion[] = [];
  let bytes = 0;
  for (const one of fresh) {
    if (some.length >= most || some.some(({ key }) => key === one.key)) continue;
    bytes += Math.min(byteLength(one.approval?.argumentsJson ?? ''), argumentsBytesMax) + descriptionBytesMax;
    if (some.length > 0 && bytes > remoteQuestionsBytesMax) break;
    some.push(one);
  }
  return some;
}

/** As it is shown here. What cannot be shown cannot be allowed: only a no is offered. */
function boundedQuestion(question: RemoteQuestion): RemoteQuestion {
  const { approval } = question;
  const prompt = cutText(wellFormed(question.prompt), taskTextBytesMax).text;
  if (approval === undefined) return { ...question, prompt };
  const name = (text: string): string =>
    [...wellFormed(text.slice(0, 2 * remoteNameCharactersMax))].slice(0, remoteNameCharactersMax).join('');
  const isTooLong = byteLength(approval.argumentsJson) > argumentsBytesMax;
  const { id } = approval;
  const choices = isTooLong ? choicesOf(approval.choices).slice(-1) : approval.choices;
  return {
    ...question,
    prompt: isTooLong
      ? `(Its arguments are longer than ${argumentsBytesMax} bytes, and not shown: it can only be declined.)\n\n${prompt}`
      : prompt,
    approval: {
      id,
      choices,
      tool: name(approval.tool),
      server: name(approval.server),
      argumentsJson: isTooLong ? '' : approval.argumentsJson,
      agents: approval.agents.slice(-remoteChainMax).map(name),
    },
  };
}

function failedCall(run: RunState, call: CallState, content: string): Fact[] {
  const { id: callId, stepId, attempt, tool } = call;
  const agent = remoteOf(call.target);
  const outcome = {
    type: 'callFinished',
    callId,
    attempt,
    tool,
    content,
    isError: true,
    durationMs: 0,
    by: { agent },
  } as const;
  const node = run.steps[stepId]?.type === 'a2a' ? [failedDelegation(run, stepId, content)] : [];
  return [finished({ runId: run.id, stepId, callId, attempt }, outcome, delegatingNode(run, stepId)), ...node];
}
