import { agentTool, type RemoteAgent } from '@stopgo/core';
import type { mcp } from '@stopgo/proto';
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
    server: tool.server === '' ? undefined : tool.server,
  };
}

/** Another agent, as the tool that models know it by. */
export function renderAgent(agent: RemoteAgent): Answer {
  const { name, description, inputSchemaJson, hints } = agentTool(agent);
  return { name, description, inputSchema: RawJson.from(inputSchemaJson), destructiveHint: hints.destructive };
}
