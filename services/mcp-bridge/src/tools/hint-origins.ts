import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HintOrigin, HintOrigins } from '@stopgo/core';
import { mcp } from '@stopgo/proto';

/** Where the hints of a tool come from, in the words of the contract. */
export function hintOriginsMessage(origins: HintOrigins): MessageInitShape<typeof mcp.HintOriginsSchema> {
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
