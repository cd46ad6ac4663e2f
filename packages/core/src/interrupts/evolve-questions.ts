/** What becomes of a call whose agent waits for people, or for a token: its questions, and what stands for them here. */
import type { FactOf, RecordedFact } from '../events/facts.ts';
import type { Auth } from '../state/interrupt.ts';
import { withCall } from '../state/run-changes.ts';
import type {
  AskedQuestion,
  CallState,
  ConversationState,
  LeftElsewhere,
  RunState,
  SentDelegation,
} from '../state/state.ts';
import { parkedTasks } from '../state/work.ts';
import { leftElsewhereMax } from '../text/bounds.ts';

/** True if the call waits for an outcome. */
export function isAwaited({ phase }: CallState): boolean {
  return phase === 'started' || phase === 'asking';
}

/** The agent waits for these now, and for nothing else. Without any its task goes on. */
export function evolveQuestions(run: RunState, { callId, attempt, keys, task }: FactOf<'delegationAsked'>): RunState {
  const call = run.calls[callId];
  if (call?.sent === undefined || call.attempt !== attempt || !isAwaited(call)) return run;
  const { id: taskId = call.sent.taskId, state: taskState = call.sent.taskState } = task ?? {};
  const questions = (call.sent.questions ?? []).filter(({ key }) => keys.includes(key));
  const sent = { ...call.sent, taskId, taskState, questions };
  const isAsked = (id: string): boolean => questions.some(({ askedAs }) => askedAs === id);
  const left = withoutTokens(run, (token) => token.callId === callId && !isAsked(token.id));
  return withCall(left, callId, { phase: keys.length > 0 ? 'asking' : 'started', sent });
}

/** What stands for a question was decided. */
export function withVerdict(
  run: RunState,
  callId: string,
  askedAs: string,
  verdict: NonNullable<AskedQuestion['verdict']>,
  decidedAt: number,
): RunState {
  return withQuestions(run, callId, (one) => (one.askedAs === askedAs ? { ...one, verdict, decidedAt } : one));
}

/** The answer to a question is about to be sent: from here on the task goes on, as far as anybody knows. */
export function evolveAnswered(run: RunState, answered: FactOf<'delegationAnswered'>): RunState {
  const { callId, attempt, key, messageId } = answered;
  const call = run.calls[callId];
  if (call === undefined || call.attempt !== attempt || !isAwaited(call)) return run;
  const next = withQuestions(run, callId, (one) => (one.key === key ? { ...one, messageId } : one));
  return withCall(next, callId, { phase: 'started' });
}

/** The call waits for no agent any more: what that asked is of no further use. */
export function atRest(run: RunState, callId: string): RunState {
  const call = run.calls[callId];
  if (call?.sent?.questions === undefined) return run;
  const { questions: _, ...sent } = call.sent;
  return withCall(
    withoutTokens(run, (token) => token.callId === callId),
    callId,
    { sent },
  );
}

/** Of a run that has settled only the tasks matter that other agents have still, until these have ended them. */
export function withoutParked(run: RunState, fact: RecordedFact['fact']): RunState {
  if (fact.case !== 'delegationFinished' && fact.case !== 'toolCallInDoubt') return run;
  const { [fact.value.callId]: call, ...calls } = run.calls;
  const isParked = call?.sent !== undefined && isAwaited(call) && call.attempt === fact.value.attempt;
  return isParked ? { ...run, calls } : run;
}

/** What another run keeps of those before it: the tasks that wait at other agents still. Nobody answers them any more. */
export function keptParked(state: ConversationState): Pick<ConversationState, 'leftElsewhere'> {
  const left = parkedTasks(state).slice(-leftElsewhereMax);
  if (left.length === 0) return {};
  return { leftElsewhere: left.map((one) => ({ ...one, call: withoutQuestions(one.call) })) };
}

/** Of earlier runs, too, a task is known until its agent has ended it. */
export function withoutLeft(state: ConversationState, fact: RecordedFact['fact']): ConversationState {
  if (fact.case !== 'delegationFinished' && fact.case !== 'toolCallInDoubt') return state;
  const { leftElsewhere, ...others } = state;
  const { runId, callId, attempt } = fact.value;
  const isEnded = (one: LeftElsewhere) => one.runId === runId && one.call.id === callId && one.call.attempt === attempt;
  const left = leftElsewhere?.filter((one) => !isEnded(one)) ?? [];
  return left.length === 0 ? others : { ...others, leftElsewhere: left };
}

function withoutQuestions({ sent, ...call }: CallState): CallState {
  if (sent === undefined) return call;
  const { questions: _, ...known } = sent;
  return { ...call, sent: known };
}

/** With one more question; one of the same key was asked anew. */
export function withQuestion(run: RunState, call: CallState, question: AskedQuestion): RunState {
  if (call.sent === undefined) return run;
  const others = (call.sent.questions ?? []).filter(({ key }) => key !== question.key);
  const sent: SentDelegation = { ...call.sent, questions: [...others, question] };
  return withCall(run, call.id, { asked: call.asked + 1, sent });
}

function withQuestions(run: RunState, callId: string, change: (one: AskedQuestion) => AskedQuestion): RunState {
  const { sent } = run.calls[callId] ?? {};
  return sent?.questions === undefined
    ? run
    : withCall(run, callId, { sent: { ...sent, questions: sent.questions.map(change) } });
}

/** Without the tokens that are asked for and of which this is true. */
function withoutTokens(run: RunState, isGone: (token: Auth) => boolean): RunState {
  const kept = Object.entries(run.interrupts).filter(([, one]) => one.kind !== 'auth' || !isGone(one));
  return kept.length === Object.keys(run.interrupts).length ? run : { ...run, interrupts: Object.fromEntries(kept) };
}
