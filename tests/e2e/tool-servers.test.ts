import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, type ToolServer, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';

/** One agent, and servers as they are published beside one that does what no server should. None of them is in the others' way. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;

const { resolve } = createRequire(import.meta.url);
const text = JSON.stringify;
const fixtures = 'services/mcp-bridge/test/fixtures';
const inFolder = (name: string) => join(place.folder, name);

const configuration = (): string => `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${text(place.dataDir)}
mcp_servers:
  - name: everything
    command: node
    args: [${fixtures}/with-pid.mjs, ${text(inFolder('pids'))}, ${text(resolve('@modelcontextprotocol/server-everything/dist/index.js'))}]
    timeout: 3s
  - name: memory
    command: node
    args: [${text(resolve('@modelcontextprotocol/server-memory/dist/index.js'))}]
    env: {MEMORY_FILE_PATH: ${text(inFolder('memory.json'))}}
  - name: thinking
    command: node
    args: [${text(resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'))}]
  - name: commands
    command: node
    args: [${text(resolve('mcp-server-commands/build/index.js'))}]
    unannotated: ask
  - name: nasty
    command: node
    args: [${fixtures}/nasty-server.mjs, ${text(inFolder('journal'))}, --page=3, --hidden, --bad-input]
  - name: files
    command: node
    args: [${text(resolve('@modelcontextprotocol/server-filesystem/dist/index.js'))}, ${text(place.folder)}]
  - name: same-again
    command: node
    args: [${text(resolve('@modelcontextprotocol/server-filesystem/dist/index.js'))}, ${text(place.folder)}]
    on_start_failure: degrade
  - name: shell
    command: sh
    args: [-c, "echo a secret"]
    on_start_failure: degrade
  - name: metadata
    url: http://169.254.169.254/mcp?key=secret
    on_start_failure: degrade
`;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, configuration(), { env: model.env });
  http = client(platform.url);
  // The platform waits for none of the last three.
  for (const name of ['same-again', 'shell', 'metadata'])
    await until(`${name} has been looked at`, async () => (await serverNamed(name)).state !== 'starting' || undefined);
}, 60_000);

afterAll(async () => {
  // In good order: not every server of somebody else ends when whoever started it is killed.
  await platform?.end('SIGTERM');
  await noneLeftOf(place.folder);
  await model.stop();
  place.remove();
});

const ask = (tool: string, args: object): Promise<Answer> =>
  http.post('/conversations', { message: `call ${tool} ${text(args)}` });
const answered = ({ body }: Answer) =>
  body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call])).at(-1);
const serverNamed = async (name: string): Promise<ToolServer> => {
  const server = (await http.get('/mcp/servers')).body.servers.find((one) => one.name === name);
  if (server === undefined) throw new Error(`no server ${name}`);
  return server;
};
const think = (thoughtNumber: number) =>
  ask('sequentialthinking', { thought: 'and so', nextThoughtNeeded: true, thoughtNumber, totalThoughts: 9 });

describe('what is shown', () => {
  test('is each server in the order of the configuration, all of them well', async () => {
    const { servers, bridges } = (await http.get('/mcp/servers')).body;
    expect(servers.map(({ name, state, tools, restarts }) => [name, state, tools, restarts])).toEqual([
      ['everything', 'ready', 12, 0],
      ['memory', 'ready', 9, 0],
      ['thinking', 'ready', 1, 0],
      ['commands', 'ready', 1, 0],
      // On three pages.
      ['nasty', 'ready', 8, 0],
      ['files', 'ready', 14, 0],
      ['same-again', 'not_offered', 0, 0],
      ['shell', 'quarantined', 0, 0],
      ['metadata', 'quarantined', 0, 0],
    ]);
    expect(bridges).toMatchObject([{ instance: servers[0]?.bridge, answers: true }]);
    expect(new Set(servers.map(({ protocol }) => protocol?.era))).toEqual(new Set(['legacy', undefined]));
    expect((await http.get('/tools')).body.tools).toHaveLength(12 + 9 + 1 + 1 + 8 + 14);
  });

  test('is what each server is refused for, tool by tool', async () => {
    const nasty = await serverNamed('nasty');
    expect(nasty.left_out).toEqual([
      { name: 'sly', reason: 'its definition holds a character that a person does not see (U+E0041 in /description)' },
      { name: 'shapeless', reason: expect.stringContaining('its inputSchema is not valid') },
    ]);
    expect(nasty.problems[0]).toContain('tool "unclear": its outputSchema is not valid');
    expect((await serverNamed('everything')).left_out).toEqual([
      { name: 'simulate-research-query', reason: expect.stringContaining('it can only be called as an MCP task') },
    ]);
    const again = await serverNamed('same-again');
    expect(again.left_out).toHaveLength(14);
    expect(again.left_out).toContainEqual({
      name: 'read_file',
      reason: expect.stringContaining('the MCP servers "files" and "same-again" both have a tool of that name'),
    });
  });

  test('is why a server is not even started, and why another is not reached', async () => {
    const shell = await serverNamed('shell');
    expect(shell.reason).toMatch(/^the server "shell" is quarantined: .*sh -c/);
    expect(shell.last_error?.text).toBe(shell.reason?.replace('the server "shell" is quarantined: ', ''));
    const metadata = await serverNamed('metadata');
    expect(metadata.reason).toMatch(/^the server "metadata" is quarantined: .*169\.254\.169\.254/);
    expect((await http.get('/mcp/servers')).text).not.toContain('secret');
    for (const { reason } of [shell, metadata])
      expect(platform.output()).toContain(`MCP server ${reason?.replace('the server ', '')}`);
  });

  test('is where each hint comes from', async () => {
    const { tools } = (await http.get('/tools')).body;
    const shown = (name: string) => {
      const tool = tools.find((one) => one.name === name);
      const { readOnlyHint, destructiveHint } = tool?.hints ?? {};
      return [tool?.server, tool?.destructiveHint, readOnlyHint?.from, destructiveHint?.from];
    };
    expect(shown('read_graph')).toEqual(['memory', false, 'annotations', 'read_only']);
    expect(shown('delete_entities')).toEqual(['memory', true, 'annotations', 'annotations']);
    expect(shown('run_command')).toEqual(['commands', true, 'default', 'configuration']);
    expect(shown('typed')).toEqual(['nasty', false, 'default', 'default']);
    for (const { pin } of tools) expect(pin).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('servers as they are published', () => {
  test('the memory server remembers at once, and forgets when somebody says so', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    expect((await ask('create_entities', { entities })).body.result.waiting_approval).toBe(false);
    const { body } = await ask('delete_entities', { entityNames: ['Ada'] });
    expect(body.result.waiting_approval).toBe(true);
    expect(answered(await ask('read_graph', {}))?.result).toContain('Ada');
    await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(answered(await ask('read_graph', {}))?.result).not.toContain('Ada');
  });

  test('the thinking server keeps its thoughts from one conversation to the next', async () => {
    for (const number of [1, 2])
      expect(JSON.parse(answered(await think(number))?.result ?? '')).toMatchObject({ thoughtHistoryLength: number });
  });

  test('one without a single hint asks for each call, as configured', async () => {
    const { body } = await ask('run_command', { command: 'echo said' });
    expect(body.result.approval).toMatchObject({ tool_name: 'run_command', tool_args: { command: 'echo said' } });
    const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(answered(done)?.result).toContain('said');
  });

  test('a frozen one costs its own calls a time-out and the others nothing, and is started again', async () => {
    const [pid = 0] = readFileSync(inFolder('pids'), 'utf8').trim().split('\n').map(Number);
    process.kill(pid, 'SIGSTOP');
    const frozen = ask('get-sum', { a: 1, b: 2 });
    const read = ask('read_graph', {});
    expect(await Promise.race([frozen.then(() => 'the frozen one'), read.then(() => 'another')])).toBe('another');
    expect(answered(await read)).toMatchObject({ is_error: false });
    const over = await frozen;
    expect(answered(over)).toMatchObject({
      is_error: true,
      result: expect.stringMatching(/did not answer within|is down/),
    });
    expect(over.body.conversation.status).toBe('active');
    const back = await until('it is back', async () => {
      const server = await serverNamed('everything');
      return server.state === 'ready' && server.restarts > 0 ? server : undefined;
    });
    expect(back.last_error?.text).toContain('does not answer');
    expect(Date.parse(back.last_error?.at ?? '')).toBeLessThanOrEqual(Date.parse(back.since));
    expect(answered(await ask('get-sum', { a: 1, b: 2 }))?.result).toContain('3');
    expect(back.tools).toBe(12);
  });
});

describe('a server that does what none should', () => {
  test('promises one thing and gives another: the model is told, and sees it', async () => {
    expect(answered(await ask('typed', { n: 3 }))).toMatchObject({ is_error: false, result: '{"n":3}' });
    const wrong = answered(await ask('typed', { n: 12 }));
    expect(wrong?.is_error).toBe(true);
    expect(wrong?.result).toContain('structuredContent.n: ');
    expect(wrong?.result).toContain('{"n":12}');
  });

  test('has an output schema that makes no sense: its results are taken as they are', async () => {
    expect(answered(await ask('unclear', {}))).toMatchObject({ is_error: false, result: 'as you like' });
  });

  test('gives 20 MB: an error, the conversation goes on, and so does the server', async () => {
    const huge = await ask('huge', { bytes: 20_000_000 });
    expect(answered(huge)).toMatchObject({ is_error: true });
    expect(huge.text.length).toBeLessThan(20_000);
    const path = `/conversations/${huge.body.conversation.id}/messages`;
    const next = await http.post(path, { message: 'call typed {"n":4}' });
    expect(answered(next)).toMatchObject({ is_error: false, result: '{"n":4}' });
    expect(await serverNamed('nasty')).toMatchObject({ state: 'ready', restarts: 0 });
  });

  test('gives half a megabyte of JSON: it is cut, is still JSON, and says so', async () => {
    const { result = '', is_error } = answered(await ask('list', { length: 150_000 })) ?? {};
    expect(is_error).toBe(false);
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(256 * 1024);
    expect(JSON.stringify(JSON.parse(result))).toMatch(/truncated|cut/);
  });

  test('ends in the middle of a call: a human decides, and everybody sees why it was started again', async () => {
    const { body } = await ask('end', {});
    expect(body.result.approval).toMatchObject({ kind: 'in_doubt', tool_name: 'end' });
    const back = await until('it is back', async () => {
      const server = await serverNamed('nasty');
      return server.state === 'ready' && server.restarts === 1 ? server : undefined;
    });
    expect(back.last_error?.text).toBe('its process exited with code 3; its last output: out of memory');
    expect(back.tools).toBe(8);
    const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { action: 'give_up' });
    expect(done.body.result.waiting_approval).toBe(false);
    expect(await serverNamed('memory')).toMatchObject({ state: 'ready', restarts: 0 });
  });
});
