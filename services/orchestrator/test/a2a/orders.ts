import type { RemoteAgent } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { A2aDelegations } from '../../src/a2a/delegations.ts';
import type { DelegationOutcome, DelegationRequest, DelegationUpdate } from '../../src/delegation-port.ts';

export const never = new AbortController().signal;

export function agentAt(url: string, more: Partial<RemoteAgent> = {}): RemoteAgent {
  return { name: 'peer', url, description: '', destructive: false, forwardsBearer: true, ...more };
}

/** One attempt; each has ids of its own. */
export function order(url: string, more: Partial<DelegationRequest> = {}): DelegationRequest {
  return {
    key: { conversationId: 'c', runId: 'r', callId: 'root#1.0', attempt: 1 },
    agent: agentAt(url),
    message: 'Buy bread.',
    messageId: crypto.randomUUID(),
    contextId: crypto.randomUUID(),
    taskId: '',
    sessionId: 'a1b2c3d4',
    ...more,
  };
}

/** A clock on which waiting takes no time, unless it is longer than anything but a time limit. */
export const hurriedClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, ms >= 5_000 ? ms : 2), signal),
};

export function client(clock: Clock = hurriedClock): A2aDelegations {
  return new A2aDelegations(clock);
}

/** Delegates, and says what was told on the way. */
export async function delegated(
  request: DelegationRequest,
  by = client(),
): Promise<{ readonly outcome: DelegationOutcome; readonly told: readonly DelegationUpdate[] }> {
  const told: DelegationUpdate[] = [];
  const outcome = await by.delegate(request, (update) => told.push(update), never);
  return { outcome, told };
}
