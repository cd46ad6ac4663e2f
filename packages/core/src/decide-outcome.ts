/** What an attempt of a call came to, and what follows from it. */
import { facts as wire } from '@stopgo/proto';
import { blobRefsToWire } from './blobs.ts';
import { failureBytesMax, pinChangesPerCallMax, structuredBytesMax, textBytesMax } from './bounds.ts';
import { isSent } from './calls/kinds.ts';
import { serverOf } from './calls/target.ts';
import { byteLength, cutText } from './cut.ts';
import { inputsOver } from './decide-inputs.ts';
import { callDigest } from './digest.ts';
import { type Fact, fact } from './facts.ts';
import { withdrawal } from './interpreter.ts';
import { outputToWire, textOutput } from './output.ts';
import { isRepeatable, policyVerdict } from './policy.ts';
import { approvalRequest, doubtRequest, tokenRequest } from './requests.ts';
import type { CallOutcomeCommand } from './run-commands.ts';
import type { CallState, RunState } from './state.ts';
import { heldUntilAccepted } from './texts.ts';
import { isUnderWay, nodeOf } from './work.ts';

/** The facts that an outcome leaves in a run that is open. None if it does not belong to the attempt that is under way. */
export function decideOutcome(run: RunState, outcome: CallOutcomeCommand): Fact[] {
  const call = run.calls[outcome.callId];
  if (call === undefined) return [];
  if (isUnderWay(call, outcome.attempt))
    return [...questionsOver(run, call), ...inputsOver(run, outcome), ...outcomeOf(run, call, outcome)];
  // It comes late, but nobody has decided yet: what it says is better than a human's guess.
  if (call.phase === 'in_doubt' && call.attempt === outcome.attempt && outcome.type === 'callFinished') {
    const doubt = Object.values(run.approvals).find((one) => one.callId === call.id && one.decision === undefined);
    const withdrawn = doubt === undefined ? [] : [withdrawal(run, doubt.id, 'the outcome of the call has come in')];
    return [...withdrawn, ...outcomeOf(run, call, outcome)];
  }
  return [];
}

/** An agent whose delegation is over waits for no answer any more. */
function questionsOver(run: RunState, { sent }: CallState): Fact[] {
  const pending = (sent?.questions ?? []).filter(
    ({ askedAs }) => askedAs in run.approvals && !run.approvals[askedAs]?.decision,
  );
  return pending.map(({ askedAs }) => withdrawal(run, askedAs, 'the task of the agent has come to an end'));
}

function outcomeOf(run: RunState, call: CallState, outcome: CallOutcomeCommand): Fact[] {
  const place = { runId: run.id, stepId: call.stepId, callId: call.id, attempt: outcome.attempt };
  switch (outcome.type) {
    case 'callFinished':
      return [finished(place, outcome, delegatingNode(run, call.stepId)), ...failedNode(run, call, outcome)];
    case 'callUnknown': {
      const { reason } = outcome;
      return [fact('toolCallInDoubt', { ...place, reason }), doubtRequest(run, call, reason, outcome.argumentsJson)];
    }
    case 'callNotStarted': {
      const { message } = outcome;
      return [fact('toolCallRefused', { ...place, ...keeps(call), reason: wire.RefusalReason.NOT_STARTED, message })];
    }
    case 'callNotAllowed': {
      const { message } = outcome;
      const refused = { ...place, ...keeps(call), reason: wire.RefusalReason.NOT_ALLOWED, message };
      const content = `Tool execution failed: ${message}`;
      return [fact('toolCallRefused', refused), failedCall(call, outcome.attempt, content, place)];
    }
    case 'callUnauthenticated': {
      const message = outcome.prompt;
      const refused = { ...place, ...keeps(call), reason: wire.RefusalReason.UNAUTHENTICATED, message };
      return [fact('toolCallRefused', refused), tokenRequest(run, call.id, outcome.prompt)];
    }
    case 'callPinChanged':
      return pinChanged(run, call, outcome, place);
  }
}

type Place = { readonly runId: string; readonly stepId: string; readonly callId: string; readonly attempt: number };

function keeps(call: CallState): { pin: string; digest: string; repeatable: boolean } {
  return { pin: call.pin, digest: call.digest, repeatable: call.repeatable };
}

/** A node that only delegates has failed with its delegation; a model is told, and goes on. */
function failedNode(
  run: RunState,
  { stepId }: CallState,
  { isError, content }: Extract<CallOutcomeCommand, { type: 'callFinished' }>,
): Fact[] {
  return isError && run.steps[stepId]?.type === 'a2a' ? [failedDelegation(run, stepId, content)] : [];
}

/** The fact that an a2a node has failed, with what is said of it. */
export function failedDelegation(run: RunState, stepId: string, why: string): Fact {
  const output = outputToWire(textOutput(cutText(why, failureBytesMax).text));
  return fact('stepFinished', { runId: run.id, stepId, output, failed: true });
}

/** Name of the step's node if all that it does is to delegate, else empty. */
export function delegatingNode(run: RunState, stepId: string): string {
  return run.steps[stepId]?.type === 'a2a' ? nodeOf(run, stepId) : '';
}

/** The fact of a finished call; its content is cut to the bound. `node`: see {@link delegatingNode}. */
export function finished(
  place: Place,
  outcome: Extract<CallOutcomeCommand, { type: 'callFinished' }>,
  node = '',
  late = false,
): Fact {
  const { text: content, cut: cutHere } = cutText(outcome.content, textBytesMax);
  const cut = outcome.cut ?? cutHere;
  const told = {
    ...place,
    content,
    isError: outcome.isError,
    ...(cut === undefined ? {} : { cut: { fullBytes: BigInt(cut.fullBytes), sha256: cut.sha256 } }),
    late,
    durationMs: Math.max(0, Math.round(outcome.durationMs)),
    tool: outcome.tool,
  };
  return outcome.by === undefined
    ? fact('toolCallFinished', { ...told, ...(late ? {} : beside(outcome)) })
    : fact('delegationFinished', { ...told, ...outcome.by, node });
}

/** What the result holds beside its text. An outcome that comes late is only noted: nobody keeps its blobs any more. */
function beside({ blobs = [], structuredJson = '' }: Extract<CallOutcomeCommand, { type: 'callFinished' }>) {
  return {
    blobs: blobRefsToWire(blobs),
    structuredJson: byteLength(structuredJson) <= structuredBytesMax ? structuredJson : '',
  };
}

function pinChanged(
  run: RunState,
  call: CallState,
  outcome: Extract<CallOutcomeCommand, { type: 'callPinChanged' }>,
  place: Place,
): Fact[] {
  const { current, argumentsJson } = outcome;
  const { pin } = current;
  const digest = callDigest({ server: serverOf(call.target), tool: call.tool, pin, argumentsJson });
  const repeatable = isRepeatable(current.hints);
  const message = `the definition of ${call.tool} changed`;
  const refused = { ...place, reason: wire.RefusalReason.PIN_CHANGED, message, pin, digest, repeatable };
  const changed = fact('toolCallRefused', refused);
  const verdict = policyVerdict(current);
  const failed = (content: string): Fact[] => [changed, failedCall(call, outcome.attempt, content, place)];
  if (verdict.kind === 'deny') return failed(`The call is not allowed: ${verdict.reason}.`);
  if (call.pinChanges >= pinChangesPerCallMax)
    return failed(`Tool execution failed: ${message} again and again (${call.pinChanges + 1} times)`);
  if (verdict.kind === 'allow' && !call.gated) return [changed];
  const since = call.approvalId === undefined ? message : `${message} after it was approved`;
  const reason = outcome.isHeld === true ? `${since}; ${heldUntilAccepted}` : since;
  const { id: callId, stepId, tool, target, asked, revision: callRevision } = call;
  if (!isSent(target)) return [changed];
  const request = approvalRequest(run, {
    callId,
    stepId,
    tool,
    target,
    digest,
    argumentsJson,
    asked,
    callRevision,
    reason,
  });
  return [changed, request.fact];
}

function failedCall(call: CallState, attempt: number, content: string, place: Place): Fact {
  const { id: callId, tool } = call;
  return finished(place, { type: 'callFinished', callId, attempt, tool, content, isError: true, durationMs: 0 });
}
