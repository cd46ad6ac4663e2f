// The last word before a call is sent. What the caller says of a call counts for nothing by itself:
//
// 1. Whether a tool is gated follows from its definition as it is now, and what a digest covers from what would be sent.
// 2. A gated call, and one that brings an approval, runs only if the stream of its conversation holds an approval of exactly
//    this call: by a person or by policy, bound to its digest, decided, not void.
// 3. A call that is not safe to repeat runs only if the stream holds the start of this attempt by this bridge.
// 4. A tool that nobody has accepted as it is runs for nobody. If it changed after an approval of the call, people are asked anew.
// 5. A call that is neither gated nor harmful to repeat has nothing on the record that it could be held to: it is not looked up.
import { callDigest, isHeld, isRepeatable, policyVerdict, toolHeld } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import type { CatalogueTool } from '../tools/catalogue.ts';

/** What a call brings along to be let through. */
export type Credentials = {
  /** Which attempt it is, from 1. */
  readonly attempt: number;
  /** The bridge instance that it is for. */
  readonly instance: string;
  /** Pin that the model was offered. */
  readonly pin: string;
  /** Empty if nobody approved the call. */
  readonly approvalId: string;
  /** What the approval is bound to. */
  readonly digest: string;
  readonly argumentsJson: string;
};

/** Whether a call may run. */
export type GateVerdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'pin_changed'; readonly message: string }
  | { readonly kind: 'held'; readonly message: string }
  | { readonly kind: 'not_approved'; readonly message: string }
  | { readonly kind: 'not_on_record'; readonly message: string };

/** True if a call must be looked up in the stream of its conversation before it is sent. */
export function needsTicket(tool: CatalogueTool, { approvalId }: Pick<Credentials, 'approvalId'>): boolean {
  return approvalId !== '' || isGated(tool) || !isRepeatable(tool.hints);
}

/**
 * What can be said of a call without looking it up: whether its tool is still the one that it was made for, and whether it
 * brings what a gated call must bring. A call that brings an approval is held to it even if its tool is not gated (any more): a
 * server must not get around an approval by calling its tool harmless afterwards.
 *
 * Throws a TypeError if the call is held to an approval and its arguments are not JSON.
 */
export function gate(tool: CatalogueTool, call: Credentials): GateVerdict {
  const verdict = policyVerdict({ hints: tool.hints, approvalRequired: tool.approvalRequired });
  const approved = call.approvalId !== '';
  const label = labelOf(tool);
  const changed = `${label} is not defined as it was when the call was made`;
  if (isHeld(tool.pinState) && (!approved || call.pin === tool.pin))
    return { kind: 'held', message: toolHeld(tool.name, tool.server, tool.pinState === 'new') };
  if (verdict.kind === 'allow' && !approved) {
    // Whether a call is fenced before it is sent was decided by the pinned definition: that decision must still be right.
    return call.pin === tool.pin || isRepeatable(tool.hints)
      ? { kind: 'open' }
      : { kind: 'pin_changed', message: changed };
  }
  if (call.pin !== tool.pin) return { kind: 'pin_changed', message: changed };
  if (!approved)
    return { kind: 'not_approved', message: `${label} needs an approval, and the call has none (${verdict.reason})` };
  return call.digest === digestOf(tool, call)
    ? { kind: 'open' }
    : notApproved(`is for another call of ${label}, or for other arguments`);
}

/**
 * The same once the call was looked up, where it has to be: `ticket` is what the stream holds of it, undefined if that is
 * nothing. Throws as {@link gate}.
 */
export function gateWithTicket(tool: CatalogueTool, call: Credentials, ticket: store.Ticket | undefined): GateVerdict {
  const verdict = gate(tool, call);
  if (verdict.kind !== 'open' || !needsTicket(tool, call)) return verdict;
  if (ticket === undefined) return notOnRecord('the conversation has no such call that may run');
  const digest = digestOf(tool, call);
  if (ticket.digest !== digest) return notOnRecord('the conversation holds another call in its place');
  const problem = call.approvalId === '' && !isGated(tool) ? undefined : approvalProblem(tool, call, ticket.approval);
  if (problem !== undefined) return notApproved(problem);
  return isUnderWay(ticket, call) || (isRepeatable(tool.hints) && isDue(ticket, call))
    ? { kind: 'open' }
    : notOnRecord('the conversation does not hold the start of this attempt by this bridge');
}

function approvalProblem(
  tool: CatalogueTool,
  call: Credentials,
  approval: store.TicketApproval | undefined,
): string | undefined {
  if (approval === undefined || approval.id !== call.approvalId) return 'does not stand for this call';
  if (approval.digest !== digestOf(tool, call))
    return `is for another call of ${labelOf(tool)}, or for other arguments`;
  if (approval.void) return 'allows nothing any more, because the tool changed after it';
  const { decision } = approval;
  if (decision !== facts.Decision.APPROVED && decision !== facts.Decision.RUN_AGAIN) return 'has not been given';
  // A policy decides by where in the tree the call stands; it cannot overrule what the configuration says of the tool.
  if (approval.byPolicy && tool.approvalRequired) return 'was given by a policy, and the configuration wants a person';
  return undefined;
}

/** The attempt was begun on the record, by this bridge. */
function isUnderWay(ticket: store.Ticket, { attempt, instance }: Credentials): boolean {
  const { state, bridgeInstance } = ticket;
  return state === store.TicketState.STARTED && ticket.attempt === attempt && bridgeInstance === instance;
}

/** A call that is safe to repeat is not begun on the record: it is the next attempt of one that is still to be made. */
function isDue(ticket: store.Ticket, { attempt }: Credentials): boolean {
  return ticket.state === store.TicketState.READY && ticket.attempt + 1 === attempt;
}

function isGated({ hints, approvalRequired }: CatalogueTool): boolean {
  return policyVerdict({ hints, approvalRequired }).kind !== 'allow';
}

function digestOf({ server, name, pin }: CatalogueTool, { argumentsJson }: Credentials): string {
  return callDigest({ server, tool: name, pin, argumentsJson });
}

function labelOf({ name, server }: CatalogueTool): string {
  return `the tool "${name}" of the server "${server}"`;
}

function notApproved(problem: string): GateVerdict {
  return { kind: 'not_approved', message: `the approval ${problem}` };
}

function notOnRecord(problem: string): GateVerdict {
  return { kind: 'not_on_record', message: problem };
}
