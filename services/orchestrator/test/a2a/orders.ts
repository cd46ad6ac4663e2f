import type { RemoteAgent } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { askTimeoutMs, cardTimeoutMs, sendTimeoutMs, streamIdleMs } from '../../src/a2a/bounds.ts';
import { A2aDelegations, type TokenWithheld } from '../../src/a2a/delegations.ts';
import type { DelegationOutcome, DelegationRequest, DelegationUpdate } from '../../src/delegation-port.ts';

export const never = new AbortController().signal;

/** Nothing keeps an answer from being sent. */
export const may = async (): Promise<boolean> => true;

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

const limits: ReadonlySet<number> = new Set([cardTimeoutMs, askTimeoutMs, streamIdleMs, sendTimeoutMs]);

/** A clock on which pauses take no time, and have passed all the same; time limits are real. */
function hurriedClock(): Clock {
  let passedMs = 0;
  return {
    now: () => systemClock.now() + passedMs,
    monotonic: () => systemClock.monotonic() + passedMs,
    sleep: async (ms, signal) => {
      if (limits.has(ms)) return systemClock.sleep(ms, signal);
      await systemClock.sleep(1, signal);
      passedMs += ms;
    },
  };
}

export function client(clock: Clock = hurriedClock(), onTokenWithheld?: TokenWithheld): A2aDelegations {
  return new A2aDelegations(clock, [], onTokenWithheld);
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
