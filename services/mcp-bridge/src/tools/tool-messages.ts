import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HintOrigin, HintOrigins, PinState } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import type { CatalogueInstructions, CatalogueTool } from './catalogue.ts';

/** How something stands to what was accepted, in the words of the contract. */
export const pinStates: Readonly<Record<PinState, mcp.PinState>> = {
  first_use: mcp.PinState.FIRST_USE,
  accepted: mcp.PinState.ACCEPTED,
  new: mcp.PinState.NEW,
  changed: mcp.PinState.CHANGED,
};

/** What a server says of its tools, among what is held as if it were a tool: so it is shown and accepted. */
export function heldInstructionsMessage(one: CatalogueInstructions): MessageInitShape<typeof mcp.ToolSchema> {
  const { server, name, definitionJson, pin, pinState } = one;
  return { server, name, definitionJson, pin, pinState: pinStates[pinState] };
}

/** A tool as the contract describes it. */
export function toolMessage(tool: CatalogueTool): MessageInitShape<typeof mcp.ToolSchema> {
  const { server, name, description, inputSchemaJson, annotationsJson, definitionJson, pin, hints } = tool;
  return {
    server,
    name,
    ownName: tool.ownName === name ? '' : tool.ownName,
    description,
    inputSchemaJson,
    annotationsJson,
    definitionJson,
    pin,
    hints: { ...hints },
    approvalRequired: tool.approvalRequired,
    forwardsBearer: tool.forwardsBearer,
    callsAtOnce: tool.callsAtOnce,
    hintOrigins: hintOriginsMessage(tool.hintOrigins),
    pinState: pinStates[tool.pinState],
  };
}

/** Where the hints of a tool come from, in the words of the contract. */
function hintOriginsMessage(origins: HintOrigins): MessageInitShape<typeof mcp.HintOriginsSchema> {
  return {
    readOnly: codes[origins.readOnly],
    destructive: codes[origins.destructive],
    idempotent: codes[origins.idempotent],
    openWorld: codes[origins.openWorld],
  };
}

const codes: Readonly<Record<HintOrigin, mcp.HintOrigin>> = {
  annotations: mcp.HintOrigin.ANNOTATIONS,
  top_level: mcp.HintOrigin.TOP_LEVEL,
  read_only: mcp.HintOrigin.READ_ONLY,
  configuration: mcp.HintOrigin.CONFIGURATION,
  default: mcp.HintOrigin.DEFAULT,
};
