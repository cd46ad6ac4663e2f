/** What a tool server asks in the midst of a call, of people or of a model. The call itself stays as it is. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Fact, type FactOf, fact } from '../../events/facts.ts';
import type { Input, Sampling, ServerQuestion } from '../../state/interrupt.ts';
import { withCall } from '../../state/run-changes.ts';
import type { CallState, RunState } from '../../state/state.ts';
import { inputReasonBytesMax } from '../../text/bounds.ts';
import { cutText } from '../../text/cut.ts';
import type { InterruptKind } from './kind.ts';

/** The question that a fact asks; undefined if no tool server does. */
export function recordedQuestion(
  { inputId: id, callId, prompt, serverQuestion, dueAt }: FactOf<'inputRequested'>,
  requestedAt: number,
): ServerQuestion | undefined {
  if (serverQuestion === undefined) return undefined;
  const { id: questionId, bridgeInstance: bridge, attempt, server, tool, schemaJson, url, node } = serverQuestion;
  const expiresAt = serverQuestion.expiresAt === undefined ? requestedAt : timestampMs(serverQuestion.expiresAt);
  const kind = serverQuestion.sampling === undefined ? 'input' : 'sampling';
  const asks = { questionId, bridge, attempt, server, tool, schemaJson, url, expiresAt, node };
  const due = dueAt === undefined ? {} : { dueAt: Math.ceil(timestampMs(dueAt)) };
  return { kind, id, callId, requestedAt, prompt, server: asks, ...due };
}

/** The fact that an answer is not waited for any more, or did nothing. */
export function inputWithdrawal(run: RunState, inputId: string, callId: string, reason: string): Fact {
  return fact('inputWithdrawn', { inputId, runId: run.id, callId, reason: cutText(reason, inputReasonBytesMax).text });
}

/** Why what nobody answered is not waited for any more. */
export function notAnsweredInTime({ kind }: ServerQuestion): string {
  return `${kind === 'sampling' ? 'no model' : 'nobody'} answered in time`;
}

const common = {
  isOpen: () => true,
  asked: (run: RunState, call: CallState) => withCall(run, call.id, { asked: call.asked + 1 }),
  due: (run: RunState, one: ServerQuestion) => [inputWithdrawal(run, one.id, one.callId, notAnsweredInTime(one))],
};

export const inputKind: InterruptKind<Input> = { ...common, shownAs: () => 'input' };

/** No person is asked, and none may answer. */
export const samplingKind: InterruptKind<Sampling> = { ...common, shownAs: () => undefined };
