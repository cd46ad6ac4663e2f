import type { CallState, ConversationState } from '../state/state.ts';

/** What is on the record of a call of a run that goes on, for whoever is asked to make it. */
export type CallTicket = Pick<CallState, 'tool' | 'pin' | 'digest' | 'attempt' | 'bridge' | 'approvalId'> & {
  readonly server: string;
  /** `closed`: it waits for somebody, or is over; `started`: its latest attempt is under way. */
  readonly state: 'closed' | 'ready' | 'started';
};

/**
 * The ticket of a call of a tool; undefined if its run does not go on, there is no such call, or it delegates to an agent.
 * It allows nothing by itself: whoever looks at it compares it with what would be sent.
 */
export function ticketOf({ run }: ConversationState, runId: string, callId: string): CallTicket | undefined {
  if (run === null || run.id !== runId || run.status !== 'open' || !Object.hasOwn(run.calls, callId)) return undefined;
  const call = run.calls[callId];
  if (call?.target?.kind !== 'tool') return undefined;
  const { phase, target } = call;
  return { ...call, server: target.server, state: phase === 'ready' || phase === 'started' ? phase : 'closed' };
}
