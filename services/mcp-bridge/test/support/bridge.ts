import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callDigest, fact, newEvents, pinsStream } from '@stopgo/core';
import { type Standing, systemClock, unwatched, type Waits } from '@stopgo/log';
import { mcp } from '@stopgo/proto';
import { type CallOptions, createInProcessClient, Secret } from '@stopgo/rpc';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { onTestFinished } from 'vitest';
import { type BridgeBounds, type McpBridge, startMcpBridge } from '../../src/index.ts';
import type { EraMemory } from '../../src/session/era-cache.ts';
import { MemoryStore } from './memory-store.ts';

/** Does something after the test, the last first. */
export function afterwards(act: () => unknown): void {
  onTestFinished(async () => void (await act()));
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-'));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `look` gives something true; fails after `ms` milliseconds. */
export async function eventually<T>(look: () => T | Promise<T>, what: string, ms = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const defaults = {
  era: 'legacy',
  unannotated: 'run',
  approvalRequired: false,
  stateless: false,
  timeoutMs: 10_000,
  totalTimeoutMs: 60_000,
  callsAtOnce: 1,
  onStartFailure: 'fail',
} as const satisfies Partial<McpServerConfig>;

export function stdioServer(
  name: string,
  command: string,
  args: readonly string[],
  more: Partial<McpServerConfig> & { env?: Record<string, string> } = {},
): McpServerConfig {
  const { env = {}, ...rest } = more;
  return { name, ...defaults, ...rest, transport: { kind: 'stdio', command, args, env } };
}

export function httpServer(name: string, url: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  return { name, ...defaults, ...more, transport: { kind: 'http', url, auth: 'forward' } };
}

export type JournalEntry = {
  readonly started?: number;
  readonly helper?: number;
  readonly env?: Record<string, string>;
  readonly method?: string;
  readonly clientInfo?: unknown;
  readonly capabilities?: unknown;
  readonly began?: string;
  readonly ended?: string;
  readonly input?: string;
  readonly args?: Record<string, unknown>;
};

type More = Partial<McpServerConfig> & { env?: Record<string, string> };

/** The hand-written server, and the journal of what it did. */
export function scriptedServer(name: string, flags: readonly string[] = [], more: More = {}) {
  return journaledServer('scripted-server.mjs', name, flags, more);
}

/** The one that does what servers should not. */
export function nastyServer(name: string, flags: readonly string[] = [], more: More = {}) {
  return journaledServer('nasty-server.mjs', name, flags, more);
}

function journaledServer(file: string, name: string, flags: readonly string[], more: More) {
  const journalFile = join(temporaryFolder(), 'journal');
  const script = fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url));
  const journal = (): JournalEntry[] => {
    let text: string;
    try {
      text = readFileSync(journalFile, 'utf8');
    } catch {
      return [];
    }
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalEntry);
  };
  return {
    config: stdioServer(name, process.execPath, [script, journalFile, ...flags], more),
    journal,
    calls: (tool: string) => journal().filter((entry) => entry.began === tool).length,
    pids: () => journal().flatMap((entry) => entry.started ?? []),
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export type LogLine = { readonly level: string; readonly message: string };

export function collectingLog(onLine: (line: LogLine) => void = () => undefined): {
  readonly log: Logger;
  readonly lines: LogLine[];
  text(): string;
} {
  const lines: LogLine[] = [];
  const add = (level: string) => (message: string, fields?: object) => {
    const line = { level, message: fields === undefined ? message : `${message} ${JSON.stringify(fields)}` };
    lines.push(line);
    onLine(line);
  };
  const log: Logger = {
    debug: add('debug'),
    info: add('info'),
    warn: add('warn'),
    error: add('error'),
    child: () => log,
  };
  return { log, lines, text: () => lines.map(({ message }) => message).join('\n') };
}

export type TestBridgeOptions = {
  readonly bounds?: Partial<BridgeBounds>;
  readonly secrets?: readonly string[];
  readonly environment?: Record<string, string | undefined>;
  readonly clock?: () => number;
  readonly instance?: string;
  readonly standing?: Standing;
  readonly onLine?: (line: LogLine) => void;
  readonly store?: MemoryStore;
  readonly isStoreFar?: boolean;
  readonly stopping?: AbortSignal;
  readonly eraMemory?: EraMemory;
  readonly waits?: Waits;
  readonly hiddenFolders?: readonly string[];
};

/** Starts a bridge whose pauses are short, and ends it after the test. */
export async function startBridge(servers: readonly McpServerConfig[], options: TestBridgeOptions = {}) {
  const { log, lines, text } = collectingLog(options.onLine);
  const instance = options.instance ?? 'bridge-1';
  const store = options.store ?? new MemoryStore();
  const bridge = await startMcpBridge({
    servers,
    standing: options.standing ?? unwatched(instance),
    store: store.client,
    isStoreFar: options.isStoreFar ?? false,
    time: systemClock,
    newId: randomUUID,
    clientInfo: { name: 'test-agent', version: '1.2.3' },
    log,
    secrets: options.secrets ?? [],
    environment: options.environment ?? process.env,
    clock: options.clock ?? (() => performance.now()),
    random: () => 0.5,
    ...(options.stopping === undefined ? {} : { stopping: options.stopping }),
    ...(options.eraMemory === undefined ? {} : { eraMemory: options.eraMemory }),
    ...(options.waits === undefined ? {} : { waits: options.waits }),
    ...(options.hiddenFolders === undefined ? {} : { hiddenFolders: options.hiddenFolders }),
    bounds: {
      backoffFirstMs: 20,
      endGraceMs: 1_000,
      drainMs: 200,
      cancelWaitMs: 100,
      callWaitMs: 0,
      answerGraceMs: 0,
      ...options.bounds,
    },
  });
  afterwards(() => bridge.stop().catch(() => undefined));
  return { bridge, lines, logText: text, instance, store, ...callsOf(bridge, instance, store) };
}

type Extra = {
  readonly instance?: string;
  readonly server?: string;
  readonly argumentsJson?: string;
  readonly approvalId?: string;
  readonly digest?: string;
  readonly pin?: string;
  readonly call?: string;
  readonly attempt?: number;
  readonly token?: string;
  /** False: its conversation holds nothing of it but what the test has put there. */
  readonly isOnRecord?: boolean;
};

function callsOf(bridge: McpBridge, instance: string, store: MemoryStore) {
  const client = createInProcessClient(mcp.McpBridgeService, bridge.service);
  let count = 0;
  const keyOf = (callId: string, attempt = 1) => ({ conversationId: 'c1', runId: 'r1', callId, attempt });
  const tools = async () => (await client.listTools({})).tools;
  const toolNamed = async (name: string) => {
    const tool = (await tools()).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  /** Sends a call as the orchestrator would, with the tool's current pin and the arguments as JSON; its outcome may be awaited. */
  const send = async (name: string, args: unknown, extra: Extra = {}) => {
    const { call, attempt = 1, token, isOnRecord = true, ...fields } = extra;
    count += 1;
    const key = keyOf(call ?? `call-${count}`, attempt);
    const tool = (await tools()).find((one) => one.name === name);
    const options: CallOptions = token === undefined ? {} : { context: { bearerToken: new Secret(token) } };
    const request = {
      key,
      instance,
      server: tool?.server ?? '',
      tool: name,
      argumentsJson: JSON.stringify(args),
      pin: tool?.pin ?? '',
      approvalId: '',
      ...fields,
    };
    if (isOnRecord) store.begin(key, { ...request, attempt, digest: digestOr(request) });
    const answer = client.execute(request, options);
    return { outcome: answer.then(({ outcome }) => outcome) };
  };
  const execute = async (name: string, args: unknown, extra: Extra = {}) => (await send(name, args, extra)).outcome;
  /** What an approval of exactly this call, as its tool is defined now, brings along. */
  const approval = async (name: string, args: unknown) => {
    const { server, pin } = await toolNamed(name);
    const argumentsJson = JSON.stringify(args);
    return { approvalId: 'approval-1', pin, digest: callDigest({ server, tool: name, pin, argumentsJson }) };
  };
  const held = async () => (await client.listTools({})).held;
  /** Somebody accepts these tools: the approvals service records it, and the bridge is told. */
  const accept = async (named: readonly { server: string; name: string; pin: string }[], id = 'ann') => {
    const { servers } = await client.defineTools({ tools: [...named] });
    for (const { identity, tools: accepted } of servers) {
      const stream = pinsStream(identity);
      const expectedRevision = store.events(stream).length;
      const frame = { now: 1, actor: { kind: 'approver', id }, causationId: '', correlationId: '' } as const;
      const events = newEvents([fact('toolsAccepted', { tools: accepted })], frame, [randomUUID()]);
      await store.client.append({ stream, expectedRevision, events, idempotencyKey: randomUUID() });
      await client.learnAccepted({ servers: [{ identity, revision: expectedRevision + 1 }] });
    }
  };
  /** Somebody accepts everything that is held. */
  const acceptAll = async (id = 'ann') => accept(await held(), id);
  /** The scripted server defines its tools otherwise from now on, and the bridge knows it: the next call waits for that. */
  const become = async (change: object) => {
    finishedOf(await execute('become', { text: JSON.stringify(change) }));
    await execute('protocol_error', {});
  };
  return { client, tools, toolNamed, held, accept, acceptAll, become, send, execute, approval, keyOf };
}

function digestOr(request: Parameters<typeof callDigest>[0] & { readonly tool: string }): string {
  try {
    return callDigest(request);
  } catch {
    // Such a call gets no further than to its arguments.
    return '';
  }
}

/** The outcome's content, or a failure that shows what came instead. */
export function finishedOf(outcome: mcp.ExecuteResponse['outcome']): mcp.Finished {
  if (outcome.case !== 'finished') throw new Error(`not finished: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

export function refusedOf(outcome: mcp.ExecuteResponse['outcome']): mcp.Refused {
  if (outcome.case !== 'refused') throw new Error(`not refused: ${JSON.stringify(outcome.case)}`);
  return outcome.value;
}

export function unknownOf(outcome: mcp.ExecuteResponse['outcome']): string {
  if (outcome.case !== 'unknown') throw new Error(`not unknown: ${JSON.stringify(outcome.case)}`);
  return outcome.value.message;
}
