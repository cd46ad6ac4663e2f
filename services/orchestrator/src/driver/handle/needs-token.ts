import { type CallState, isSent, nameOfTarget, sentKindOf } from '@stopgo/core';
import type { RunHandle } from './run-handle.ts';

/** The run began with a token, the call is to forward one, and none is at hand. */
export function needsToken(driver: RunHandle, call: CallState): boolean {
  if (driver.bearer !== undefined || driver.state.run?.bearerTokenPresent !== true || !isSent(call.target))
    return false;
  return sentKindOf(call.target).forwardsBearer(call, driver.definitionOf(call.stepId));
}

/** What the user is told when a tool server, or another agent, wants a token, or an account of theirs. */
export function authPrompt({ target }: CallState, wantsAccount = false): string {
  const whose = isSent(target) ? sentKindOf(target).whose(nameOfTarget(target)) : 'platform';
  const wanted = `Authentication required to access the ${whose}.`;
  return wantsAccount ? `${wanted} Connect your account there; the call goes on then by itself.` : wanted;
}
