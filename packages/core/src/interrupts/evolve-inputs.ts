/** What becomes of a run when a tool server asks people something in the midst of a call. The call itself stays as it is. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { facts } from '@stopgo/proto';
import type { FactOf, RecordedFact } from '../events/facts.ts';
import { withCall } from '../state/run-changes.ts';
import type { RunState, SettledInput } from '../state/state.ts';
import { inputsSettledMax } from '../text/bounds.ts';

/** A server asks something. */
export function evolveServerInput(run: RunState, asked: FactOf<'inputRequested'>, requestedAt: number): RunState {
  const { inputId: id, callId, prompt, serverQuestion: question } = asked;
  const call = run.calls[callId];
  if (question === undefined || call === undefined) return run;
  const { id: questionId, bridgeInstance: bridge, attempt, server, tool, schemaJson, url, node } = question;
  const expiresAt = question.expiresAt === undefined ? requestedAt : timestampMs(question.expiresAt);
  const asks = { questionId, bridge, attempt, server, tool, schemaJson, url, requestedAt, expiresAt, node };
  const kind = question.sampling === undefined ? 'input' : 'sampling';
  const inputs = { ...run.inputs, [id]: { id, callId, kind, prompt, server: asks } as const };
  return withCall({ ...run, inputs }, callId, { asked: call.asked + 1 });
}

const actions: Readonly<Record<facts.InputAction, SettledInput['how']>> = {
  [facts.InputAction.UNSPECIFIED]: 'cancel',
  [facts.InputAction.ACCEPT]: 'accept',
  [facts.InputAction.DECLINE]: 'decline',
  [facts.InputAction.CANCEL]: 'cancel',
};

/** Somebody has answered it, or a model has. */
export function evolveServerAnswer(run: RunState, { fact, revision, time, actor }: RecordedFact): RunState {
  if (fact.case !== 'inputProvided') return run;
  const { [fact.value.inputId]: input, ...inputs } = run.inputs;
  if (input?.server === undefined) return run;
  const { questionId, bridge, attempt } = input.server;
  const by = { callId: input.callId, questionId, bridge, attempt, at: time, by: actor.id };
  return withSettled({ ...run, inputs }, input.id, { ...by, how: actions[fact.value.action] ?? 'cancel', revision });
}

/** Nobody needs an answer to it any more, or the one that was given did nothing. */
export function evolveWithdrawn(run: RunState, { fact, revision, time, actor }: RecordedFact): RunState {
  if (fact.case !== 'inputWithdrawn') return run;
  const { inputId, reason } = fact.value;
  const { [inputId]: input, ...inputs } = run.inputs;
  const known = run.settledInputs?.[inputId];
  const asked = input?.server === undefined ? known : { ...input.server, callId: input.callId };
  if (asked === undefined) return run;
  return withSettled({ ...run, inputs }, inputId, withdrawnAs(asked, { revision, time, actor }, reason));
}

/** The run has ended, and with it whatever its tool servers ask: whoever answers late is told so. */
export function withoutAsking(run: RunState, recorded: RecordedFact): RunState {
  const open = Object.values(run.inputs).flatMap(({ id, callId, server }) =>
    server === undefined ? [] : [{ id, asked: { ...server, callId } }],
  );
  const over = (now: RunState, { id, asked }: (typeof open)[number]) =>
    withSettled(now, id, withdrawnAs(asked, recorded, 'the run has ended'));
  return open.reduce(over, run);
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
