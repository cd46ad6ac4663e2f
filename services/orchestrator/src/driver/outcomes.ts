import {
  agentUnavailable,
  type CallOutcomeCommand,
  type CallState,
  type DelegationAskedCommand,
  taskText,
} from '@stopgo/core';
import type { ExecuteOutcome } from '../tool-port.ts';
import type { DelegationEnd } from './send-delegation.ts';

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
      return { ...base, type: 'callUnauthenticated', prompt: authPrompt(call) };
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

/** What goes on the record of an attempt to delegate; undefined if nothing is known because this process ends. */
export function delegationCommand(
  call: CallState,
  end: DelegationEnd | undefined,
  argumentsJson: string,
): CallOutcomeCommand | DelegationAskedCommand | undefined {
  const { tool, agent = '', id: callId, attempt } = call;
  const base = { callId, attempt };
  switch (end?.kind) {
    case 'finished': {
      const { task, text, isError, durationMs, cut } = end;
      const content = text === '' ? taskText(task.id, task.state) : text;
      const told = { content, isError, durationMs, ...(cut === undefined ? {} : { cut }) };
      return { ...base, type: 'callFinished', tool, ...told, by: { agent, task } };
    }
    case 'unavailable': {
      const told = { content: agentUnavailable(agent, end.message), isError: true, durationMs: 0 };
      return { ...base, type: 'callFinished', tool, ...told, by: { agent } };
    }
    case 'asks': {
      const { kind: _, isIdempotent: __, ...asked } = end;
      return { ...base, ...asked, type: 'delegationAsked' };
    }
    case 'unauthenticated':
      return { ...base, type: 'callUnauthenticated', prompt: authPrompt(call) };
    case 'unknown':
      return { ...base, type: 'callUnknown', reason: end.message, argumentsJson };
    case undefined:
      return undefined;
  }
}

/** What the user is told when a tool server, or another agent, wants a token. */
export function authPrompt({ server, agent }: CallState): string {
  return `Authentication required to access the ${agent === undefined ? `${server} server` : `${agent} agent`}.`;
}
