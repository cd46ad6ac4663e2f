/** What an agent of this platform asks people for: the answer is the result of a call. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { facts as wire } from '@stopgo/proto';
import { finished } from '../../calls/finished.ts';
import type { CallOutcomeCommand } from '../../calls/outcome.ts';
import { type InputRequest, inputRequestOf } from '../../calls/people.ts';
import type { BlobRef } from '../../events/blobs.ts';
import { type Fact, type FactOf, fact } from '../../events/facts.ts';
import type { InputType, Request } from '../../state/interrupt.ts';
import { withCall } from '../../state/run-changes.ts';
import type { RunState } from '../../state/state.ts';
import { nodeOf } from '../../state/work.ts';
import { uuidFrom } from '../../text/digest.ts';
import { parseJson } from '../../text/json.ts';
import { fileText } from '../given-file.ts';
import type { InterruptKind } from './kind.ts';
import { inputWithdrawal } from './of-server.ts';

const toWire: Readonly<Record<InputType, wire.InputType>> = {
  text: wire.InputType.TEXT,
  choice: wire.InputType.CHOICE,
  approval: wire.InputType.APPROVAL,
  structured_data: wire.InputType.STRUCTURED_DATA,
  file: wire.InputType.FILE,
};

/** The recorded form of an answer's form. */
export const inputTypeToWire = (type: InputType): wire.InputType => toWire[type];

const fromWire: Readonly<Partial<Record<wire.InputType, InputType>>> = {
  [wire.InputType.TEXT]: 'text',
  [wire.InputType.CHOICE]: 'choice',
  [wire.InputType.APPROVAL]: 'approval',
  [wire.InputType.STRUCTURED_DATA]: 'structured_data',
  [wire.InputType.FILE]: 'file',
};

/** A call that asks people, as it has just been judged. */
type Asking = {
  readonly callId: string;
  readonly tool: string;
  readonly askedBy: string;
  readonly argumentsJson: string;
  readonly disposition: wire.Disposition;
};

/** The fact that people are asked what a call asks for; none if it asks nobody. */
export function requestOf(run: RunState, stepId: string, call: Asking, now: number): Fact[] {
  const asked = call.askedBy === '' ? '' : inputRequestOf(call.argumentsJson);
  if (call.disposition !== wire.Disposition.ALLOWED || typeof asked === 'string') return [];
  const { type, prompt, schemaJson, isRequired, waitMs }: InputRequest = asked;
  const { callId, tool, askedBy: agent } = call;
  return [
    fact('inputRequested', {
      inputId: uuidFrom('input', run.id, callId, '1'),
      ...{ runId: run.id, stepId, callId, kind: wire.InputKind.REQUEST, prompt },
      dueAt: timestampFromMs(Math.ceil(now + waitMs)),
      agentQuestion: { type: toWire[type], schemaJson, required: isRequired, agent, node: nodeOf(run, stepId), tool },
    }),
  ];
}

/** What a fact asks for; undefined if no agent of this platform asks, or in a form that this program does not know. */
export function recordedRequest(
  { inputId: id, callId, prompt, agentQuestion, dueAt }: FactOf<'inputRequested'>,
  requestedAt: number,
): Request | undefined {
  const type = agentQuestion && fromWire[agentQuestion.type];
  if (agentQuestion === undefined || type === undefined) return undefined;
  const { schemaJson, required: isRequired, agent, node, tool } = agentQuestion;
  const due = dueAt === undefined ? {} : { dueAt: Math.ceil(timestampMs(dueAt)) };
  return {
    kind: 'request',
    id,
    callId,
    requestedAt,
    prompt,
    asks: { type, schemaJson, isRequired, agent, node, tool },
    ...due,
  };
}

/** What somebody said to it. */
export type Said = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly contentJson: string;
  /** It is kept already. */
  readonly file?: BlobRef | undefined;
};

/** The fact that the call has its result: what was said, in words for the agent. */
export function answeredCall(run: RunState, request: Request, said: Said, now: number): Fact[] {
  const { type, isRequired } = request.asks;
  if (said.action === 'accept') {
    const { file, contentJson } = said;
    const content = file === undefined ? wordsOf(type, contentJson) : fileText(file);
    return result(run, request, { content, isError: false, now, ...(file === undefined ? {} : { blobs: [file] }) });
  }
  const left = isRequired ? 'The user declined to answer.' : 'The user left this out; go on without it.';
  return result(run, request, { content: left, isError: isRequired, now });
}

function wordsOf(type: InputType, contentJson: string): string {
  const { answer, approved } = (parseJson(contentJson) ?? {}) as {
    readonly answer?: unknown;
    readonly approved?: unknown;
  };
  switch (type) {
    case 'text':
    case 'choice':
      return String(answer);
    case 'approval':
      return approved === true ? 'The user approved.' : 'The user did not approve.';
    case 'structured_data':
    case 'file':
      return contentJson;
  }
}

type Finished = Extract<CallOutcomeCommand, { type: 'callFinished' }>;

function result(
  run: RunState,
  { callId, requestedAt, asks: { tool } }: Request,
  { now, ...said }: Pick<Finished, 'content' | 'isError' | 'blobs'> & { readonly now: number },
): Fact[] {
  const call = run.calls[callId];
  if (call === undefined || call.phase === 'done') return [];
  const { stepId, attempt: before } = call;
  const attempt = before + 1;
  const durationMs = now - requestedAt;
  const outcome = { type: 'callFinished', callId, attempt, tool, durationMs, ...said } as const;
  return [finished({ runId: run.id, stepId, callId, attempt }, outcome)];
}

const nobodyAnswered = 'nobody answered in time';

export const requestKind: InterruptKind<Request> = {
  shownAs: () => 'input',
  isOpen: () => true,
  asked: (run, call) => withCall(run, call.id, { phase: 'waiting', asked: call.asked + 1 }),
  due: (run, request, now) => {
    const { isRequired } = request.asks;
    const content = isRequired ? 'Nobody answered in time.' : 'Nobody answered in time; go on without it.';
    return [
      inputWithdrawal(run, request.id, request.callId, nobodyAnswered),
      ...result(run, request, { content, isError: isRequired, now }),
    ];
  },
};
