import { callDigest, isRepeatable, policyVerdict } from '@stopgo/core';
import type { DefinedTool } from './tool-definitions.ts';

/** What a call brings along to be let through. */
export type Credentials = {
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
  | { readonly kind: 'not_approved'; readonly message: string };

/**
 * The last word before a call is sent: a call that policy gates runs only with an approval of exactly this tool, as it
 * is defined now, with exactly these arguments. The digest is computed here, from what would be sent; what the caller
 * says it is counts for nothing unless it is the same.
 *
 * A call that brings an approval is held to it even if its tool is not gated (any more): a server must not get around
 * an approval by calling its tool harmless afterwards.
 *
 * Throws a TypeError if the call is gated and its arguments are not JSON.
 */
export function gate(tool: DefinedTool, call: Credentials): GateVerdict {
  const verdict = policyVerdict({ hints: tool.hints, approvalRequired: tool.approvalRequired });
  const approved = call.approvalId !== '';
  const label = `the tool "${tool.name}" of the server "${tool.server}"`;
  const changed = `${label} is not defined as it was when the call was made`;
  if (verdict.kind === 'allow' && !approved) {
    // Whether a call is fenced before it is sent was decided by the pinned definition: that decision must still be right.
    return call.pin === tool.pin || isRepeatable(tool.hints)
      ? { kind: 'open' }
      : { kind: 'pin_changed', message: changed };
  }
  if (call.pin !== tool.pin) return { kind: 'pin_changed', message: changed };
  if (!approved)
    return { kind: 'not_approved', message: `${label} needs an approval, and the call has none (${verdict.reason})` };
  const digest = callDigest({ server: tool.server, tool: tool.name, pin: tool.pin, argumentsJson: call.argumentsJson });
  if (call.digest !== digest) {
    return { kind: 'not_approved', message: `the approval is for another call of ${label}, or for other arguments` };
  }
  return { kind: 'open' };
}
