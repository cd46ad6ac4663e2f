import { type CallState, remoteAgentOf } from '@stopgo/core';
import type { RunHandle } from './run-handle.ts';

/** The run began with a token, the call is to forward one, and none is at hand. */
export function needsToken(driver: RunHandle, call: CallState): boolean {
  const target = call.agent === undefined ? driver.tools.get(call.tool) : remoteAgentOf(driver.agent, call);
  return (
    target?.forwardsBearer === true && driver.state.run?.bearerTokenPresent === true && driver.bearer === undefined
  );
}

/** What the user is told when a tool server, or another agent, wants a token. */
export function authPrompt({ server, agent }: CallState): string {
  return `Authentication required to access the ${agent === undefined ? `${server} server` : `${agent} agent`}.`;
}
