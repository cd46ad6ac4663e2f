import { mcp } from '@stopgo/proto';
import type { FailureKind } from '../results/call-end.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import type { GateVerdict } from './gate.ts';
import { type Outcome, refused, unknown } from './outcome.ts';

const { RefusedReason } = mcp;

/** What the gate says of a call, as its outcome; undefined if it may run. */
export function refusalOf(tool: CatalogueTool, verdict: GateVerdict): Outcome | undefined {
  switch (verdict.kind) {
    case 'open':
      return undefined;
    case 'pin_changed':
      return refused(RefusedReason.PIN_CHANGED, verdict.message, { tool });
    case 'held':
      return refused(RefusedReason.TOOL_HELD, verdict.message);
    case 'not_approved':
      return refused(RefusedReason.NOT_APPROVED, verdict.message);
    case 'not_on_record':
      return refused(RefusedReason.NOT_ON_RECORD, verdict.message);
  }
}

/** The server wants other credentials than the call brings. */
export function unauthenticated({ server }: Pick<mcp.ExecuteRequest, 'server'>, byAccount = false): Outcome {
  const message = `Authentication required to access the ${server} server.`;
  return refused(RefusedReason.UNAUTHENTICATED, message, { wantsAccount: byAccount });
}

/** Others may have put the call in doubt, and made it elsewhere. */
export function takenForDead(): Outcome {
  return refused(
    RefusedReason.FENCED,
    'the bridge was out of touch and may have been taken for dead; the call was not sent, and may be made anew',
  );
}

/** The call was canceled, and had not been sent. */
export function canceledInTime(): Outcome {
  return refused(RefusedReason.FENCED, 'the call was canceled before it was sent; it did not run');
}

/** The catalogue has no such tool, or no such server. */
export function toolNotFound({ tool }: Pick<mcp.ExecuteRequest, 'tool'>): Outcome {
  return refused(RefusedReason.TOOL_NOT_FOUND, `Tool not found: ${tool}`);
}

/** The call was not sent, as its server cannot take it. `retryAfterMs`: when the server is tried again, in milliseconds. */
export function unavailable({
  reason,
  retryAfterMs,
}: {
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
}): Outcome {
  return refused(RefusedReason.SERVER_UNAVAILABLE, `${reason}; the call was not sent`, { retryAfterMs });
}

/** The call was sent, and what became of it nobody can tell. */
export function inDoubt(reason: string, failure?: FailureKind): Outcome {
  return unknown(`${reason}; whether the call took effect is not known`, failure);
}
