/** What a run asks of people. Ids are made from the call and from how often it was asked about: the same when decided again. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { facts as wire } from '@stopgo/proto';
import { describeCall, describeDoubt } from '../calls/description.ts';
import type { Judgement } from '../calls/judge.ts';
import { type AskedTarget, askedKindOf, isAsked } from '../calls/kinds.ts';
import { type Fact, fact } from '../events/facts.ts';
import { recordedTarget, serverOf } from '../events/target.ts';
import { demandAt } from '../policy/demand-at.ts';
import { notifyOf } from '../policy/notify.ts';
import type { DemandSpec, Policy } from '../policy/policy.ts';
import type { CallState, RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import { uuidFrom } from '../text/digest.ts';
import { lastDemand, withoutEnd } from './last-demand.ts';

/** A call that an approval is requested for. */
type Askable = {
  readonly callId: string;
  readonly stepId: string;
  readonly tool: string;
  readonly target: AskedTarget;
  readonly digest: string;
  readonly argumentsJson: string;
  readonly asked: number;
  readonly callRevision: number;
  readonly reason: string;
  /** The rule that asks; absent: the defaults do. */
  readonly rule?: string;
  readonly demand?: DemandSpec;
  /** Keys of those who changed its arguments; absent: nobody did. */
  readonly editedBy?: readonly string[];
  /** Webhooks that are told of it. */
  readonly notify: readonly string[];
  /** Whose change of its arguments it is asked about; absent: nobody changed them. */
  readonly edit?: MessageInitShape<typeof wire.EditSchema>;
};

/** The request to approve a call, and its id: the same for the same request of the same call. */
export function approvalRequest(run: RunState, call: Askable, now: number): { id: string; fact: Fact } {
  const id = uuidFrom('approval', run.id, call.callId, String(call.asked + 1));
  const { stepId, callId, tool, target, digest, reason, callRevision } = call;
  const description = describeCall(tool, call.argumentsJson, target, run.source);
  const choices = ['approve', 'reject'];
  const kind = askedKindOf(target).approvalKind;
  const server = serverOf(target);
  const { rule = '', demand, editedBy, notify } = call;
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
      rule,
      policyDigest: run.policyDigest ?? '',
      notify: [...notify],
      ...(call.edit && { edit: call.edit }),
      ...(demand && demandAt(demand, now, editedBy)),
    }),
  };
}

/** The request to approve a call just judged, and the decision where policy takes it at once; none if it needs none. */
export function approvalOf(
  run: RunState,
  stepId: string,
  { call, demand, asking = [], standingId = '' }: Judgement & { readonly call: { readonly callId: string } },
  callRevision: number,
  { policy, now }: { readonly policy: Policy | undefined; readonly now: number },
): Fact[] {
  const { disposition, callId, tool, reason, rule, policyDigest } = call;
  const automatic = disposition === wire.Disposition.AUTO_APPROVED;
  const target = recordedTarget(call);
  if (!isAsked(target) || (!automatic && disposition !== wire.Disposition.GATED)) return [];
  // What is decided at once demands nobody, and is told to nobody.
  const asks = automatic || demand === undefined ? {} : { demand };
  const notify = automatic ? [] : notifyOf(policy, asking);
  const askable = { ...call, ...asks, notify, target, stepId, asked: 0, callRevision };
  const { id: approvalId, fact: request } = approvalRequest(run, askable, now);
  if (!automatic) return [request];
  const decision = wire.Decision.APPROVED;
  const by = { byPolicy: true, standingId, rule, policyDigest };
  const approved = { approvalId, runId: run.id, decision, reason, callId, tool, ...by };
  return [request, fact('approvalResolved', approved)];
}

/** The request to decide what becomes of a call whose outcome nobody knows. */
export function doubtRequest(
  run: RunState,
  call: CallState,
  reason: string,
  argumentsJson: string,
  { demand, notify }: { readonly demand: DemandSpec | undefined; readonly notify: readonly string[] },
  now: number,
): Fact {
  return fact('approvalRequested', {
    approvalId: uuidFrom('approval', run.id, call.id, String(call.asked + 1)),
    runId: run.id,
    stepId: call.stepId,
    callId: call.id,
    kind: wire.ApprovalKind.IN_DOUBT,
    tool: call.tool,
    server: serverOf(call.target),
    digest: call.digest,
    description: describeDoubt(
      call.tool,
      argumentsJson,
      reason,
      isAsked(call.target) ? call.target : undefined,
      run.source,
    ),
    choices: ['run_again', 'happened', 'give_up'],
    reason,
    callRevision: call.revision,
    node: nodeOf(run, call.stepId),
    rule: call.rule ?? '',
    policyDigest: run.policyDigest ?? '',
    notify: [...notify],
    ...(demand && demandAt(demand, now, call.editedBy)),
  });
}

/** A question of another agent that an approval is requested for. */
type AskedElsewhere = {
  readonly id: string;
  readonly tool: string;
  readonly server: string;
  readonly digest: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly reason: string;
  readonly callRevision: number;
  readonly question: MessageInitShape<typeof wire.RemoteQuestionSchema>;
  readonly notify: readonly string[];
};

/** The request for the approval that stands for a question of another agent. */
export function questionRequest(
  run: RunState,
  call: CallState,
  { id, choices, notify, ...asked }: AskedElsewhere,
  now: number,
): Fact {
  // What the agent does with a yes is part of the delegation: whoever had to let that happen decides on this, too.
  const demand = lastDemand(run, call.id);
  return fact('approvalRequested', {
    ...asked,
    approvalId: id,
    choices: [...choices],
    notify: [...notify],
    runId: run.id,
    stepId: call.stepId,
    callId: call.id,
    kind: wire.ApprovalKind.PROXY,
    node: nodeOf(run, call.stepId),
    ...(demand && demandAt(withoutEnd(demand), now)),
  });
}

/** The request for a bearer token that a call cannot go on without; `question`: key of what its agent asks. */
export function tokenRequest(
  run: RunState,
  callId: string,
  prompt: string,
  question = '',
  count = (run.calls[callId]?.asked ?? 0) + 1,
): Fact {
  return fact('inputRequested', {
    inputId: uuidFrom('input', run.id, callId, String(count)),
    question,
    runId: run.id,
    stepId: run.calls[callId]?.stepId ?? '',
    callId,
    kind: wire.InputKind.AUTH,
    prompt,
  });
}
