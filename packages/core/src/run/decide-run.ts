/**
 * The decider of the driver: outcomes and intents against the folded state give the facts to append.
 *
 * 1. Only the owner decides: instance and epoch are those of the folded state, else the answer is `fenced`.
 * 2. A command that does not fit the state (done already, another attempt, a start that is not owed) is ignored and leaves no
 *    fact.
 * 3. An append that leaves nothing for a process to do also releases the run.
 * 4. What follows and does not fit one append is left for the next: the run stays owned until then.
 */

import type { Definitions } from '../agent/definitions.ts';
import { callId } from '../agent/step-id.ts';
import { controlTools } from '../calls/control/tools.ts';
import { type Judgement, judgeCall, type RequestedCall } from '../calls/judge.ts';
import { judgedIn } from '../calls/judged-in.ts';
import { isSent, sentKindOf } from '../calls/kinds.ts';
import { callSiteOf } from '../calls/offers.ts';
import { encodeFact, type Fact, fact } from '../events/facts.ts';
import { answerLost, callAsked, samplingAnswered } from '../interrupts/decide-inputs.ts';
import { delegationAnswered, delegationAsked, tokenForAnswer } from '../interrupts/decide-questions.ts';
import { requestOf } from '../interrupts/kinds/of-agent.ts';
import { approvalOf, tokenRequest } from '../interrupts/requests.ts';
import { toldOf } from '../interrupts/told.ts';
import { outputToWire, textOutput } from '../state/output.ts';
import type { ConversationState, Owner, RunState } from '../state/state.ts';
import { timeLimitOf } from '../state/time-limit.ts';
import { usageToWire } from '../state/usage.ts';
import { isStepDue, nodeOf } from '../state/work.ts';
import {
  appendBytesMax,
  appendEventsMax,
  appendReserveBytes,
  appendReserveEvents,
  callsPerAnswerMax,
  failureBytesMax,
  textBytesMax,
} from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { modelFailureText } from '../text/texts.ts';
import { advanceInto } from './advance-into.ts';
import { agentCalled } from './agent-calls.ts';
import type { ModelAnswered, RunCommand } from './commands.ts';
import { dataUsed } from './decide-data.ts';
import { delegated, updated } from './decide-delegation.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { Effect } from './effect.ts';
import { anticipate, isEndedByRejection } from './interpreter.ts';
import { isTakenBack } from './taken-back.ts';

/** What a driver knows when it decides. */
export type DriverContext = {
  /** At least those that the run names. */
  readonly definitions: Definitions;
  readonly runId: string;
  /** Who drives; the epoch is that of its claim (0 before it has one). */
  readonly me: Owner;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Says whether some of what a paused run holds back is under way here: the run is kept until that has ended. Absent: nothing is. */
  readonly holdsOn?: (held: readonly Effect[]) => boolean;
};

export type RunDecision =
  /**
   * To be appended as one; `applied` says which commands took effect, in their order. It is shorter than the commands if not
   * all fit one append: the others are to be decided next.
   */
  | {
      readonly kind: 'append';
      readonly facts: readonly Fact[];
      readonly applied: readonly boolean[];
      readonly state: ConversationState;
      readonly effects: readonly Effect[];
      readonly me: Owner;
    }
  /** Another process owns the run, or it is another run's turn: stop driving. */
  | { readonly kind: 'fenced' };

/** Of each command: whether it begins something, which it does not once a rejection has ended the run; whether its facts may be large. */
const traits: Readonly<Record<RunCommand['type'], { readonly begins?: true; readonly isLarge?: true }>> = {
  claim: {},
  modelAnswered: { isLarge: true },
  modelFailed: {},
  delegate: { begins: true, isLarge: true },
  callAgent: { begins: true },
  startCall: { begins: true },
  delegationUpdated: {},
  delegationAsked: { isLarge: true },
  answerDelegation: { begins: true },
  callAsked: { isLarge: true },
  samplingAnswered: { isLarge: true },
  answerLost: {},
  useData: { begins: true },
  callFinished: {},
  callUnknown: {},
  callPinChanged: {},
  callUnauthenticated: {},
  callNotAllowed: {},
  callNotStarted: {},
  needToken: { begins: true },
};

/** Decides some commands together, as many as fit, at least one: they share one append. */
export function decideRun(
  state: ConversationState,
  commands: readonly RunCommand[],
  context: DriverContext,
): RunDecision {
  const all: Fact[] = [];
  const applied: boolean[] = [];
  let current = state;
  let { me } = context;
  const take = (some: readonly Fact[]): void => {
    all.push(...some);
    current = anticipate(current, some, context.now);
  };
  // Found out once for many beginnings: one of them changes nothing for the others.
  let isOver: boolean | undefined;
  /** Whoever wants to begin something may not have seen yet that a rejection has ended the run, or that it is paused. */
  const isTooLate = (run: RunState, { type }: RunCommand): boolean => {
    if (traits[type].begins !== true) {
      isOver = undefined;
      return false;
    }
    isOver ??= run.paused !== undefined || isEndedByRejection(context.definitions, run);
    return isOver;
  };
  const hasRoom = roomFor(commands);
  for (const command of commands) {
    const run = openRun(current, context.runId);
    if (run === undefined) return { kind: 'fenced' };
    if (command.type === 'claim') {
      const claimed = claim(run, command.dead, me);
      if (claimed === undefined) return { kind: 'fenced' };
      me = claimed.me;
      take(claimed.facts);
      applied.push(claimed.facts.length > 0);
      continue;
    }
    if (!isOwner(run, me)) return { kind: 'fenced' };
    const some = isTooLate(run, command) ? [] : decideOne(current, run, command, context);
    if (applied.length > 0 && !hasRoom(all, some)) break;
    take(some);
    applied.push(some.length > 0);
  }
  const run = openRun(current, context.runId);
  if (run === undefined && all.length === 0) return { kind: 'fenced' };
  if (run !== undefined && !isOwner(run, me)) return { kind: 'fenced' };
  const ahead = advanceInto(all.length, context.definitions, current, context.now);
  const isClaimAlone = commands.every(({ type }) => type === 'claim') && ahead.facts.length === 0;
  // Somebody else was faster, and has done what there was to do: such a claim is not worth its two events.
  // Unless somebody had to look: that is done then.
  const isLooked = state.run?.toBeSeen === true;
  if (isClaimAlone && ahead.effects.length === 0 && state.run?.owner === null && !isLooked)
    return { kind: 'append', facts: [], applied: commands.map(() => false), state, effects: [], me: context.me };
  all.push(...ahead.facts);
  current = ahead.state;
  const { held = [] } = ahead;
  const isKept = current.run?.paused !== undefined && context.holdsOn?.(held) === true;
  const isOwned = current.run?.status === 'open' && current.run.owner !== null;
  if (isOwned && ahead.effects.length === 0 && !ahead.isCut && !isKept)
    take([fact('runReleased', { runId: context.runId })]);
  return { kind: 'append', facts: all, applied, state: current, effects: ahead.effects, me };
}

/** Whether some more facts fit an append. Only answers can be many, or large beyond what their size tells. */
function roomFor(commands: readonly RunCommand[]): (all: readonly Fact[], some: readonly Fact[]) => boolean {
  const isSmall = commands.length < 2 || !commands.some(({ type }) => traits[type].isLarge === true);
  if (isSmall) return () => true;
  const bytesOf = (facts: readonly Fact[]): number => facts.reduce((sum, one) => sum + encodeFact(one).length, 0);
  let bytes = 0;
  let counted = 0;
  return (all, some) => {
    bytes += bytesOf(all.slice(counted));
    counted = all.length;
    if (all.length + some.length > appendEventsMax - appendReserveEvents) return false;
    return bytes + bytesOf(some) <= appendBytesMax - appendReserveBytes;
  };
}

function openRun(state: ConversationState, runId: string): RunState | undefined {
  return state.run?.id === runId && state.run.status === 'open' ? state.run : undefined;
}

function isOwner(run: RunState, me: Owner): boolean {
  return run.owner?.instance === me.instance && run.owner.epoch === me.epoch;
}

function claim(run: RunState, dead: readonly string[], me: Owner): { facts: Fact[]; me: Owner } | undefined {
  if (isOwner(run, me)) return { facts: [], me };
  if (run.owner !== null && !dead.includes(run.owner.instance)) return undefined;
  const owner = { instance: me.instance, epoch: run.epoch + 1 };
  return { facts: [fact('runClaimed', { runId: run.id, owner })], me: owner };
}

function decideOne(
  state: ConversationState,
  run: RunState,
  command: Exclude<RunCommand, { type: 'claim' }>,
  context: DriverContext,
): Fact[] {
  switch (command.type) {
    case 'modelAnswered':
      return isExpected(run, command) ? answered(state, run, command, context) : [];
    case 'modelFailed':
      if (!isExpected(run, command)) return [];
      return command.isEmpty === true && mayAskAgain(run, command)
        ? [askedAgain(run, command)]
        : modelFailed(run, command);
    case 'callAgent':
      return agentCalled(
        run,
        state.revision,
        command,
        timeLimitOf(context.definitions.agents.get(command.agentDigest)?.platform, context.now),
      );
    case 'delegate':
      return delegated(state, run, command, context);
    case 'delegationUpdated':
      return updated(run, command);
    case 'delegationAsked':
      return askedElsewhere(run, command, context);
    case 'answerDelegation':
      return delegationAnswered(run, command);
    case 'callAsked':
      return callAsked(run, command, context.now);
    case 'answerLost':
      return answerLost(run, command);
    case 'samplingAnswered':
      return samplingAnswered(run, command);
    case 'startCall':
      return startCall(state, run, command);
    case 'useData':
      return dataUsed(run, command);
    case 'needToken':
      return needToken(run, command.callId, command.prompt);
    default:
      return decideOutcome(run, command, context);
  }
}

function isExpected(run: RunState, { stepId, turn }: { readonly stepId: string; readonly turn: number }): boolean {
  const step = run.steps[stepId];
  return step?.type === 'llm' && isStepDue(step, run) && step.turn + 1 === turn;
}

function askedElsewhere(
  run: RunState,
  command: Extract<RunCommand, { type: 'delegationAsked' }>,
  { definitions, now }: DriverContext,
): Fact[] {
  const call = run.calls[command.callId];
  if (call === undefined) return [];
  return delegationAsked(run, command, call.revision, { now, notify: toldOf(definitions, run, call) });
}

function answered(state: ConversationState, run: RunState, answer: ModelAnswered, context: DriverContext): Fact[] {
  const site = callSiteOf(context.definitions, run, answer.stepId);
  if (site?.node.type !== 'llm') return [];
  const untaken = (message: string): Fact[] =>
    modelFailed(run, { ...answer, message, text: (answer.failureText ?? modelFailureText)(message) });
  if (answer.calls.length > callsPerAnswerMax)
    return untaken(`the model asked for ${answer.calls.length} calls at once; at most ${callsPerAnswerMax} are taken`);
  const before = Object.values(run.calls).filter(({ stepId }) => stepId !== answer.stepId).length;
  const judged: (Judgement & { readonly call: { readonly callId: string } })[] = [];
  for (const [index, requested] of answer.calls.map(aloneIfLast(answer.calls.length)).entries()) {
    const given = judgedIn(
      state,
      run,
      answer.turn,
      judged.map(({ call }) => call),
    );
    const { call, ...rest } = judgeCall(requested, site, before + index, given);
    judged.push({ ...rest, call: { callId: callId(answer.stepId, answer.turn, index), ...call } });
  }
  const calls = judged.map(({ call }) => call);
  const responded = fact('modelResponded', {
    runId: run.id,
    stepId: answer.stepId,
    turn: answer.turn,
    text: cutText(answer.text, textBytesMax).text,
    calls,
    usage: usageToWire(answer.usage),
    provider: answer.provider,
    model: answer.model,
    endpoint: answer.endpoint ?? '',
    opaque: answer.opaque,
    stopReason: answer.stopReason,
    node: nodeOf(run, answer.stepId),
  });
  const callRevision = state.revision + 1;
  const asked = judged.flatMap((one) =>
    approvalOf(run, answer.stepId, one, callRevision, { policy: site.policy, now: context.now }),
  );
  const requests = judged.flatMap(({ call }) => requestOf(run, answer.stepId, call, context.now));
  const all = [responded, ...asked, ...requests];
  // The answer and the approvals of its calls belong together: what does not fit one append is no answer.
  const bytes = all.reduce((sum, one) => sum + encodeFact(one).length, 0);
  return bytes > appendBytesMax - appendReserveBytes
    ? untaken(`the model's answer takes ${bytes} bytes with what it asks for; ask for less at once`)
    : all;
}

/** Whoever says that the task is done knows what everything else came to: with other calls it is not taken. */
function aloneIfLast(calls: number): (call: RequestedCall) => RequestedCall {
  return (call) =>
    calls > 1 && controlTools.get(call.name)?.completes === true
      ? { ...call, refusal: `Call ${call.name} alone, once the other calls have their results. Nothing was recorded.` }
      : call;
}

function modelFailed(
  run: RunState,
  failed: {
    readonly stepId: string;
    readonly turn: number;
    readonly model: string;
    readonly message: string;
    readonly text: string;
  },
): Fact[] {
  const { stepId, turn, model } = failed;
  const message = cutText(failed.message, failureBytesMax).text;
  const text = cutText(failed.text, failureBytesMax).text;
  return [
    fact('modelFailed', { runId: run.id, stepId, turn, model, message, node: nodeOf(run, stepId) }),
    fact('stepFinished', { runId: run.id, stepId, output: outputToWire(textOutput(text)), failed: true }),
  ];
}

/**
 * True if a model that answers nothing is to be asked once more. It costs nothing but the asking: nothing has followed from the
 * answer yet.
 */
export function mayAskAgain(
  run: RunState,
  { stepId, turn }: { readonly stepId: string; readonly turn: number },
): boolean {
  return run.steps[stepId]?.emptyTurn !== turn;
}

function askedAgain(run: RunState, failed: Extract<RunCommand, { type: 'modelFailed' }>): Fact {
  const { stepId, turn, model } = failed;
  const message = cutText(failed.message, failureBytesMax).text;
  return fact('modelAnsweredNothing', { runId: run.id, stepId, turn, model, message, node: nodeOf(run, stepId) });
}

function needToken(run: RunState, callId: string, prompt: string): Fact[] {
  const call = run.calls[callId];
  if (call?.phase === 'asking') return tokenForAnswer(run, call, prompt);
  return call?.phase === 'ready' ? [tokenRequest(run, callId, prompt)] : [];
}

function startCall(
  state: ConversationState,
  run: RunState,
  { callId, attempt, bridge }: Extract<RunCommand, { type: 'startCall' }>,
): Fact[] {
  const call = run.calls[callId];
  if (call === undefined || call.phase !== 'ready' || call.repeatable || attempt !== call.attempt + 1) return [];
  if (isTakenBack(state, call)) return [];
  return isSent(call.target) ? [sentKindOf(call.target).started(run.id, call, attempt, bridge)] : [];
}
