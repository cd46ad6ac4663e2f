import type { MessageInitShape } from '@bufbuild/protobuf';
import { type PinState, visibleText } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { shownAddress } from '../lines/shown-address.ts';
import { pinStates } from '../tools/tool-messages.ts';
import type { LeftOutTool, ToolProblem } from '../tools/tool-problem.ts';
import type { LiveCatalogue } from './live-catalogue.ts';
import type { ServerConnection } from './server-connection.ts';
import { retryAfter, type ServerState } from './server-state.ts';
import { stateLine } from './state-lines.ts';
import type { ToolServer } from './tool-servers.ts';
import type { UnplacedQuestions } from './unplaced-questions.ts';

/** A server as it stands now. */
export type ServerStatus = {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  /** The command without its arguments, or the URL without what may be a credential. */
  readonly address: string;
  readonly state: ServerState['kind'];
  /** Whether calls are sent to it. */
  readonly ready: boolean;
  /** Why it is not well; absent if it is. */
  readonly reason?: string;
  /** How long it has been in this state, in milliseconds. */
  readonly stateMs: number;
  /** When it is tried again, in milliseconds; absent if it is not waiting. */
  readonly retryAfterMs?: number;
  /** Tools as last listed, but for those that are held. */
  readonly tools: number;
  /** Tools of it that are held until somebody accepts them. */
  readonly toolsHeld: number;
  /** Tools of it that the configuration leaves out (`tools.allow`, `tools.deny`). */
  readonly toolsDeselected: number;
  /** How what it says of its tools stands to what was accepted; absent if it says nothing. */
  readonly instructions?: PinState | undefined;
  /** What its pins are kept under, and whether nothing is accepted at first contact. */
  readonly identity: string;
  readonly pinsStrict: boolean;
  /** What is wrong with what it offers, each as a sentence. */
  readonly problems: readonly string[];
  /** The tools that this costs. */
  readonly leftOut: readonly LeftOutTool[];
  /** Absent while there is no connection. */
  readonly protocolVersion?: string;
  readonly protocolEra?: 'legacy' | 'modern';
  /** What last went wrong with it, also if it is well again. */
  readonly lastError?: { readonly reason: string; readonly agoMs: number };
  readonly reconnects: number;
  readonly callsRunning: number;
  readonly callsWaiting: number;
  readonly callsAtOnce: number;
};

/** What is accepted of a server, as far as it is shown. */
type PinStatus = Pick<ServerStatus, 'toolsHeld' | 'instructions' | 'identity' | 'pinsStrict'>;

/** How a server is, and nothing that may be a credential. `others`: what is wrong with its tools beside those of others. */
function serverStatus(
  connection: ServerConnection,
  others: readonly ToolProblem[],
  pins: PinStatus,
  now: number,
): ServerStatus {
  const { config, state, listing, queue, protocolVersion, protocolEra, lastError } = connection;
  const line =
    state.kind === 'degraded'
      ? `the server "${config.name}": ${state.reason}`
      : stateLine(config.name, state, connection.startProgress);
  const retryAfterMs = retryAfter(state, now);
  const { junkProblem } = connection;
  const problems = [...listing.problems, ...others, ...(junkProblem === undefined ? [] : [{ line: junkProblem }])];
  return {
    name: config.name,
    transport: config.transport.kind,
    address: shownAddress(config.transport),
    state: state.kind,
    ready: connection.down === undefined,
    ...(line === '' ? {} : { reason: visibleText(line) }),
    stateMs: connection.stateMs,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    tools: listing.tools.length - pins.toolsHeld - others.filter(({ leftOut }) => leftOut !== undefined).length,
    ...pins,
    toolsDeselected: listing.deselected.length,
    problems: problems.map(({ line }) => line),
    leftOut: problems.flatMap(({ leftOut }) => leftOut ?? []),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(protocolEra === undefined ? {} : { protocolEra }),
    ...(lastError === undefined
      ? {}
      : { lastError: { reason: visibleText(lastError.reason), agoMs: now - lastError.at } }),
    reconnects: connection.reconnects,
    callsRunning: queue.running,
    callsWaiting: queue.waiting,
    callsAtOnce: config.callsAtOnce,
  };
}

/** How all servers are, in the order of the configuration. */
export function serverStatuses(
  servers: readonly ToolServer[],
  catalogue: LiveCatalogue,
  unplaced: UnplacedQuestions,
  now: number,
): readonly ServerStatus[] {
  const { held, instructions } = catalogue.now;
  return servers.map(({ connection, pins }) => {
    const { name } = connection.config;
    const leftOut = catalogue.leftOutOf(name).map(({ tool, problem }) => ({
      line: `tool "${tool}" is left out: ${problem}`,
      leftOut: { name: tool, reason: problem },
    }));
    const status = {
      toolsHeld: held.filter(({ server }) => server === name).length,
      instructions: instructions.find(({ server }) => server === name)?.pinState,
      identity: pins.identity,
      pinsStrict: pins.isStrict,
    };
    return serverStatus(connection, [...leftOut, ...unplaced.problemsOf(name)], status, now);
  });
}

/** The same in the words of the contract. */
export function serverMessage(status: ServerStatus): MessageInitShape<typeof mcp.ServerSchema> {
  const { name, transport, address, tools, reconnects, callsRunning, callsWaiting, callsAtOnce } = status;
  return {
    name,
    transport,
    address,
    state: stateCode(status.state),
    reason: status.reason ?? '',
    stateMs: BigInt(Math.max(0, Math.round(status.stateMs))),
    retryAfterMs: Math.ceil(status.retryAfterMs ?? 0),
    tools,
    toolsHeld: status.toolsHeld,
    toolsDeselected: status.toolsDeselected,
    instructions: status.instructions === undefined ? mcp.PinState.UNSPECIFIED : pinStates[status.instructions],
    identity: status.identity,
    pinsStrict: status.pinsStrict,
    problems: [...status.problems],
    protocolVersion: status.protocolVersion ?? '',
    protocolEra: status.protocolEra ?? '',
    lastError: status.lastError?.reason ?? '',
    lastErrorMs: BigInt(Math.max(0, Math.round(status.lastError?.agoMs ?? 0))),
    leftOut: [...status.leftOut],
    reconnects,
    callsRunning,
    callsWaiting,
    callsAtOnce,
  };
}

function stateCode(state: ServerState['kind']): mcp.ServerState {
  switch (state) {
    case 'starting':
      return mcp.ServerState.STARTING;
    case 'ready':
      return mcp.ServerState.READY;
    case 'degraded':
      return mcp.ServerState.DEGRADED;
    case 'backoff':
      return mcp.ServerState.BACKOFF;
    case 'crash_loop':
      return mcp.ServerState.CRASH_LOOP;
    case 'quarantined':
      return mcp.ServerState.QUARANTINED;
    case 'stopped':
      return mcp.ServerState.STOPPED;
  }
}
