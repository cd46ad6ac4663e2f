import { mcp } from '@stopgo/proto';
import type { DelegationTool } from '../delegation-tools.ts';
import { type Answer, RawJson } from '../json-text.ts';

/** A tool as clients see it, with its schema and its annotations as its server gave them. */
export function renderTool(tool: mcp.Tool): Answer {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: RawJson.from(tool.inputSchemaJson) ?? { type: 'object' },
    destructiveHint: tool.hints?.destructive === true,
    approval: tool.approvalRequired ? 'require' : undefined,
    annotations: RawJson.from(tool.annotationsJson),
    hints: renderHints(tool),
    pin: tool.pin === '' ? undefined : tool.pin,
    pin_state: pinStates[tool.pinState],
    server: tool.server === '' ? undefined : tool.server,
    own_name: tool.ownName === '' ? undefined : tool.ownName,
  };
}

/** What holds for the tool in the end, and where each of it comes from. */
function renderHints({ hints, hintOrigins }: mcp.Tool): Answer | undefined {
  if (hints === undefined || hintOrigins === undefined) return undefined;
  const hint = (value: boolean, origin: mcp.HintOrigin) => ({ value, from: origins[origin] });
  return {
    readOnlyHint: hint(hints.readOnly, hintOrigins.readOnly),
    destructiveHint: hint(hints.destructive, hintOrigins.destructive),
    idempotentHint: hint(hints.idempotent, hintOrigins.idempotent),
    openWorldHint: hint(hints.openWorld, hintOrigins.openWorld),
  };
}

const origins: Readonly<Record<mcp.HintOrigin, string>> = {
  [mcp.HintOrigin.UNSPECIFIED]: 'unknown',
  [mcp.HintOrigin.ANNOTATIONS]: 'annotations',
  [mcp.HintOrigin.TOP_LEVEL]: 'top_level',
  [mcp.HintOrigin.READ_ONLY]: 'read_only',
  [mcp.HintOrigin.CONFIGURATION]: 'configuration',
  [mcp.HintOrigin.DEFAULT]: 'default',
};

/** How its definition stands to what was accepted of it; a bridge that says nothing of it has nothing said. */
export const pinStates: Readonly<Record<mcp.PinState, string | undefined>> = {
  [mcp.PinState.UNSPECIFIED]: undefined,
  [mcp.PinState.FIRST_USE]: 'first_use',
  [mcp.PinState.ACCEPTED]: 'accepted',
  [mcp.PinState.NEW]: 'new',
  [mcp.PinState.CHANGED]: 'changed',
};

/** Another agent, as the tool that models know it by. */
export const renderAgent = ({ name, description, inputSchemaJson, destructive }: DelegationTool): Answer => ({
  name,
  description,
  inputSchema: RawJson.from(inputSchemaJson),
  destructiveHint: destructive,
});
