import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BASE_ARGS, COMMAND, CWD } from './program.ts';

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A client of either generation, as far as these tests use it. */
export interface Peer {
  readonly serverVersion: { readonly name: string; readonly version: string } | undefined;
  tools(): Promise<readonly { readonly name: string; readonly inputSchema: object; readonly annotations?: unknown }[]>;
  call(tool: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

/** Where the server is: the arguments of a program to start, or the address of one that runs. */
export type Target =
  | { readonly args: readonly string[]; readonly env?: Record<string, string> }
  | { readonly url: URL };

export const GENERATIONS = ['auto', 'legacy', 'modern', 'sdk 1.x'] as const;
export type Generation = (typeof GENERATIONS)[number];

const MODERN_REVISION = '2026-07-28';
const IDENTITY = { name: 'tests', version: '1.0.0' };

export function connect(generation: Generation, target: Target): Promise<Peer> {
  return generation === 'sdk 1.x' ? connectOld(target) : connectNew(generation, target);
}

async function connectNew(generation: Exclude<Generation, 'sdk 1.x'>, target: Target): Promise<Peer> {
  const mode = generation === 'modern' ? { pin: MODERN_REVISION } : generation;
  const client = new Client(IDENTITY, { versionNegotiation: { mode } });
  await client.connect(
    'url' in target ? new StreamableHTTPClientTransport(target.url) : new StdioClientTransport(launch(target)),
  );
  return {
    serverVersion: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, meta) =>
      answerOf(await client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) })),
    close: () => client.close(),
  };
}

async function connectOld(target: Target): Promise<Peer> {
  const client = new OldClient(IDENTITY);
  // The old library's transports were not written for exactOptionalPropertyTypes.
  const transport = 'url' in target ? new OldHttpTransport(target.url) : new OldStdioTransport(launch(target));
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  return {
    serverVersion: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, meta) =>
      answerOf(await client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) })),
    close: () => client.close(),
  };
}

function launch(target: { readonly args: readonly string[]; readonly env?: Record<string, string> }) {
  return {
    command: COMMAND,
    args: [...BASE_ARGS, ...target.args],
    cwd: CWD,
    stderr: 'ignore' as const,
    env: { PATH: process.env.PATH ?? '', ...target.env },
  };
}

function answerOf(result: object): Answer {
  const { content, isError } = result as { content: readonly { type: string; text: string }[]; isError?: boolean };
  const [only, ...more] = content;
  if (only?.type !== 'text' || more.length > 0) throw new Error(`not one text: ${JSON.stringify(result)}`);
  return { text: only.text, isError: isError === true };
}
