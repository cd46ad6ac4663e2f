import type { CallOutcomeCommand, CallState } from '@stopgo/core';
import type { ExecuteOutcome } from '../tool-port.ts';

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
      const { content, isError, durationMs, cut } = outcome;
      return {
        ...base,
        type: 'callFinished',
        tool: call.tool,
        content,
        isError,
        durationMs,
        ...(cut === undefined ? {} : { cut }),
      };
    }
    case 'pin_changed':
      return { ...base, type: 'callPinChanged', current: outcome.current, argumentsJson };
    case 'unauthenticated':
      return { ...base, type: 'callUnauthenticated', prompt: authPrompt(call.server) };
    case 'not_run':
      return failed(outcome.message);
    case 'fenced':
      return { ...base, type: 'callNotStarted', message: 'the attempt was fenced before it reached the tool' };
    case 'unknown':
      // A call that is safe to repeat was repeated as often as is sensible: its failure is a result.
      return call.repeatable
        ? failed(`Tool execution failed: ${outcome.message}`)
        : { ...base, type: 'callUnknown', reason: outcome.message, argumentsJson };
  }
}

/** What the user is told when a tool server wants a token. */
export function authPrompt(server: string): string {
  return `Authentication required to access the ${server} server.`;
}
