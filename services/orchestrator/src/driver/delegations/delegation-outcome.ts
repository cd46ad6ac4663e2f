import {
  agentUnavailable,
  type CallOutcomeCommand,
  type CallState,
  type DelegationAskedCommand,
  remoteOf,
  taskText,
} from '@stopgo/core';
import { authPrompt } from '../handle/needs-token.ts';
import type { DelegationEnd } from './send-delegation.ts';

/** What goes on the record of an attempt to delegate; undefined if nothing is known because this process ends. */
export function delegationCommand(
  call: CallState,
  end: DelegationEnd | undefined,
  argumentsJson: string,
): CallOutcomeCommand | DelegationAskedCommand | undefined {
  const { tool, id: callId, attempt } = call;
  const agent = remoteOf(call.target);
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
