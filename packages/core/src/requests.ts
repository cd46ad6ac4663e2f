/** What a run asks of people. Ids are made from the call and from how often it was asked about: the same when decided again. */
import { facts as wire } from '@stopgo/proto';
import { describeCall, describeDoubt } from './description.ts';
import { uuidFrom } from './digest.ts';
import { type Fact, fact } from './facts.ts';
import type { CallState, RunState } from './state.ts';
import { nodeOf } from './work.ts';

/** A call that an approval is requested for. */
type Askable = {
  readonly callId: string;
  readonly stepId: string;
  readonly tool: string;
  readonly server: string;
  readonly digest: string;
  readonly argumentsJson: string;
  readonly asked: number;
  readonly callRevision: number;
  readonly reason: string;
};

/** The request to approve a call, and its id: the same for the same request of the same call. */
export function approvalRequest(run: RunState, call: Askable): { id: string; fact: Fact } {
  const id = uuidFrom('approval', run.id, call.callId, String(call.asked + 1));
  const { stepId, callId, tool, server, digest, reason, callRevision } = call;
  const description = describeCall(tool, call.argumentsJson);
  const choices = ['approve', 'reject'];
  const kind = wire.ApprovalKind.TOOL;
  return {
    id,
    fact: fact('approvalRequested', {
      approvalId: id,
      runId: run.id,
      stepId,
      callId,
      kind,
      tool,
      server,
      digest,
      description,
      choices,
      reason,
      callRevision,
      node: nodeOf(run, stepId),
    }),
  };
}

/** The request to decide what becomes of a call whose outcome nobody knows. */
export function doubtRequest(run: RunState, call: CallState, reason: string, argumentsJson: string): Fact {
  return fact('approvalRequested', {
    approvalId: uuidFrom('approval', run.id, call.id, String(call.asked + 1)),
    runId: run.id,
    stepId: call.stepId,
    callId: call.id,
    kind: wire.ApprovalKind.IN_DOUBT,
    tool: call.tool,
    server: call.server,
    digest: call.digest,
    description: describeDoubt(call.tool, argumentsJson, reason),
    choices: ['run_again', 'happened', 'give_up'],
    reason,
    callRevision: call.revision,
    node: nodeOf(run, call.stepId),
  });
}

/** The request for a bearer token that a call cannot go on without. */
export function tokenRequest(run: RunState, callId: string, prompt: string): Fact {
  const asked = run.calls[callId]?.asked ?? 0;
  return fact('inputRequested', {
    inputId: uuidFrom('input', run.id, callId, String(asked + 1)),
    runId: run.id,
    stepId: run.calls[callId]?.stepId ?? '',
    callId,
    kind: wire.InputKind.AUTH,
    prompt,
  });
}
