// The client that the public MCP conformance suite is shown. It connects, lists and calls over the bridge's own connection
// layer; what a scenario needs beside that (a person who answers, somebody who logs in) is played here. See README.md.
import type { Client } from '@modelcontextprotocol/client';
import {
  bridgeBounds,
  type DefinedTool,
  EraCache,
  type ServerAnswers,
  ServerConnection,
} from '@stopgo/mcp-bridge/connection';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { loggingIn } from './logging-in.ts';

type Context = {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, never> }[];
  readonly client_id?: string;
  readonly client_secret?: string;
};

const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;

const write = (level: string) => (message: string, fields?: object) =>
  process.stderr.write(`${level} ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}\n`);
const log: Logger = {
  debug: write('debug'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
  child: () => log,
};

/** A person who takes what a form suggests. */
const answers: ServerAnswers = {
  capabilities: { elicitation: { form: { applyDefaults: true } } },
  register: (client: Client) => {
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  },
};

const config: McpServerConfig = {
  name: 'referee',
  transport: { kind: 'http', url, auth: 'none' },
  era: 'auto',
  unannotated: 'run',
  approvalRequired: false,
  stateless: false,
  timeoutMs: 20_000,
  totalTimeoutMs: 25_000,
  callsAtOnce: 1,
  onStartFailure: 'fail',
};

const clock = () => performance.now();
const connection = new ServerConnection(config, {
  connect: {
    clientInfo: { name: 'stop-and-go', version: '0.1.0' },
    bounds: bridgeBounds,
    environment: {},
    eras: new EraCache(),
    clock,
    answers,
    credentialsFor: () =>
      scenario.startsWith('auth/') ? { middleware: loggingIn(url, context), clean: (text: string) => text } : undefined,
  },
  bounds: bridgeBounds,
  log,
  clock,
  random: Math.random,
  onTools: () => undefined,
});

/** Arguments that the tools of the scenarios take: two numbers, or what the definition of another tool says. */
const numbers = { a: 5, b: 3 };
function argumentsFor(name: string): DefinedTool['inputSchema'] {
  const other = connection.tools.find((one) => one.name !== name);
  return name === 'json_schema_echo' && other !== undefined ? { schema: other.inputSchema } : numbers;
}

await connection.open(bridgeBounds.stdioStartMs);
const signal = new AbortController().signal;
const asked = context.toolCalls ?? connection.tools.map(({ name }) => ({ name }));
for (const { name, arguments: args } of asked as NonNullable<Context['toolCalls']>) {
  const available = await connection.current(signal);
  const tool = connection.tools.find((one) => one.name === name);
  if (available.kind === 'down' || tool === undefined) {
    log.warn(`${name} is not to be had`);
    continue;
  }
  const timeouts = { timeoutMs: config.timeoutMs, totalTimeoutMs: config.totalTimeoutMs };
  const end = await available.session.call({
    tool,
    arguments: args ?? argumentsFor(name),
    token: undefined,
    signal,
    ...timeouts,
  });
  log.info(name, end);
}
await connection.stop();
