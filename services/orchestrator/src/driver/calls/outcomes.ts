import type { CallOutcomeCommand, CallState } from '@stopgo/core';
import type { ExecuteOutcome } from '../../tool-port.ts';
import { authPrompt } from '../handle/needs-token.ts';

/** What goes on the record of an attempt that a bridge has answered for. */
export function outcomeCommand(
  call: CallState,
  attempt: number,
  outcome: ExecuteOutcome,
  argumentsJson: string,
): CallOutcomeCommand {
  const base = { callId: call.id, attempt };
  const failed = (content: string): CallOutcomeCommand => ({
    ...base,
    type: 'callFinished',
    tool: call.tool,
    content,
    isError: true,
    durationMs: 0,
  });
  switch (outcome.kind) {
    case 'finished': {
      const { kind: _, ...told } = outcome;
      return { ...base, type: 'callFinished', tool: call.tool, ...told };
    }
    case 'pin_changed':
      return {
        ...base,
        type: 'callPinChanged',
        current: outcome.current,
        argumentsJson,
        ...(outcome.isHeld === true ? { isHeld: true } : {}),
      };
    case 'unauthenticated':
      return { ...base, type: 'callUnauthenticated', prompt: authPrompt(call, outcome.wantsAccount) };
    case 'not_run':
      return failed(outcome.message);
    case 'not_allowed':
      return { ...base, type: 'callNotAllowed', message: outcome.message };
    case 'fenced': {
      const { message = 'the attempt was fenced before it reached the tool' } = outcome;
      return { ...base, type: 'callNotStarted', message };
    }
    case 'unknown':
      // A call that is safe to repeat was repeated as often as is sensible: its failure is a result.
      return call.repeatable
        ? failed(`Tool execution failed: ${outcome.message}`)
        : { ...base, type: 'callUnknown', reason: outcome.message, argumentsJson };
  }
}
