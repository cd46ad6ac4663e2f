/**
 * The decider of what tool servers ask people, or the agent's model, in the midst of calls.
 *
 * 1. A call that asks is under way: nobody starts it anew, and its outcome is awaited as any other's.
 * 2. A question takes one answer. Whoever comes later is told what became of it.
 * 3. A question ends with its call at the latest: whatever becomes of the call is what became of the question.
 */
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { facts as wire } from '@stopgo/proto';
import { answerProblem, questionProblem } from '../calls/asked-values.ts';
import type { CallOutcomeCommand } from '../calls/outcome.ts';
import type { BlobRef } from '../events/blobs.ts';
import { type Fact, fact } from '../events/facts.ts';
import { type Input, type Request, type ServerQuestion, serverQuestions } from '../state/interrupt.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ConversationState, InputAction, RunState, SettledInput } from '../state/state.ts';
import { usageToWire } from '../state/usage.ts';
import { isUnderWay, nodeOf } from '../state/work.ts';
import { inputReasonBytesMax, inputsPendingMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { uuidFrom } from '../text/digest.ts';
import type { CallAsked, SamplingAnswered } from './commands.ts';
import { fileJson, fileNotWanted, fileProblem, fileWanted } from './given-file.ts';
import { answeredCall } from './kinds/of-agent.ts';
import { inputWithdrawal, notAnsweredInTime } from './kinds/of-server.ts';
import { type SamplingAsked, samplingProblem } from './sampling.ts';

/** What a person makes of a question. */
export type ProvideCommand = {
  readonly inputId: string;
  readonly action: InputAction;
  /** The values as a JSON object; empty unless values were asked for and given. */
  readonly contentJson: string;
  /** The file that was asked for and is given; its bytes are kept before the fact is. */
  readonly file?: BlobRef | undefined;
  /** The session that the request names; absent: it names none, and stays in that of the conversation. */
  readonly sessionId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly idempotency?: IdempotencyKey;
};

export type ProvideDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** It takes no answer any more: what became of it. */
  | { readonly kind: 'settled'; readonly input: SettledInput }
  /** The values are not what is asked for; the question stays open. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** It is a token that is waited for, and that comes with a message. */
  | { readonly kind: 'token' }
  /** The latest run asks no such thing. */
  | { readonly kind: 'unknown' };

/** Takes an answer. Of any number of answers to one question only the first in the log leaves a fact. */
export function provideInput(state: ConversationState, command: ProvideCommand): ProvideDecision {
  const { inputId } = command;
  const { run } = state;
  const settled = run?.settledInputs?.[inputId];
  if (settled !== undefined) return { kind: 'settled', input: settled };
  const input = run?.interrupts[inputId];
  if (run === null || input === undefined || run.status !== 'open') return { kind: 'unknown' };
  switch (input.kind) {
    case 'input':
      return answered(state, run, input, command);
    case 'request':
      return requestAnswered(state, run, input, command);
    case 'auth':
      return { kind: 'token' };
    case 'approval':
      // It takes other answers.
      return { kind: 'unknown' };
    case 'sampling':
      // A model answers, and no person.
      return { kind: 'unknown' };
  }
}

function answered(state: ConversationState, run: RunState, input: Input, command: ProvideCommand): ProvideDecision {
  if (command.file !== undefined) return { kind: 'invalid', problem: fileNotWanted };
  const wantsValues = command.action === 'accept' && input.server.schemaJson !== '';
  const problem = wantsValues ? answerProblem(input.server.schemaJson, command.contentJson) : needless(command);
  if (problem !== undefined) return { kind: 'invalid', problem };
  return { kind: 'append', facts: [providedBy(state, run, command, wantsValues ? command.contentJson : '')] };
}

/** The answer, and with it the result of the call that waits for it. */
function requestAnswered(
  state: ConversationState,
  run: RunState,
  request: Request,
  command: ProvideCommand,
): ProvideDecision {
  const { action, contentJson, file } = command;
  const problem = action === 'accept' ? requestProblem(request, command) : needless(command);
  if (problem !== undefined) return { kind: 'invalid', problem };
  const call = answeredCall(run, request, { action, contentJson, file }, command.now);
  const given = file === undefined ? contentJson : fileJson(file);
  return { kind: 'append', facts: [providedBy(state, run, command, given), ...call] };
}

function requestProblem({ asks }: Request, { contentJson, file }: ProvideCommand): string | undefined {
  if (asks.type === 'file') return file === undefined || contentJson !== '' ? fileWanted : fileProblem(file);
  return file === undefined ? answerProblem(asks.schemaJson, contentJson) : fileNotWanted;
}

function providedBy(state: ConversationState, run: RunState, command: ProvideCommand, contentJson: string): Fact {
  const { inputId, action, idempotency } = command;
  return fact('inputProvided', {
    inputId,
    runId: run.id,
    text: '',
    action: wireActions[action],
    contentJson,
    sessionId: anotherSession(state, command),
    ...(idempotency === undefined ? {} : { idempotency }),
  });
}

const wireActions = {
  accept: wire.InputAction.ACCEPT,
  decline: wire.InputAction.DECLINE,
  cancel: wire.InputAction.CANCEL,
} as const;

function needless({ action, contentJson, file }: ProvideCommand): string | undefined {
  if (file !== undefined) return `file: with "${action}" there is none; leave it out`;
  if (contentJson === '') return undefined;
  return action === 'accept'
    ? 'content: no values are asked for, only that the address is opened; leave it out'
    : `content: with "${action}" there are no values; leave it out`;
}

/** What a call's server asks now is all that it asks: what is new is put on the record, what is gone is withdrawn. */
export function callAsked(run: RunState, asked: CallAsked, now: number): Fact[] {
  const call = run.calls[asked.callId];
  if (call?.target?.kind !== 'tool' || !isUnderWay(call, asked.attempt)) return [];
  const { server } = call.target;
  const pending = serverQuestions(run);
  const gone = pending.filter(
    ({ callId, server }) => callId === call.id && !asked.questions.some(({ id }) => id === server.questionId),
  );
  const known = new Set([
    ...pending.map(({ server }) => server.questionId),
    ...Object.values(run.settledInputs ?? {}).map(({ questionId }) => questionId),
  ]);
  const fresh = asked.questions
    .filter((one) => !known.has(one.id) && problemOf(one) === undefined)
    .slice(0, Math.max(0, inputsPendingMax - (pending.length - gone.length)));
  return [
    ...gone.map((input) => inputWithdrawal(run, input.id, call.id, reasonGone(input, asked, now))),
    ...fresh.map(({ id, message: prompt, schemaJson, url, waitMs, sampling }, index) =>
      fact('inputRequested', {
        inputId: uuidFrom('input', run.id, call.id, String(call.asked + index + 1)),
        runId: run.id,
        stepId: call.stepId,
        callId: call.id,
        kind: sampling === undefined ? wire.InputKind.INPUT : wire.InputKind.SAMPLING,
        prompt,
        dueAt: timestampFromMs(Math.ceil(now + waitMs)),
        serverQuestion: {
          id,
          attempt: asked.attempt,
          bridgeInstance: asked.bridge,
          server,
          tool: call.tool,
          schemaJson,
          url,
          expiresAt: timestampFromMs(now + waitMs),
          node: nodeOf(run, call.stepId),
          ...(sampling === undefined ? {} : { sampling: samplingToWire(sampling) }),
        },
      }),
    ),
  ];
}

function problemOf(one: CallAsked['questions'][number]): string | undefined {
  return one.sampling === undefined ? questionProblem(one) : samplingProblem(one.sampling);
}

function samplingToWire({ systemPrompt, messages, maxTokens, stopSequences }: SamplingAsked) {
  const said = messages.map(({ byModel, text }) => ({ byModel, text }));
  return { systemPrompt, messages: said, maxTokens, stopSequences: [...stopSequences] };
}

/** What a model made of what a server had it asked: of several answers the first in the log counts, as of people's. */
export function samplingAnswered(run: RunState, command: SamplingAnswered): Fact[] {
  const { inputId, contentJson, provider, model, usage, error } = command;
  const input = run.interrupts[inputId];
  if (input?.kind !== 'sampling') return [];
  const { ACCEPT, CANCEL } = wire.InputAction;
  const stepId = run.calls[input.callId]?.stepId ?? '';
  const sampling = {
    stepId,
    provider,
    model,
    usage: usageToWire(usage),
    error: cutText(error, inputReasonBytesMax).text,
  };
  const action = contentJson === '' ? CANCEL : ACCEPT;
  return [fact('inputProvided', { inputId, runId: run.id, text: '', action, contentJson, sampling })];
}

function reasonGone(question: ServerQuestion, { lapsed = [] }: CallAsked, now: number): string {
  const { server } = question;
  if (lapsed.includes(server.questionId)) return reasonLapsed;
  return now >= server.expiresAt
    ? notAnsweredInTime(question)
    : `the server ${server.server} does not wait for the answer any more`;
}

const reasonLapsed =
  'the tool bridge was out of touch, and gives no answer to this on: what the server still waits for is asked anew';

/** The answer did not reach the server that asked: it is on the record, and did nothing. */
export function answerLost(
  run: RunState,
  { inputId, isAskedAnew = false }: { readonly inputId: string; readonly isAskedAnew?: boolean },
): Fact[] {
  const input = run.settledInputs?.[inputId];
  if (input === undefined || input.how === 'withdrawn') return [];
  const reason = isAskedAnew ? reasonLapsed : 'the answer came too late: the server does not wait for it any more';
  return [inputWithdrawal(run, inputId, input.callId, reason)];
}

/** What a call waited for goes with it. */
export function inputsOver(run: RunState, outcome: CallOutcomeCommand): Fact[] {
  const mine = serverQuestions(run).filter(({ callId }) => callId === outcome.callId);
  return mine.map(({ id, callId }) => inputWithdrawal(run, id, callId, reasonOver(outcome)));
}

function reasonOver(outcome: CallOutcomeCommand): string {
  switch (outcome.type) {
    case 'callFinished':
      return outcome.isError ? 'the call has failed' : 'the call has ended';
    case 'callUnknown':
      return `the call is in doubt: ${outcome.reason}`;
    default:
      return 'the call did not run';
  }
}
