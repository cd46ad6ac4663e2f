/** The questions of other agents: what of them is asked here, what is withdrawn, and the fence of an answer. */
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
} from './bounds.ts';
import { byteLength, cutText } from './cut.ts';
import { failedDelegation, finished } from './decide-outcome.ts';
import { describeQuestion } from './description.ts';
import { sha256Hex, uuidFrom } from './digest.ts';
import { type Fact, fact } from './facts.ts';
import { withdrawal } from './interpreter.ts';
import { canonicalJson } from './json.ts';
import { questionRequest, tokenRequest } from './requests.ts';
import type { DelegationAskedCommand, RemoteQuestion, RunCommand } from './run-commands.ts';
import type { AskedQuestion, CallState, RunState } from './state.ts';
import { askedTooOften } from './texts.ts';
import { dueAnswers } from './work.ts';

/**
 * The facts of what an agent waits for now: what is new is asked here, what is gone is withdrawn. None if that is on the
 * record, or if an answer is under way to a question that is still there: then it is for whoever sends it. Of many new
 * questions only some are taken at a time.
 */
export function delegationAsked(run: RunState, asked: DelegationAskedCommand, callRevision: number): Fact[] {
  const { callId, attempt, task, questions, answered = [] } = asked;
  const call = run.calls[callId];
  if (call?.sent === undefined || call.attempt !== attempt) return [];
  if (call.phase !== 'started' && call.phase !== 'asking') return [];
  if (byteLength(task.id) > taskWordBytesMax || byteLength(task.state) > taskWordBytesMax) return [];
  const known = call.sent.questions ?? [];
  const isThere = ({ key }: AskedQuestion): boolean => questions.some((one) => one.key === key);
  if (known.some((one) => one.messageId !== undefined && isThere(one) && !answered.includes(one.key))) return [];
  const kept = known.filter((one) => isThere(one) && !answered.includes(one.key));
  const gone = known.filter((one) => !kept.includes(one));
  const fresh = taken(
    questions.filter(({ key }) => !kept.some((one) => one.key === key)),
    remoteQuestionsMax - kept.length,
  );
  if (fresh.length === 0 && gone.length === 0 && call.phase === 'asking') return [];
  // Nothing was asked, and nothing is.
  if (fresh.length === 0 && known.length === 0) return [];
  const reason = asked.reason ?? becameOf(call, task.state);
  if (call.asked + fresh.length > askedPerCallMax)
    return [...withdrawn(run, known, reason), ...askedTooMuch(run, call)];
  const keys = [...kept, ...fresh].map(({ key }) => key);
  const text = cutText(asked.text, taskTextBytesMax).text;
  const place = { runId: run.id, stepId: call.stepId, callId, attempt };
  return [
    ...withdrawn(run, gone, reason),
    fact('delegationAsked', { ...place, task, text, keys }),
    ...fresh.map((one, index) => requestOf(run, call, one, call.asked + index + 1, asked, callRevision)),
  ];
}

/** The fence of an answer; none if the question is not there any more, or is answered already. */
export function delegationAnswered(
  run: RunState,
  { callId, attempt, key }: Extract<RunCommand, { type: 'answerDelegation' }>,
): Fact[] {
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
  const pending = gone.filter(({ askedAs }) => askedAs in run.approvals && !run.approvals[askedAs]?.decision);
  return pending.map(({ askedAs }) => withdrawal(run, askedAs, reason));
}

function becameOf({ agent = '', sent }: CallState, state: string): string {
  const task = `task ${sent?.taskId ?? ''} of the agent ${agent}`;
  return cutText(`${task} does not ask this any more: it is ${state === '' ? 'gone' : state}`, taskWordBytesMax).text;
}

function requestOf(
  run: RunState,
  call: CallState,
  question: RemoteQuestion,
  count: number,
  { task, reason = '' }: DelegationAskedCommand,
  callRevision: number,
): Fact {
  if (question.kind === 'auth') return tokenRequest(run, call.id, promptOf(call, question), question.key, count);
  const { key, approval } = question;
  const agent = call.agent ?? '';
  const shown = { tool: approval?.tool || call.tool, server: approval?.server ?? '' };
  const argumentsJson = approval?.argumentsJson ?? '';
  const agents = approval?.agents ?? [];
  const choices = choicesOf(approval?.choices ?? []);
  return questionRequest(run, call, {
    id: uuidFrom('approval', run.id, call.id, String(count)),
    ...shown,
    digest: sha256Hex(canonicalJson({ v: 1, call: call.id, attempt: call.attempt, key, ...shown, argumentsJson })),
    description: describeQuestion({ agent, agents, prompt: question.prompt, ...shown, argumentsJson, choices }),
    choices,
    reason,
    callRevision,
    question: { key, taskId: task.id, agent, approvalId: approval?.id ?? '', agents: [...agents], argumentsJson },
  });
}

function promptOf({ agent = '' }: CallState, { prompt }: RemoteQuestion): string {
  const asks = `Authentication required to access the ${agent} agent.`;
  return cutText(prompt === '' ? asks : `${asks} It says: ${prompt}`, taskTextBytesMax).text;
}

const doubtChoices = ['run_again', 'happened', 'give_up'];

/** An agent of ours asks about calls in doubt with words of their own; whatever others name, it is a yes or a no. */
function choicesOf(shown: readonly string[]): readonly string[] {
  return shown.includes('run_again') ? doubtChoices : ['approve', 'reject'];
}

/** As many as may be put on the record together, within what an agent may show. */
function taken(fresh: readonly RemoteQuestion[], most: number): RemoteQuestion[] {
  const some: RemoteQuestion[] = [];
  let bytes = 0;
  for (const one of fresh) {
    if (some.length >= most || some.some(({ key }) => key === one.key)) continue;
    const bounded = boundedQuestion(one);
    bytes += byteLength(bounded.approval?.argumentsJson ?? '') + descriptionBytesMax;
    if (some.length > 0 && bytes > remoteQuestionsBytesMax) break;
    some.push(bounded);
  }
  return some;
}

function boundedQuestion(question: RemoteQuestion): RemoteQuestion {
  const { approval } = question;
  const prompt = cutText(question.prompt, taskTextBytesMax).text;
  if (approval === undefined) return { ...question, prompt };
  const name = (text: string): string =>
    [...text.slice(0, 2 * remoteNameCharactersMax)].slice(0, remoteNameCharactersMax).join('');
  const isTooLong = byteLength(approval.argumentsJson) > argumentsBytesMax;
  const { id, choices } = approval;
  return {
    ...question,
    prompt: isTooLong
      ? `${prompt}\n\n(Its arguments are longer than ${argumentsBytesMax} bytes, and not shown.)`
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

function askedTooMuch(run: RunState, call: CallState): Fact[] {
  const { id: callId, stepId, attempt, tool, agent = '' } = call;
  const content = askedTooOften(agent, askedPerCallMax);
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
  return [finished({ runId: run.id, stepId, callId, attempt }, outcome), ...node];
}
