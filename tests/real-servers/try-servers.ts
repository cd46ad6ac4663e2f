import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOneProcess } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import type { RealServer } from './servers.ts';

/** What became of one server. */
export type Found = {
  readonly server: RealServer;
  /** How long its start took, with the install, in milliseconds. */
  readonly startMs: number;
  readonly outcome:
    | { readonly kind: 'refused'; readonly reason: string }
    | {
        readonly kind: 'connected';
        readonly era: string;
        readonly offered: number;
        readonly held: number;
        readonly leftOut: readonly string[];
        /** Bytes of names, descriptions and schemas of what is offered, as models are given them. */
        readonly definitionBytes: number;
        /** Of those offered, how many wait for an approval. */
        readonly asks: number;
        readonly problems: readonly string[];
        readonly call?: string;
      };
};

type Status = {
  readonly name: string;
  readonly protocol?: { readonly era: string; readonly version: string };
  readonly tools: number;
  readonly tools_held: number;
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly string[];
};

type Tool = {
  readonly name: string;
  readonly server?: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly destructiveHint: boolean;
};

/** One agent with these servers, started as any agent is, from a cache of npx of its own; then asked over HTTP what has become of them. */
export async function tryServers(servers: readonly RealServer[]): Promise<readonly Found[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-real-'));
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0 });
  const began = performance.now();
  const startMs = () => Math.round(performance.now() - began);
  try {
    const lines: string[] = [];
    const platform = await startOneProcess({
      config: parseAgentConfig(JSON.stringify(configOf(servers, folder)), 'real-servers').config,
      env: process.env,
      logger: createLogger({ level: 'warn', format: 'text', destination: { write: (line) => lines.push(line) > 0 } }),
      offlineModel: offline.url,
      version: '0.1.0',
    });
    const took = startMs();
    try {
      const statuses = (await json(`${platform.address}/mcp/servers`)) as { readonly servers: readonly Status[] };
      const { tools } = (await json(`${platform.address}/tools`)) as { readonly tools: readonly Tool[] };
      const found: Found[] = [];
      for (const server of servers) {
        const status = statuses.servers.find(({ name }) => name === server.name);
        if (status === undefined) throw new Error(`${server.name} is not in GET /mcp/servers`);
        found.push(await connected(server, took, status, tools, platform.address));
      }
      return found;
    } finally {
      await platform.stop();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return servers.map((server) => ({ server, startMs: startMs(), outcome: { kind: 'refused', reason } }));
  } finally {
    await offline.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function configOf(servers: readonly RealServer[], folder: string): object {
  const work = join(folder, 'work');
  mkdirSync(work);
  const filled = (text: string) => text.replaceAll('{work}', work);
  return {
    port: 0,
    data_dir: join(folder, 'data'),
    mcp_servers: servers.map(({ name, package: of, program, args = [], env = {} }) => ({
      name,
      command: 'npx',
      args: [...(program === undefined ? ['-y', of] : ['-y', '--package', of, program]), ...args.map(filled)],
      env: {
        npm_config_cache: join(folder, 'npm'),
        ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])),
      },
      timeout: '60s',
    })),
  };
}

async function connected(
  server: RealServer,
  startMs: number,
  status: Status,
  tools: readonly Tool[],
  address: string,
): Promise<Found> {
  const own = tools.filter((tool) => tool.server === server.name);
  const definitions = own.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const call = server.call === undefined ? undefined : await made(server.call, address);
  return {
    server,
    startMs,
    outcome: {
      kind: 'connected',
      era: status.protocol === undefined ? 'unknown' : `${status.protocol.era} (${status.protocol.version})`,
      offered: status.tools,
      held: status.tools_held,
      leftOut: status.left_out.map(({ name, reason }) => `${name}: ${reason}`),
      definitionBytes: Buffer.byteLength(JSON.stringify(definitions)),
      asks: own.filter(({ destructiveHint }) => destructiveHint).length,
      problems: status.problems,
      ...(call === undefined ? {} : { call }),
    },
  };
}

/** Has the offline model call a tool, approves the call if it waits, and says how it went. */
async function made({ tool, args, says }: NonNullable<RealServer['call']>, address: string): Promise<string> {
  const message = `call ${tool} ${JSON.stringify(args)}`;
  type Turn = { readonly result: { readonly response: string; readonly approval?: { readonly uuid: string } } };
  const first = (await json(`${address}/conversations`, { message })) as Turn;
  const uuid = first.result.approval?.uuid;
  const last = uuid === undefined ? first : ((await json(`${address}/approvals/${uuid}`, { answer: 'yes' })) as Turn);
  const how = uuid === undefined ? 'ran' : 'ran after an approval';
  if (says.test(last.result.response)) return `\`${tool}\` ${how}`;
  return `\`${tool}\` said something else: ${last.result.response.slice(0, 200)}`;
}

async function json(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
