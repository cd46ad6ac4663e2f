import type { mcp } from '@stopgo/proto';
import { type Answer, RawJson } from '../json-text.ts';

/** A tool as clients see it, with its schema exactly as its server gave it. */
export function renderTool(tool: mcp.Tool): Answer {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: RawJson.from(tool.inputSchemaJson) ?? { type: 'object' },
    destructiveHint: tool.hints?.destructive || undefined,
    server: tool.server === '' ? undefined : tool.server,
  };
}
