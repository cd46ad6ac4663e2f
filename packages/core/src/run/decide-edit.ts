/** The decider of a person's change to the arguments of a call that waits for an approval. */
import { approvals, facts as wire } from '@stopgo/proto';
import type { OfferedTool } from '../agent/definition.ts';
import type { Definitions } from '../agent/definitions.ts';
import { judgeCall } from '../calls/judge.ts';
import { judgedIn } from '../calls/judged-in.ts';
import { isSent } from '../calls/kinds.ts';
import { callSiteOf } from '../calls/offers.ts';
import type { JudgedIn } from '../calls/verdict.ts';
import { fact } from '../events/facts.ts';
import { serverOf } from '../events/target.ts';
import { type ResolveCommand, type ResolveDecision, resolveApproval } from '../interrupts/decide-approval.ts';
import { withdrawal } from '../interrupts/kinds/approval.ts';
import { mayDecide } from '../interrupts/may-decide.ts';
import { approvalRequest } from '../interrupts/requests.ts';
import { undelayed } from '../interrupts/undelayed.ts';
import { nobody, voterToWire } from '../interrupts/voter.ts';
import { countedAs } from '../policy/judge-policy.ts';
import { notifyOf } from '../policy/notify.ts';
import { approvalIn, decisionOn } from '../state/interrupt.ts';
import { anotherSession } from '../state/request.ts';
import type { CallState, ConversationState, RunState } from '../state/state.ts';
import { requestsPerEditedCallMax, saidBytesMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { anticipate } from './interpreter.ts';

/** Somebody approves a call with other arguments. */
export type EditCommand = Omit<ResolveCommand, 'decision'> & {
  /** The arguments as they shall be, as the tool takes them. */
  readonly argumentsJson: string;
};

export type EditDecision =
  | ResolveDecision
  /** The call cannot be changed so; why, in words. */
  | { readonly kind: 'uneditable'; readonly reason: string };

const approve = { kind: approvals.DecisionKind.APPROVE } as const;

/**
 * Changes a call that waits: withdraws its approval, records the changed call, judged by the rules of its run as if a model had asked for
 * it, and requests another approval. Who changes it says yes to that one too, if the changed call lets them: not where whoever asked
 * is kept out, since they have written it. It waits no longer than the call as it was (see `undelayed`). It always waits for a person: none of the votes on the call as it was counts for the
 * changed one.
 *
 * @param definitions - at least those that the run names, if the approval is pending.
 */
export function editCall(state: ConversationState, command: EditCommand, definitions: Definitions): EditDecision {
  const { approvalId, argumentsJson, voter = nobody, now = 0 } = command;
  // Whoever may not say yes to the call as it is may not change it either.
  const asIs = resolveApproval(state, { ...command, decision: approve });
  const { run } = state;
  const approval = approvalIn(run, approvalId);
  // Who has said yes already may change their mind.
  if ((asIs.kind !== 'append' && asIs.kind !== 'voted' && asIs.kind !== 'choice') || run === null || !approval)
    return asIs;
  const found = editable(definitions, run, approvalId);
  if ('reason' in found) return { kind: 'uneditable', reason: found.reason };
  const { call, tool, site } = found;
  const { turn = 1 } = run.steps[call.stepId] ?? {};
  const given = withoutItself(judgedIn(state, run, turn), call);
  const asked = { providerCallId: '', name: tool.name, argumentsJson };
  const { call: judged, demand, asking = [] } = judgeCall(asked, site, 0, given);
  if (judged.disposition === wire.Disposition.REFUSED) return { kind: 'uneditable', reason: judged.error };
  if (judged.digest === call.digest)
    return { kind: 'uneditable', reason: 'these are the arguments that it has; approve it as it is' };
  // What one of them wrote, another may have left as it was.
  const editedBy = [...new Set([...(call.editedBy ?? []), voter.key])];
  // Who must not decide it has to be known, else nobody could.
  if (demand?.notRequester === true && editedBy.includes(''))
    return { kind: 'uneditable', reason: voter.key === '' ? sayWho : unknownAuthor };
  const takes = undelayed(demand, approval.demand, now);
  const edited = {
    runId: run.id,
    stepId: call.stepId,
    callId: call.id,
    call: { ...judged, callId: call.id, disposition: wire.Disposition.GATED },
    approvalId,
    beforeDigest: call.digest,
    beforeRevision: call.revision,
    voter: voterToWire(voter, entitledBy(run, approvalId, command)),
    said: cutText(command.said ?? '', saidBytesMax).text,
    editors: editedBy,
    sessionId: anotherSession(state, command),
    ...(command.idempotency === undefined ? {} : { idempotency: command.idempotency }),
  };
  const { id, fact: request } = approvalRequest(
    run,
    {
      callId: call.id,
      stepId: call.stepId,
      tool: call.tool,
      target: call.target,
      digest: judged.digest,
      argumentsJson: judged.argumentsJson,
      asked: call.asked,
      // The second of the append holds the changed call.
      callRevision: state.revision + 2,
      reason: `${voter.name} changed its arguments${judged.reason === '' ? '' : `; ${judged.reason}`}`,
      rule: judged.rule,
      ...(takes && { demand: takes }),
      editedBy,
      notify: notifyOf(site.policy, asking),
      edit: { replaces: approvalId, voter: edited.voter, said: edited.said },
    },
    now,
  );
  const all = [withdrawal(run, approvalId, 'its arguments were changed'), fact('callEdited', edited), request];
  const { said: _said, idempotency: _key, ...vote } = command;
  const after = anticipate(state, all, now);
  const yes = resolveApproval(after, { ...vote, approvalId: id, decision: approve });
  return { kind: 'append', facts: yes.kind === 'append' ? [...all, ...yes.facts] : all };
}

const sayWho =
  'who changes it so must not decide it as well, so it has to be known who does: sign in, or send your name in X-Approver';
const unknownAuthor =
  'who changed it must not decide it so, and somebody who gave no name has changed it before; reject it and say what you want instead';

/** The tool of a call that may be changed, whose schema the new arguments must fit; or why the call cannot be changed. */
export function editableTool(
  definitions: Definitions,
  state: ConversationState,
  approvalId: string,
): OfferedTool | { readonly reason: string } | undefined {
  const { run } = state;
  const approval = approvalIn(run, approvalId);
  if (run?.status !== 'open' || approval === undefined || decisionOn(approval) !== undefined) return undefined;
  const found = editable(definitions, run, approvalId);
  return 'reason' in found ? found : found.tool;
}

type Editable = {
  readonly call: CallState & { readonly target: Extract<CallState['target'], { kind: 'tool' }> };
  readonly tool: OfferedTool;
  readonly site: NonNullable<ReturnType<typeof callSiteOf>>;
};

function editable(definitions: Definitions, run: RunState, approvalId: string): Editable | { readonly reason: string } {
  const approval = approvalIn(run, approvalId);
  if (approval?.of === 'in_doubt')
    return { reason: 'the call was started and may have happened; say what became of it' };
  if (approval?.of === 'question')
    return { reason: 'the call is one of another agent; reject it and say what you want instead' };
  const call = run.calls[approval?.callId ?? ''];
  if (call === undefined || call.phase !== 'waiting' || call.approvalId !== approvalId)
    return { reason: 'the call does not wait for this approval' };
  const { target } = call;
  if (!isSent(target) || target.kind !== 'tool')
    return {
      reason: 'it delegates to an agent, whose message is not changed; reject it and say what you want instead',
    };
  if (call.asked >= requestsPerEditedCallMax)
    return { reason: `it was asked about ${call.asked} times already; approve or reject it` };
  const site = callSiteOf(definitions, run, call.stepId);
  const tool = site?.offered.get(call.tool);
  if (site === undefined || tool === undefined || tool.pin !== call.pin || serverOf(tool.target) !== target.server)
    return { reason: 'the definition of its tool has changed since the model asked for it; approve or reject it' };
  return { call: { ...call, target }, tool, site };
}

/** What rules count is what was called before: the call itself stands among that already. */
function withoutItself({ context, standing }: JudgedIn, { target, tool }: Editable['call']): JudgedIn {
  if (context === undefined) return { ...(standing && { standing }) };
  const name = countedAs({ server: target.server, tool });
  const { [name]: count = 0, ...others } = context.run.calls;
  const calls = count > 1 ? { ...others, [name]: count - 1 } : others;
  return { ...(standing && { standing }), context: { ...context, run: { ...context.run, calls } } };
}

function entitledBy(run: RunState, approvalId: string, { voter = nobody, now = 0 }: EditCommand): string {
  const entitlement = mayDecide(approvalIn(run, approvalId)?.demand, voter, run.requester ?? '', now);
  return entitlement.may ? entitlement.entitledBy : '';
}
