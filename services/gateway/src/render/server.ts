import { mcp } from '@stopgo/proto';
import type { BridgeAnswer } from '../ask-bridges.ts';
import type { Answer } from '../json-text.ts';
import { presentLine, shownLine } from './shown.ts';
import { pinStates } from './tool.ts';

/**
 * The tool servers as clients see them: an entry for each server and bridge, since each bridge has a connection of its own, in
 * the order of the configuration. `now`: milliseconds since 1970.
 */
export function renderServers(answers: readonly BridgeAnswer[], now: number): Answer {
  const servers = answers.flatMap(
    ({ answer }) => answer?.servers.map((server, place) => ({ server, place, bridge: answer.instance })) ?? [],
  );
  return {
    servers: servers
      .toSorted((a, b) => a.place - b.place)
      .map(({ server, bridge }) => renderServer(server, bridge, now)),
    bridges: answers.map(({ address, answer }) => ({
      instance: answer?.instance,
      address: address === '' ? undefined : address,
      answers: answer !== undefined,
    })),
  };
}

function renderServer(server: mcp.Server, bridge: string, now: number): Answer {
  const { lastError, protocolEra, protocolVersion, callsRunning, callsWaiting, callsAtOnce } = server;
  const ago = (ms: bigint) => new Date(now - Number(ms)).toISOString();
  return {
    name: server.name,
    bridge,
    transport: server.transport,
    address: server.address,
    state: offersNothing(server) ? 'not_offered' : states[server.state],
    since: ago(server.stateMs),
    reason: presentLine(offersNothing(server) ? whyNothing(server) : server.reason),
    retry_after_ms: server.retryAfterMs === 0 ? undefined : server.retryAfterMs,
    last_error: lastError === '' ? undefined : { text: shownLine(lastError), at: ago(server.lastErrorMs) },
    protocol: protocolVersion === '' ? undefined : { era: protocolEra, version: protocolVersion },
    restarts: server.reconnects,
    tools: server.tools,
    tools_held: server.toolsHeld,
    tools_deselected: server.toolsDeselected,
    instructions: pinStates[server.instructions],
    identity: server.identity === '' ? undefined : server.identity,
    pins_strict: server.pinsStrict,
    left_out: server.leftOut.map(({ name, reason }) => ({ name: shownLine(name), reason: shownLine(reason) })),
    problems: server.problems.map(shownLine),
    calls: { running: callsRunning, waiting: callsWaiting, at_once: callsAtOnce },
  };
}

/** A server that is connected, and of which models are offered nothing, is not ready for them. */
function offersNothing({ state, tools }: mcp.Server): boolean {
  return state === mcp.ServerState.READY && tools === 0;
}

function whyNothing({ name, toolsHeld, toolsDeselected, leftOut }: mcp.Server): string {
  const why = [
    ...(toolsHeld === 0 ? [] : [`${toolsHeld} held until somebody accepts them (\`stopgo tools\`)`]),
    ...(toolsDeselected === 0 ? [] : [`${toolsDeselected} not selected (tools.allow, tools.deny)`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
  ];
  return `the server "${name}" is connected, and models are offered none of its tools: ${why.join(', ') || 'it lists none'}`;
}

const states: Readonly<Record<mcp.ServerState, string>> = {
  [mcp.ServerState.UNSPECIFIED]: 'unknown',
  [mcp.ServerState.STARTING]: 'starting',
  [mcp.ServerState.READY]: 'ready',
  [mcp.ServerState.DEGRADED]: 'degraded',
  [mcp.ServerState.BACKOFF]: 'backoff',
  [mcp.ServerState.CRASH_LOOP]: 'crash_loop',
  [mcp.ServerState.QUARANTINED]: 'quarantined',
  [mcp.ServerState.STOPPED]: 'stopped',
};
