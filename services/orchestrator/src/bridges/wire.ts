import { blobRefs, type OfferedTool, type ServerInstructions } from '@stopgo/core';
import { mcp as wire } from '@stopgo/proto';
import type { ExecuteAnswer, ExecuteOutcome, FenceOutcome } from '../tool-port.ts';

/** A tool as the bridge describes it. `said`: what its server says of its tools. */
export function offeredTool(tool: wire.Tool, said?: ServerInstructions): OfferedTool {
  const { readOnly = false, destructive = false, idempotent = false, openWorld = true } = tool.hints ?? {};
  return {
    target: { kind: 'tool', server: tool.server },
    name: tool.name,
    description: tool.description,
    inputSchemaJson: tool.inputSchemaJson,
    pin: tool.pin,
    hints: { readOnly, destructive, idempotent, openWorld },
    approvalRequired: tool.approvalRequired,
    forwardsBearer: tool.forwardsBearer,
    ...(said && { instructions: said }),
  };
}

/** What a bridge says of an attempt it was asked to make. */
export function executeAnswer({ outcome }: wire.ExecuteResponse): ExecuteAnswer {
  switch (outcome.case) {
    case 'finished': {
      const { content, isError, fullBytes, sha256, durationMs, structuredJson } = outcome.value;
      const cut = sha256 === '' ? {} : { cut: { fullBytes: Number(fullBytes), sha256 } };
      const blobs = blobRefs(outcome.value.blobs);
      const beside = { ...(blobs.length === 0 ? {} : { blobs }), ...(structuredJson === '' ? {} : { structuredJson }) };
      return { kind: 'finished', content, isError, durationMs, ...cut, ...beside };
    }
    case 'refused':
      return refusal(outcome.value);
    case 'unknown':
      return { kind: 'unknown', message: outcome.value.message };
    case 'asking':
      return { kind: 'asking', questions: outcome.value.questions };
    default:
      throw new Error('the tool bridge gave no outcome of a call');
  }
}

/** What a bridge knows of an attempt. */
export function fenceOutcome({ state }: wire.FenceCallResponse): FenceOutcome {
  switch (state.case) {
    case 'neverSeen':
      return { kind: 'never_seen' };
    case 'running':
      return { kind: 'running', questions: state.value.questions, lapsed: state.value.lapsedQuestions };
    case 'forgotten':
      return { kind: 'forgotten' };
    case 'outcome':
      return outcomeOf(executeAnswer(state.value));
    default:
      throw new Error('the tool bridge gave no answer about a call');
  }
}

function outcomeOf(answer: ExecuteAnswer): FenceOutcome {
  return answer.kind === 'asking'
    ? { kind: 'running', questions: answer.questions, lapsed: [] }
    : { kind: 'outcome', outcome: answer };
}

/** What is told of a tool that is held. */
export function heldTool({ server, pinState }: wire.Tool): { readonly server: string; readonly isNew: boolean } {
  return { server, isNew: pinState === wire.PinState.NEW };
}

const heldStates: ReadonlySet<wire.PinState> = new Set([wire.PinState.NEW, wire.PinState.CHANGED]);

function refusal({ reason, message, tool, wantsAccount }: wire.Refused): ExecuteOutcome {
  switch (reason) {
    case wire.RefusedReason.PIN_CHANGED:
      if (tool === undefined) throw new Error('the tool bridge did not say what the tool is now');
      return { kind: 'pin_changed', current: offeredTool(tool), isHeld: heldStates.has(tool.pinState) };
    case wire.RefusedReason.UNAUTHENTICATED:
      return { kind: 'unauthenticated', ...(wantsAccount ? { wantsAccount: true } : {}) };
    case wire.RefusedReason.FENCED:
      return { kind: 'fenced' };
    case wire.RefusedReason.RECORD_UNAVAILABLE:
      return { kind: 'fenced', message };
    case wire.RefusedReason.NOT_APPROVED:
    case wire.RefusedReason.NOT_ON_RECORD:
    case wire.RefusedReason.TOOL_HELD:
      return { kind: 'not_allowed', message };
    case wire.RefusedReason.TOOL_NOT_FOUND:
      return { kind: 'not_run', message: message === '' ? 'Tool not found' : message };
    default:
      return { kind: 'not_run', message: `Tool execution failed: ${message}` };
  }
}
