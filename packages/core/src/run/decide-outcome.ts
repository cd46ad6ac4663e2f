/** What an attempt of a call came to, and what follows from it. */

import { facts as wire } from '@stopgo/proto';
import type { OfferedTool } from '../agent/definition.ts';
import { type Definitions, definitionOf } from '../agent/definitions.ts';
import { type AttemptPlace, delegatingNode, failedDelegation, finished } from '../calls/finished.ts';
import { notAllowed } from '../calls/judge.ts';
import { judgedIn } from '../calls/judged-in.ts';
import { isSent } from '../calls/kinds.ts';
import { callSiteOf } from '../calls/offers.ts';
import type { CallOutcomeCommand } from '../calls/outcome.ts';
import { rulingOn } from '../calls/verdict.ts';
import { type Fact, fact } from '../events/facts.ts';
import { serverOf } from '../events/target.ts';
import { inputsOver } from '../interrupts/decide-inputs.ts';
import { isPending, withdrawal } from '../interrupts/kinds/approval.ts';
import { lastDemand, withoutEnd } from '../interrupts/last-demand.ts';
import { approvalRequest, doubtRequest, tokenRequest } from '../interrupts/requests.ts';
import { toldOf } from '../interrupts/told.ts';
import { isRepeatable, policyVerdict } from '../policy/hints.ts';
import type { Ruling } from '../policy/judge-policy.ts';
import { mergeDemands } from '../policy/merge-demands.ts';
import type { DemandSpec } from '../policy/policy.ts';
import type { CallState, RunState } from '../state/state.ts';
import { isUnderWay, pendingApprovals } from '../state/work.ts';
import { pinChangesPerCallMax } from '../text/bounds.ts';
import { callDigest } from '../text/digest.ts';
import { heldUntilAccepted } from '../text/texts.ts';

/** By what an outcome is judged. */
type Known = {
  readonly definitions: Definitions;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The facts that an outcome leaves in a run that is open. None if it does not belong to the attempt that is under way. */
export function decideOutcome(run: RunState, outcome: CallOutcomeCommand, known: Known): Fact[] {
  const call = run.calls[outcome.callId];
  if (call === undefined) return [];
  if (isUnderWay(call, outcome.attempt))
    return [...questionsOver(run, call), ...inputsOver(run, outcome), ...outcomeOf(run, call, outcome, known)];
  // It comes late, but nobody has decided yet: what it says is better than a human's guess.
  if (call.phase === 'in_doubt' && call.attempt === outcome.attempt && outcome.type === 'callFinished') {
    const doubt = pendingApprovals(run).find((id) => run.interrupts[id]?.callId === call.id);
    const withdrawn = doubt === undefined ? [] : [withdrawal(run, doubt, 'the outcome of the call has come in')];
    return [...withdrawn, ...outcomeOf(run, call, outcome, known)];
  }
  return [];
}

/** An agent whose delegation is over waits for no answer any more. */
function questionsOver(run: RunState, { sent }: CallState): Fact[] {
  const pending = (sent?.questions ?? []).filter(({ askedAs }) => isPending(run, askedAs));
  return pending.map(({ askedAs }) => withdrawal(run, askedAs, 'the task of the agent has come to an end'));
}

function outcomeOf(run: RunState, call: CallState, outcome: CallOutcomeCommand, known: Known): Fact[] {
  const place = { runId: run.id, stepId: call.stepId, callId: call.id, attempt: outcome.attempt };
  switch (outcome.type) {
    case 'callFinished':
      return [finished(place, outcome, delegatingNode(run, call.stepId)), ...failedNode(run, call, outcome)];
    case 'callUnknown': {
      const { reason, argumentsJson } = outcome;
      // Whoever says that it is to run again says yes to it anew.
      const demand = demandOnRecord(known.definitions, run, call);
      const asks = { demand: demand && withoutEnd(demand), notify: toldOf(known.definitions, run, call) };
      const request = doubtRequest(run, call, reason, argumentsJson, asks, known.now);
      return [fact('toolCallInDoubt', { ...place, reason }), request];
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
      return pinChanged(run, call, outcome, place, known);
  }
}

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

function pinChanged(
  run: RunState,
  call: CallState,
  outcome: Extract<CallOutcomeCommand, { type: 'callPinChanged' }>,
  place: AttemptPlace,
  { definitions, now }: Known,
): Fact[] {
  const { current, argumentsJson } = outcome;
  const { pin } = current;
  const digest = callDigest({ server: serverOf(call.target), tool: call.tool, pin, argumentsJson });
  const repeatable = isRepeatable(current.hints);
  const message = `the definition of ${call.tool} changed`;
  const refused = { ...place, reason: wire.RefusalReason.PIN_CHANGED, message, pin, digest, repeatable };
  const changed = fact('toolCallRefused', refused);
  const ruling = ruledAnew(definitions, run, call, current, argumentsJson);
  const isAsked = policyVerdict(current).kind === 'ask' || ruling?.verdict === 'ask';
  const failed = (content: string): Fact[] => [changed, failedCall(call, outcome.attempt, content, place)];
  if (ruling?.verdict === 'deny') return failed(notAllowed(ruling.reason));
  if (call.pinChanges >= pinChangesPerCallMax)
    return failed(`Tool execution failed: ${message} again and again (${call.pinChanges + 1} times)`);
  if (!isAsked && !call.gated) return [changed];
  const since = call.approvalId === undefined ? message : `${message} after it was approved`;
  const reason = outcome.isHeld === true ? `${since}; ${heldUntilAccepted}` : since;
  const { id: callId, stepId, tool, target, asked, revision: callRevision } = call;
  if (!isSent(target)) return [changed];
  // What its approval took before it still takes, whatever the tool is now: its server says that.
  const before = demandOnRecord(definitions, run, call);
  const added = ruling?.verdict === 'ask' ? ruling.demand : undefined;
  const rule = ruling?.verdict === 'ask' && (added !== undefined || before === undefined) ? ruling.rule : call.rule;
  const earlier = call.rule === undefined || !call.gated ? [] : [call.rule];
  const asking = [...new Set([...(ruling?.verdict === 'ask' ? ruling.asking : []), ...earlier])];
  const merged = mergeDemands(added, before);
  if (merged === undefined)
    return failed(notAllowed(`${message}, and nobody may decide both by what was asked for and by rule "${rule}"`));
  const { demand } = merged;
  const askable = {
    callId,
    stepId,
    tool,
    target,
    digest,
    argumentsJson,
    asked,
    callRevision,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(demand && { demand }),
    ...(call.editedBy && { editedBy: call.editedBy }),
    notify: toldOf(definitions, run, call, asking),
  };
  const request = approvalRequest(run, askable, now);
  return [changed, request.fact];
}

/** What the policy says of a call whose tool is another one now; undefined if it says nothing. */
function ruledAnew(
  definitions: Definitions,
  run: RunState,
  call: CallState,
  current: OfferedTool,
  argumentsJson: string,
): Ruling | undefined {
  if (run.policyDigest === undefined) return undefined;
  const site = callSiteOf(definitions, run, call.stepId);
  const { turn = 1 } = run.steps[call.stepId] ?? {};
  const { context } = judgedIn({}, run, turn);
  return site && context && rulingOn({ ...current, name: call.tool }, site, argumentsJson, context);
}

/**
 * What a call takes: what its latest approval did, else what the rule that decided it demands; undefined if that is nothing. Approvals of
 * versions that forgot it when a tool changed have none.
 */
function demandOnRecord(definitions: Definitions, run: RunState, call: CallState): DemandSpec | undefined {
  const asked = lastDemand(run, call.id);
  if (asked !== undefined || run.policyDigest === undefined || call.rule === undefined) return asked;
  const { policy } = definitionOf(definitions, run, call.stepId);
  return policy?.rules.find(({ name }) => name === call.rule)?.demand;
}

function failedCall(call: CallState, attempt: number, content: string, place: AttemptPlace): Fact {
  const { id: callId, tool } = call;
  return finished(place, { type: 'callFinished', callId, attempt, tool, content, isError: true, durationMs: 0 });
}
