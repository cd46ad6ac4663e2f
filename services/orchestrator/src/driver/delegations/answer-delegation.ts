/**
 * Goes on with a task whose agent has asked something here.
 *
 * 1. The task is looked at before anything is sent: an answer goes only to a question that is still there, and still shows
 *    what was decided on.
 * 2. An answer is sent by the process whose append wrote `DelegationAnswered`. It is sent again only after a look that shows
 *    the question, the same in all that was shown of it, and only where it can be taken for no other question's: the agent
 *    shows an id, or promises to take a message once. Otherwise nobody knows, and a human decides.
 * 3. What this process has heard to be taken it never sends again; what it has heard to be refused it may. Neither is on the
 *    record: of what another process has sent, this one only knows that it may be there.
 */
import {
  type AskedQuestion,
  type CallState,
  conversationStream,
  dueAnswers,
  type RunState,
  stateOfQuestion,
} from '@stopgo/core';
import type { AgentAsks, DelegationAnswer, DelegationRequest, LookedUp } from '../../delegation-port.ts';
import { believed, lookedUp, tellDefect } from '../handle/agent-news.ts';
import { decidedBy } from '../handle/decided-by.ts';
import { isWanted } from '../handle/is-wanted.ts';
import { authPrompt, needsToken } from '../handle/needs-token.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { surelyStill, sureOf } from '../handle/sure-of.ts';
import { AgentSilence } from './agent-silence.ts';
import {
  type Asking,
  askPauseMostMs,
  askPauseMs,
  attended,
  type DelegationEnd,
  findOut,
  isAnothers,
  latest,
  note,
  patienceMs,
  requestOf,
} from './send-delegation.ts';

/** Times that an answer is sent to a question that is still shown; then it is for people what becomes of it. */
const sendsMax = 5;
/** Looks at a task that still shows what it has taken the answer to, before that is another question. */
const staleLooksMax = 6;
/** Longest pause between looks while more answers may come, in milliseconds. */
const moreAnswersPauseMs = 1_000;

/** What is known of the answers that this process has sent. */
type Sent = {
  /** Keys of questions whose answer was taken. */
  readonly answered: Set<string>;
  /** By key, how often an answer was sent that was not taken, as far as anybody knows. */
  readonly sends: Map<string, number>;
  /** Keys of questions whose answer may have arrived all the same, whoever has sent it. */
  readonly lost: Set<string>;
};

/** What a look led to: the end, another look at once, or one after a pause. */
type Next = { readonly end: DelegationEnd | undefined } | 'look again' | 'wait';

/** Sends the answers that are due, and finds out what the task comes to. Undefined if it is for another process to know. */
export async function answerDelegation(
  driver: RunHandle,
  call: CallState,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const request = requestOf(driver, call, argumentsJson);
  const silence = new AgentSilence(driver, { agent: request.agent.name, callId: call.id }, true);
  return attended(driver, request, signal, (over) => goOn(driver, request, silence, over)).finally(() => {
    driver.silentAgents.setAway(call.id, false);
    silence.end();
  });
}

async function goOn(
  driver: RunHandle,
  request: DelegationRequest,
  silence: AgentSilence,
  over: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const { clock } = driver.ports;
  const sent: Sent = { answered: new Set(), sends: new Map(), lost: new Set() };
  const before = recorded(driver, request);
  if (before !== undefined && needsToken(driver, before.call) && (await pausedForToken(driver, before)))
    return undefined;
  let heardAt = clock.monotonic();
  for (let pauseMs = askPauseMs; ; ) {
    if (driver.stopping.aborted || isAnothers(driver)) return undefined;
    const found = await silence.during(() => looked(driver, latest(driver, request)));
    const current = recorded(driver, request);
    if (!driver.isOpen() || current === undefined) return findOut(driver, request, over);
    if (found !== undefined && found.kind !== 'unauthenticated') heardAt = clock.monotonic();
    const isAway = clock.monotonic() - heardAt >= patienceMs;
    driver.silentAgents.setAway(request.key.callId, isAway);
    const next =
      found?.kind === 'asks'
        ? await answerOne(driver, request, found, current, sent, over)
        : await unasked(driver, request, found, current, isAway);
    if (typeof next === 'object') return next.end;
    if (next === 'look again') {
      pauseMs = askPauseMs;
      continue;
    }
    silence.again(pauseMs);
    await clock.sleep(pauseMs, driver.stopping).catch(() => undefined);
    pauseMs = Math.min(2 * pauseMs, found === undefined ? askPauseMostMs : longestPause(driver, request));
  }
}

/** What follows from a look that shows no question. */
async function unasked(
  driver: RunHandle,
  request: DelegationRequest,
  found: Exclude<LookedUp, AgentAsks> | undefined,
  current: Recorded,
  isAway: boolean,
): Promise<Next> {
  const questions = current.call.sent?.questions ?? [];
  // What was certainly not sent can wait for the agent; of an answer that may have arrived a human must know.
  const isLost = questions.some(isSent) && isAway;
  const answered = `the agent ${request.agent.name} was answered`;
  switch (found?.kind) {
    case undefined:
      return isLost ? unknown(`${answered}, and does not answer any more`) : 'wait';
    case 'unauthenticated':
      if (await pausedForToken(driver, current)) return { end: undefined };
      return isLost ? unknown(`${answered}, and does not say what became of it without another bearer token`) : 'wait';
    case 'running':
      // One of several questions may only be hidden by what goes on with another.
      if (questions.length === 1 && !questions.some(isSent)) return { end: { ...found, ...nothingAsked } };
      note(driver, request, found);
      return 'wait';
    case 'outcome':
      return { end: found.outcome };
    case 'unknown':
      return { end: found };
    default:
      return unknown('the agent does not know the task any more');
  }
}

/** Asks for the token without which no answer that is due can be sent. False if none is due. */
async function pausedForToken(driver: RunHandle, { run, call }: Recorded): Promise<boolean> {
  if (dueAnswers(run, call).length === 0) return false;
  return (await driver.submit({ type: 'needToken', callId: call.id, prompt: authPrompt(call) })) !== 'ignored';
}

const nothingAsked = { kind: 'asks', questions: [], isIdempotent: false } as const;

/** Sends one answer that is due; if none is, what is asked goes on the record. */
async function answerOne(
  driver: RunHandle,
  request: DelegationRequest,
  found: AgentAsks,
  { run, call }: Recorded,
  sent: Sent,
  over: AbortSignal,
): Promise<Next> {
  const standing = (one: AskedQuestion) => stateOfQuestion(call, one, found.questions);
  const isThere = (one: AskedQuestion): boolean => standing(one) === 'there';
  const isOpen = (one: AskedQuestion): boolean => !sent.answered.has(one.key);
  const questions = (call.sent?.questions ?? []).filter(isOpen);
  const isStale = found.questions.some(({ key }) => sent.answered.has(key));
  const reason = `the agent ${request.agent.name} has taken an answer to this, and still shows it`;
  const asking: Asking = { ...found, closed: [...sent.answered], ...(isStale && { reason }) };
  if (questions.some((one) => isSent(one) && standing(one) === 'changed'))
    return unknown(`the agent ${request.agent.name} was answered, and shows another question in the place of that one`);
  const again = questions.find((one) => isSent(one) && isThere(one));
  if (again !== undefined) {
    // What another process has sent may be on its way as well.
    if (!sent.sends.has(again.key)) sent.lost.add(again.key);
    if (again.remoteApprovalId === '' && sent.lost.has(again.key)) {
      if (!found.isIdempotent)
        return unknown(`the agent ${request.agent.name} was answered, and still asks: the answer may be on its way`);
      // The promise to take it once is made to each caller, and without the token this would be another one.
      if (needsToken(driver, call))
        return unknown(`the token with which the agent ${request.agent.name} was answered is not at hand any more`);
    }
    return deliver(driver, request, await answerTo(driver, again), Number.NEGATIVE_INFINITY, found, sent, over);
  }
  const [due] = dueAnswers(run, call).filter(isOpen);
  if (due === undefined || !questions.every(isThere)) return { end: asking };
  if (needsToken(driver, call) || (due.verdict === 'token' && driver.bearer === undefined)) {
    const needed = await driver.submit({ type: 'needToken', callId: call.id, prompt: authPrompt(call) });
    return { end: needed === 'ignored' ? asking : undefined };
  }
  const { callId, attempt } = request.key;
  // Whatever has to be read is read before the fence: what fails after it counts as sent.
  const answer = await answerTo(driver, due);
  const sureUntil = sureOf(driver);
  const taken = await driver.submit({ type: 'answerDelegation', callId, attempt, key: due.key });
  if (taken !== 'applied') return { end: taken === 'ignored' ? asking : undefined };
  const fenced = recorded(driver, request)?.call.sent?.questions?.find(({ key }) => key === due.key);
  if (fenced === undefined) return { end: undefined };
  return deliver(driver, request, { ...answer, question: fenced }, sureUntil, found, sent, over);
}

async function deliver(
  driver: RunHandle,
  request: DelegationRequest,
  { question, ...decided }: Answer,
  sureUntil: number,
  found: AgentAsks,
  sent: Sent,
  over: AbortSignal,
): Promise<Next> {
  const { clock, delegations } = driver.ports;
  const { key, remoteApprovalId: approvalId, messageId = '' } = question;
  const now = latest(driver, request);
  const isOneOfSeveral = (recorded(driver, request)?.call.sent?.questions ?? []).length > 1;
  const answer = { ...decided, approvalId, messageId, isOneOfSeveral };
  let hasGone = false;
  let held: Next | undefined;
  const mayGo = async (): Promise<boolean> => {
    held = await leave(driver, request, sureUntil, over);
    hasGone = held === undefined;
    return hasGone;
  };
  const said = await delegations
    .answer(now, answer, (update) => note(driver, request, update), over, mayGo)
    .catch((error: unknown) => tellDefect(driver.ports, error, `answering the agent ${now.agent.name}`));
  if (held !== undefined) return held;
  switch (said?.kind) {
    case 'finished':
      return { end: said };
    case 'running':
      sent.answered.add(key);
      return 'look again';
    case 'asks':
      sent.answered.add(key);
      await outlastStale(driver, now, question);
      return 'look again';
    case 'unauthenticated':
      // This one was refused: that says nothing of those before.
      return sent.lost.has(key)
        ? unknown(`the agent ${now.agent.name} was answered, and wants another bearer token now`)
        : askAgain(found, sent, key, 'the agent wants another bearer token');
    case 'held':
      return 'look again';
    case 'unavailable':
      break;
    case 'failed':
    case undefined:
      // This one may have arrived, whatever became of those before.
      if (hasGone) sent.lost.add(key);
  }
  if (over.aborted) return 'look again';
  const times = (sent.sends.get(key) ?? 0) + 1;
  sent.sends.set(key, times);
  if (times >= sendsMax) return givenUp(request, found, sent, key, said?.message);
  await clock.sleep(askPauseMs * 2 ** times, driver.stopping).catch(() => undefined);
  return 'look again';
}

/** What the agent has refused each time, or failed with last, may be asked again; of what was lost a human must know. */
function givenUp(
  { agent }: DelegationRequest,
  found: AgentAsks,
  sent: Sent,
  key: string,
  message: string | undefined,
): Next {
  const why = message === undefined ? 'it has not said what became of that' : `it says: ${message}`;
  return sent.lost.has(key)
    ? unknown(`the agent ${agent.name} was answered ${sendsMax} times, and still asks; ${why}`)
    : askAgain(found, sent, key, `it was not answered: ${message}`);
}

async function looked(driver: RunHandle, request: DelegationRequest): Promise<LookedUp | undefined> {
  const found = await lookedUp(driver.ports, request, driver.stopping, driver.stopping);
  return found && believed(request, found);
}

/** An agent may show for a moment still what it has taken the answer to. */
async function outlastStale(driver: RunHandle, request: DelegationRequest, question: AskedQuestion): Promise<void> {
  const { clock } = driver.ports;
  for (let look = 0; look < staleLooksMax && isWanted(driver, request.key.callId); look += 1) {
    const found = await looked(driver, request);
    const call = recorded(driver, request)?.call;
    if (call === undefined) return;
    // A look that was lost says nothing.
    const isStale = found?.kind === 'asks' && stateOfQuestion(call, question, found.questions) === 'there';
    if (found !== undefined && !isStale) return;
    await clock.sleep(askPauseMs * 2 ** look, driver.stopping).catch(() => undefined);
  }
}

/** What a question is answered. */
type Answer = Pick<DelegationAnswer, 'verdict' | 'result' | 'by'> & { readonly question: AskedQuestion };

async function answerTo(driver: RunHandle, question: AskedQuestion): Promise<Answer> {
  const { verdict = 'rejected', decidedAt = 0 } = question;
  const { result, by } = verdict === 'token' ? nobody : await decisionAt(driver, decidedAt);
  return {
    question,
    verdict,
    result: verdict === 'happened' ? result : '',
    ...(by === undefined ? {} : { by }),
  };
}

type Decision = { readonly result: string; readonly by: string | undefined };
const nobody: Decision = { result: '', by: undefined };

/** What a human said that a call came to, and who. */
async function decisionAt(driver: RunHandle, revision: number): Promise<Decision> {
  const stream = conversationStream(driver.conversationId);
  for await (const { fact, actor } of driver.ports.log.read(stream, revision, driver.stopping))
    return fact.case === 'approvalResolved'
      ? { result: fact.value.result, by: decidedBy(actor, driver.state.agentName) }
      : nobody;
  return nobody;
}

type Recorded = { readonly run: RunState; readonly call: CallState };

/** The call as it is on the record; undefined once another attempt or nothing of it is. */
function recorded(driver: RunHandle, { key }: DelegationRequest): Recorded | undefined {
  const { run } = driver.state;
  const call = run?.id === driver.runId ? run.calls[key.callId] : undefined;
  return run === null || call?.attempt !== key.attempt ? undefined : { run, call };
}

/** This process must own the run when it sends anything, also once more. Undefined if it does; else what is left to do. */
async function leave(
  driver: RunHandle,
  request: DelegationRequest,
  sureUntil: number,
  over: AbortSignal,
): Promise<Next | undefined> {
  if (await surelyStill(driver, sureUntil, () => driver.isOwner() && isWanted(driver, request.key.callId), over))
    return undefined;
  // The run may have ended without the task, which is to end then; else it is for another process.
  const isLeft = !driver.isOpen() && recorded(driver, request) !== undefined;
  return isLeft ? 'look again' : { end: undefined };
}

function isSent({ messageId }: AskedQuestion): boolean {
  return messageId !== undefined;
}

function longestPause(driver: RunHandle, request: DelegationRequest): number {
  const open = recorded(driver, request)?.call.sent?.questions ?? [];
  return open.some((one) => !isSent(one)) ? moreAnswersPauseMs : askPauseMostMs;
}

function askAgain(found: AgentAsks, { answered, lost }: Sent, key: string, reason: string): Next {
  return { end: { ...found, closed: [...answered, key], notTaken: lost.has(key) ? [] : [key], reason } };
}

function unknown(message: string): Next {
  return { end: { kind: 'unknown', message } };
}
