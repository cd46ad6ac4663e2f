/** What becomes of a run when a question of a tool server is answered or withdrawn, or a token is there. */
import { facts } from '@stopgo/proto';
import type { RecordedFact } from '../events/facts.ts';
import { interruptsOf, type Request, type ServerQuestion, serverQuestions } from '../state/interrupt.ts';
import type { RunState, SettledInput } from '../state/state.ts';
import { inputsSettledMax } from '../text/bounds.ts';
import { evolveToken } from './kinds/auth.ts';

const actions: Readonly<Record<facts.InputAction, SettledInput['how']>> = {
  [facts.InputAction.UNSPECIFIED]: 'cancel',
  [facts.InputAction.ACCEPT]: 'accept',
  [facts.InputAction.DECLINE]: 'decline',
  [facts.InputAction.CANCEL]: 'cancel',
};

/** Somebody has answered what a tool server asks, or a model has; or a token is there. */
export function evolveProvided(run: RunState, { fact, revision, time, actor }: RecordedFact): RunState {
  if (fact.case !== 'inputProvided') return run;
  const { [fact.value.inputId]: input, ...interrupts } = run.interrupts;
  if (input === undefined || input.kind === 'approval') return run;
  if (input.kind === 'auth') return evolveToken(run, input, revision);
  const { questionId, bridge, attempt } = askedAt(input);
  const by = { callId: input.callId, questionId, bridge, attempt, at: time, by: actor.id };
  return withSettled({ ...run, interrupts }, input.id, {
    ...by,
    how: actions[fact.value.action] ?? 'cancel',
    revision,
  });
}

/** Nobody needs an answer to it any more, or the one that was given did nothing. */
export function evolveWithdrawn(run: RunState, { fact, revision, time, actor }: RecordedFact): RunState {
  if (fact.case !== 'inputWithdrawn') return run;
  const { inputId, reason } = fact.value;
  const { [inputId]: input, ...interrupts } = run.interrupts;
  const known = run.settledInputs?.[inputId];
  const isAsked = input !== undefined && ('server' in input || input.kind === 'request');
  const asked = isAsked ? { ...askedAt(input), callId: input.callId } : known;
  if (asked === undefined) return run;
  return withSettled({ ...run, interrupts }, inputId, withdrawnAs(asked, { revision, time, actor }, reason));
}

/** The run has ended, and with it whatever its tool servers ask: whoever answers late is told so. */
export function withoutAsking(run: RunState, recorded: RecordedFact): RunState {
  const all = [...serverQuestions(run), ...interruptsOf(run, 'request')];
  const open = all.map((one) => ({ id: one.id, asked: { ...askedAt(one), callId: one.callId } }));
  const over = (now: RunState, { id, asked }: (typeof open)[number]) =>
    withSettled(now, id, withdrawnAs(asked, recorded, 'the run has ended'));
  return open.reduce(over, run);
}

/** Where an answer is waited for. At no bridge, if the platform itself takes it. */
function askedAt(one: ServerQuestion | Request): Pick<SettledInput, 'questionId' | 'bridge' | 'attempt'> {
  return one.kind === 'request' ? { questionId: '', bridge: '', attempt: 0 } : one.server;
}

function withdrawnAs(
  { callId, questionId, bridge, attempt }: Pick<SettledInput, 'callId' | 'questionId' | 'bridge' | 'attempt'>,
  { revision, time: at, actor }: Pick<RecordedFact, 'revision' | 'time' | 'actor'>,
  reason: string,
): SettledInput {
  return { callId, questionId, bridge, attempt, at, by: actor.id, how: 'withdrawn', revision, reason };
}

function withSettled(run: RunState, inputId: string, end: SettledInput): RunState {
  const { [inputId]: _, ...others } = run.settledInputs ?? {};
  const kept = Object.entries({ ...others, [inputId]: end }).slice(-inputsSettledMax);
  return { ...run, settledInputs: Object.fromEntries(kept) };
}
