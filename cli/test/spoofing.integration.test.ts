import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelPort, ModelRequest } from '@stopgo/orchestrator';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { createLogger, loadAgentConfig, type Started } from '@stopgo/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, printApprovals } from '../src/decide/approvals.ts';
import { toolsCommand } from '../src/decide/tools.ts';
import { printEvents } from '../src/inspect/events.ts';
import { exportConversation } from '../src/inspect/export.ts';
import { printReplay } from '../src/inspect/replay.ts';
import { startOneProcess } from '../src/start/one-process.ts';
import { lookAlikes, type Spoof, spoofs } from './spoofing-inputs.ts';

/**
 * Texts that try to be taken for something else, in names, arguments, descriptions, results and messages, as people see them over
 * REST, event streams, A2A and in a terminal. The rules know nothing of how the product makes text visible.
 */

/** Not seen for what it is; of what a line may hold, and of what a document of several lines may. */
const deceptive = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]|\p{M}{9}/u;
const deceptiveInText = new RegExp(`(?!\n)(?:${deceptive.source})`, 'u');

type Approval = {
  readonly uuid: string;
  readonly tool_name: string;
  readonly server: string;
  readonly tool_args: unknown;
  readonly description: string;
};
type Conversation = {
  readonly id: string;
  readonly pending_approvals: readonly Approval[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_call?: { result?: string };
  }[];
};

let folder: string;
let platform: Started;
let url: string;
let log: Client<typeof store.StoreService>;
/** What the model was told last of each conversation. */
const told = new Map<string, ModelRequest>();
const conversations = new Map<string, string>();
const opened = () => ({ client: log, close: async () => undefined });

const call = (name: string, args: unknown) => ({ providerCallId: '', name, argumentsJson: JSON.stringify(args) });
const nameOf = ({ text }: Spoof) => `t ${text}`;

/** Shows the text as a result, then erases it, with a tool of such a name too, then says it. */
const model: ModelPort = {
  takes: () => false,
  generate: async (request) => {
    const said = request.messages.findLast(({ role }) => role === 'user');
    const spoof = spoofs.find(({ text }) => said?.role === 'user' && said.text === text) as Spoof;
    told.set(spoof.id, request);
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const calls = [
      [call('show', { text: spoof.text })],
      [call('erase', { name: spoof.text }), call(nameOf(spoof), { name: 'x' })],
      [],
    ][turn];
    const usage = { inputTokens: 1, outputTokens: 1 };
    const answer = {
      text: turn > 1 ? spoof.text : '',
      calls: calls ?? [],
      provider: 'test',
      model: 'm',
      usage,
      stopReason: 'stop',
    };
    return { kind: 'answer', answer };
  },
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-spoofing-'));
  const properties = { name: { type: 'string' }, text: { type: 'string' } };
  const inputSchema = { type: 'object', properties };
  const destructive = { destructiveHint: true };
  const offered = [
    { name: 'show', description: 'Shows', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'erase', description: 'Erases', inputSchema, annotations: destructive },
    ...spoofs.map((spoof) => ({ name: nameOf(spoof), description: 'x', inputSchema, annotations: destructive })),
    ...lookAlikes.map(({ text }) => ({ name: text, description: 'x', inputSchema, annotations: destructive })),
  ];
  const held = spoofs.map(({ text }, index) => ({ name: `held_${index}`, description: text, inputSchema }));
  const server = (name: string, tools: unknown, more = '') => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(tools));
    const script = fileURLToPath(new URL('fixtures/hostile-tools.mjs', import.meta.url));
    return `  - { name: ${name}, command: node, args: [${JSON.stringify(script)}, ${JSON.stringify(file)}], era: legacy${more} }\n`;
  };
  const yaml = `name: tested\nhost: 127.0.0.1\nport: 0\ndata_dir: ${join(folder, 'data')}\nmcp_servers:\n${server('tools', offered)}${server('strict', held, ', pins: strict')}`;
  const { config } = loadAgentConfig('agent.yaml', { readFile: () => yaml });
  platform = await startOneProcess({
    config,
    env: { PATH: process.env.PATH, GEMINI_API_KEY: 'a-key-that-nothing-is-asked-with' },
    logger: createLogger({ level: 'error', format: 'text', destination: { write: () => true } }),
    version: '0.0.0',
    intercept: {
      store: (client) => {
        log = client;
        return client;
      },
      models: () => ({ forModel: () => model }),
    },
  });
  url = `http://127.0.0.1:${/:(\d+)/.exec(platform.address)?.[1]}`;
  for (const { id, text } of spoofs) {
    const response = await fetch(`${url}/conversations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: text }),
    });
    conversations.set(id, ((await response.json()) as { conversation: Conversation }).conversation.id);
  }
}, 120_000);

afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
});

const raw = async (path: string): Promise<string> => await (await fetch(url + path)).text();
const idOf = ({ id }: Spoof): string => conversations.get(id) as string;
async function conversationOf(spoof: Spoof): Promise<Conversation> {
  return (JSON.parse(await raw(`/conversations/${idOf(spoof)}`)) as { conversation: Conversation }).conversation;
}
/** What a command prints, each line as it was printed. */
async function printed(command: (print: (line: string) => void) => Promise<unknown>): Promise<readonly string[]> {
  const lines: string[] = [];
  await command((line) => lines.push(line));
  expect(lines.filter((line) => deceptive.test(line))).toEqual([]);
  return lines;
}
const matching = (lines: readonly string[], pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;

test('there are at least 100 inputs', () => {
  const places = ['name', 'argument', 'description', 'result', 'message'];
  expect(spoofs.length * places.length + lookAlikes.length).toBeGreaterThanOrEqual(100);
  expect(new Set([...spoofs, ...lookAlikes].map(({ text }) => text)).size).toBe(spoofs.length + lookAlikes.length);
});

describe.each(spoofs)('$id', (spoof) => {
  test('over REST: what people read shows it, what programs read is exact', async () => {
    const text = await raw(`/conversations/${idOf(spoof)}`);
    expect(deceptive.test(text)).toBe(false);
    const { pending_approvals: waiting, messages } = await conversationOf(spoof);
    const [erase, ...others] = waiting;
    expect(erase).toMatchObject({ tool_name: 'erase', server: 'tools', tool_args: { name: spoof.text } });
    for (const { description, tool_name, server } of waiting) {
      expect(description).not.toMatch(deceptiveInText);
      expect([tool_name, server].join()).not.toMatch(deceptive);
    }
    // The text is between two quotes on one line, and nothing else is there.
    const lines = erase?.description.split('\n') ?? [];
    expect(lines).toHaveLength(5);
    expect(lines[3]).toMatch(/^ {2}"name": ".*"$/);
    expect(lines.toSpliced(3, 1)).toEqual(['**ERASE**', '', 'Args: {', '}']);
    for (const { description } of others)
      expect(description).toMatch(/^\*\*".*"\*\*\n\nArgs: \{\n {2}"name": "x"\n\}$/);
    expect(messages[0]).toMatchObject({ role: 'user', content: spoof.text });
    const results = messages.flatMap(({ tool_call: made }) => made?.result ?? []);
    expect(results[0]).toBe(spoof.text);
  });

  test('in an event stream: each event is one, and nothing is hidden in it', async () => {
    const over = new AbortController();
    const response = await fetch(`${url}/conversations/${idOf(spoof)}/events`, { signal: over.signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString('utf8');
      if (text.includes('event: run_released') && text.endsWith('\n\n') && text.includes('approval_requested')) break;
    }
    over.abort();
    expect(text).not.toMatch(deceptiveInText);
    const events = text.split('\n\n').filter((one) => /^id: /m.test(one));
    events.forEach((event, index) => {
      const [id, type, data = '', ...more] = event.split('\n').filter((line) => !line.startsWith(':'));
      expect([id, more]).toEqual([`id: ${index + 1}`, []]);
      expect(type).toMatch(/^event: [a-z_]+$/);
      expect(JSON.parse(data.replace(/^data: /, ''))).toMatchObject({ revision: index + 1 });
    });
    const messages = events.flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []).map((data) => JSON.parse(data));
    expect(messages).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ text: spoof.text }) }),
    );
  });

  test('over A2A: texts ask for as many approvals as wait, and nothing is hidden in them', async () => {
    const response = await fetch(`${url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tasks/get',
        params: { id: idOf(spoof), historyLength: 10 },
      }),
    });
    const text = await response.text();
    expect(text).not.toMatch(deceptive);
    type Part = { readonly kind: string; readonly text?: string; readonly data?: { readonly description?: string } };
    type Task = { readonly status: { readonly message: { readonly parts: readonly Part[] } } };
    const { result } = JSON.parse(text) as { readonly result: Task };
    const parts = result.status.message.parts;
    const waiting = (await conversationOf(spoof)).pending_approvals.length;
    const asked = parts.flatMap((part) => part.text ?? []).join('\n');
    expect(asked).not.toMatch(deceptiveInText);
    expect(matching(asked.split('\n'), /^Approval required \(id: /)).toBe(waiting);
    const described = parts.flatMap((part) => part.data?.description ?? []);
    expect(described).toHaveLength(waiting);
    for (const description of described) expect(description).not.toMatch(deceptiveInText);
  });

  test('in a terminal: stopgo replay has a line for each message, stopgo events one for each event', async () => {
    const { messages, pending_approvals: waiting } = await conversationOf(spoof);
    const replay = await printed((print) => printReplay(opened(), idOf(spoof), undefined, print));
    expect(matching(replay, /^ *\d+ {2}(system|user|assistant|tool): /)).toBe(messages.length);
    expect(matching(replay, /^conversation \S+ at revision /)).toBe(1);
    // Those of the last answer.
    expect(matching(replay, /^ {2}call /)).toBe(2);
    expect(matching(replay, /^ {2}pending approval /)).toBe(waiting.length);
    expect(matching(replay, /^run /)).toBe(1);
    const events = await printed((print) => printEvents(opened(), idOf(spoof), false, print));
    expect(events.map((line, index) => line.startsWith(`${String(index + 1).padStart(5)}  20`))).not.toContain(false);
    await printed((print) => printEvents(opened(), idOf(spoof), true, print));
    const exported = await exportConversation(opened(), idOf(spoof), () => undefined);
    expect(exported).not.toMatch(deceptiveInText);
  });

  test('the model is told of every hidden character of a result', () => {
    const results = told.get(spoof.id)?.messages.flatMap((one) => (one.role === 'tool' ? one.results : [])) ?? [];
    const content = results[0]?.content ?? '';
    expect(content).not.toMatch(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
    const isHiding = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(spoof.text);
    expect(content.startsWith('[')).toBe(isHiding);
    if (!isHiding) expect(content).toBe(spoof.text);
  });
});

test('stopgo approvals lists what waits, and nothing else looks like an entry', async () => {
  const all = (await Promise.all(spoofs.map(conversationOf))).flatMap((one) => one.pending_approvals);
  const lines = await printed((print) => printApprovals(url, print));
  expect(lines.join('\n').split('\n')).toEqual(lines);
  expect(matching(lines, /^[0-9a-f-]{36} {2}\d{4}-/)).toBe(all.length);
  expect(matching(lines, /^ {4}choices: /)).toBe(all.length);
  expect(matching(lines, /^\d+ waiting$/)).toBe(1);
  // Every other line belongs to the description above it.
  expect(matching(lines, /^ {4}\| /)).toBe(lines.length - 2 * all.length - 1);
});

test('stopgo tools lists what is held, each change on a line', async () => {
  const { tools } = JSON.parse(await raw('/tools/held')) as {
    readonly tools: readonly { name: string; changes: [] }[];
  };
  const given = { action: 'diff', server: undefined, tool: undefined, by: undefined, pin: undefined };
  const lines = await printed((print) => toolsCommand(url, given, print));
  expect(lines.join('\n').split('\n')).toEqual(lines);
  expect(matching(lines, /^held_\d+ of strict: new, pin [0-9a-f]{12}/)).toBe(tools.length);
  expect(matching(lines, /^ {4}[-+] \S+: /)).toBe(tools.reduce((sum, { changes }) => sum + changes.length, 0));
  expect(lines).toHaveLength(tools.reduce((sum, { changes }) => sum + changes.length, tools.length + 1));
});

test('tools whose names or descriptions hide something are left out, and those that look like others', async () => {
  for (const path of ['/tools', '/tools/held', '/mcp/servers', '/approvals'])
    expect(await raw(path)).not.toMatch(deceptive);
  const { tools } = JSON.parse(await raw('/tools')) as { readonly tools: readonly { readonly name: string }[] };
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['show', 'erase']));
  expect(names.filter((name) => deceptive.test(name.replace(/\p{M}/gu, '')))).toEqual([]);
  for (const { text } of lookAlikes) expect(names).not.toContain(text);
  const { servers } = JSON.parse(await raw('/mcp/servers')) as {
    readonly servers: readonly { readonly left_out: readonly { name: string; reason: string }[] }[];
  };
  const reasons = servers.flatMap(({ left_out: left }) => left.map(({ reason }) => reason));
  expect(reasons).toContain('its name "er\\u{430}se" looks like that of "erase"');
  expect(reasons.filter((reason) => reason.includes('looks like that of')).length).toBe(lookAlikes.length);
});

test('what a run answers is a block in a terminal', async () => {
  for (const spoof of spoofs) {
    const { pending_approvals: waiting } = await conversationOf(spoof);
    for (const { uuid } of waiting) {
      const lines = await printed((print) =>
        decide(url, uuid, { action: 'approve', by: 'ada' }, { print, commandLine: String }),
      );
      expect(lines.filter((line) => !/^\| /.test(line))).toEqual([]);
    }
    const settled = JSON.parse(await raw(`/approvals/${waiting[0]?.uuid}`)) as { readonly approval: object };
    expect(settled.approval).toMatchObject({ decided_by: 'ada', decided_by_identity: { name: 'ada', claimed: true } });
  }
}, 60_000);
