import type { Server } from '@modelcontextprotocol/server';
import { createToolServer, type Era } from '@stopgo/tool-server';
import type { ExecuteCall } from './calls.ts';
import { tools } from './tool-definitions.ts';

/** A protocol server, for one connection or one HTTP request; every instance shares the calls. */
export function createServer(execute: ExecuteCall, era: Era): Server {
  return createToolServer(
    {
      name: 'mcp-filesystem',
      version: '1.0.0',
      tools: tools,
      call: (tool, given, { signal }) => execute(tool, given, signal),
    },
    era,
  );
}
