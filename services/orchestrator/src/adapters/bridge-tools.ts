import { DomainError, type OfferedTool } from '@stopgo/core';
import { mcp as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { AttemptKey, Catalogue, ExecuteOutcome, ExecuteRequest, FenceOutcome, ToolPort } from '../tool-port.ts';

type BridgeClient = Client<typeof wire.McpBridgeService>;

/** Longest wait for the answer to a call, in milliseconds; the bridge's own limits are shorter. */
const executeTimeoutMs = 10 * 60_000;

/** Tools through the mcp-bridge service. The catalogue is kept, and refreshed from time to time by its owner. */
export class BridgeTools implements ToolPort {
  private readonly bridge: BridgeClient;
  private latest: Catalogue | undefined;
  private revision = '';

  constructor(bridge: BridgeClient) {
    this.bridge = bridge;
  }

  /** Asks the bridge whether its catalogue has changed, and takes the new one. */
  async refresh(): Promise<void> {
    const answer = await this.bridge.listTools({ knownRevision: this.revision });
    const { instance } = answer;
    if (answer.unchanged && this.latest !== undefined) {
      if (this.latest.bridge !== instance) this.latest = { ...this.latest, bridge: instance };
      return;
    }
    this.revision = answer.revision;
    const tools = new Map(answer.tools.map((tool) => [tool.name, offered(tool)]));
    const definitions = new Map(answer.tools.map((tool) => [tool.pin, tool.definitionJson]));
    this.latest = { tools, definitions, bridge: instance };
  }

  catalogue(): Catalogue {
    if (this.latest === undefined)
      throw new DomainError('unavailable', 'the tool bridge has not answered yet; try again', { retryAfterMs: 1_000 });
    return this.latest;
  }

  async execute(request: ExecuteRequest): Promise<ExecuteOutcome> {
    const { key, bridge: instance, bearer, sessionId, server, tool, argumentsJson, approvalId, digest, pin } = request;
    const context = { ...(bearer === undefined ? {} : { bearerToken: bearer }), sessionId };
    const answer = await this.bridge.execute(
      { key, instance, server, tool, argumentsJson, approvalId, digest, pin },
      { timeoutMs: executeTimeoutMs, context },
    );
    return outcomeOf(answer);
  }

  async fence(key: AttemptKey, bridge: string): Promise<FenceOutcome> {
    const { state } = await this.bridge.fenceCall({ key, instance: bridge });
    switch (state.case) {
      case 'neverSeen':
        return { kind: 'never_seen' };
      case 'running':
        return { kind: 'running' };
      case 'forgotten':
        return { kind: 'forgotten' };
      case 'outcome':
        return { kind: 'outcome', outcome: outcomeOf(state.value) };
      default:
        throw new Error('the tool bridge gave no answer about a call');
    }
  }

  async cancel(key: AttemptKey, bridge: string): Promise<void> {
    await this.bridge.cancelCall({ key, instance: bridge });
  }
}

function offered(tool: wire.Tool): OfferedTool {
  const { readOnly = false, destructive = false, idempotent = false, openWorld = true } = tool.hints ?? {};
  return {
    server: tool.server,
    name: tool.name,
    description: tool.description,
    inputSchemaJson: tool.inputSchemaJson,
    pin: tool.pin,
    hints: { readOnly, destructive, idempotent, openWorld },
    approvalRequired: tool.approvalRequired,
    forwardsBearer: tool.forwardsBearer,
  };
}

function outcomeOf({ outcome }: wire.ExecuteResponse): ExecuteOutcome {
  switch (outcome.case) {
    case 'finished': {
      const { content, isError, fullBytes, sha256, durationMs } = outcome.value;
      const cut = sha256 === '' ? {} : { cut: { fullBytes: Number(fullBytes), sha256 } };
      return { kind: 'finished', content, isError, durationMs, ...cut };
    }
    case 'refused':
      return refusal(outcome.value);
    case 'unknown':
      return { kind: 'unknown', message: outcome.value.message };
    default:
      throw new Error('the tool bridge gave no outcome of a call');
  }
}

function refusal({ reason, message, tool }: wire.Refused): ExecuteOutcome {
  switch (reason) {
    case wire.RefusedReason.PIN_CHANGED:
      if (tool === undefined) throw new Error('the tool bridge did not say what the tool is now');
      return { kind: 'pin_changed', current: offered(tool) };
    case wire.RefusedReason.UNAUTHENTICATED:
      return { kind: 'unauthenticated' };
    case wire.RefusedReason.FENCED:
      return { kind: 'fenced' };
    case wire.RefusedReason.TOOL_NOT_FOUND:
      return { kind: 'not_run', message: message === '' ? 'Tool not found' : message };
    default:
      return { kind: 'not_run', message: `Tool execution failed: ${message}` };
  }
}
