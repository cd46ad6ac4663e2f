import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../free-ports.ts';
import { client, until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import {
  journaledConfig,
  journalFile,
  type Platform,
  resourcesConfig,
  start,
  startRefused,
  type Workplace,
  workplace,
} from './platform.ts';
import { noneLeftOf, processesOf } from './processes.ts';
import { topology } from './topology.ts';

/** What a start does with what it is given: it works, or it says in clear lines why not and leaves nothing behind. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform | undefined;

beforeAll(async () => {
  model = await scriptedModel();
});

afterAll(() => model.stop());

beforeEach(() => {
  place = workplace();
});

afterEach(async () => {
  await platform?.discard();
  platform = undefined;
  place.remove();
});

const resourcesServer = (name: string) => `
  - name: ${name}
    command: node
    args: [mcp-servers/resources/dist/main.js, --db, ${JSON.stringify(join(place.folder, `${name}.db`))}]`;

/** A configuration without tools, with these lines of YAML in it. */
const config = (lines: string, { dataDir } = place) => `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(dataDir)}
${lines}`;

test('a configuration that is not there is named', async () => {
  const args = ['--config', join(place.folder, 'absent.yaml')];
  const { code, errors } = await startRefused(place, '', { defaultConfig: true, args, env: model.env });
  expect(errors).toMatch(
    /^Failed to load config: failed to read config file: \S+absent\.yaml: there is no such file.*\n$/,
  );
  expect(code).toBe(1);
});

test('a port in use is told before anything is started', async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as { port: number };
  const yaml = resourcesConfig(place).replace('port: 0', `port: ${port}`);
  const { code, errors, output } = await startRefused(place, yaml, { env: model.env });
  other.close();
  expect(errors).toBe(
    `Failed to start agent: cannot listen on 127.0.0.1:${port}: the port is in use; stop what listens there, or set another "port", or give one with --port\n`,
  );
  expect(output).not.toContain('MCP Server [');
  expect(code).toBe(1);
});

test('a data directory in use is refused in one line, and the platform that has it goes on', async () => {
  platform = await start(place, resourcesConfig(place), { env: model.env });
  const { code, errors } = await startRefused(place, resourcesConfig(place), { env: model.env });
  expect(errors).toBe(
    `Failed to start agent: the data directory ${place.dataDir} is in use by another process; stop that process or choose another directory\n`,
  );
  expect(code).toBe(1);
  const http = client(platform.url);
  expect((await http.post('/conversations', { message: 'list all resources' })).status).toBe(201);
});

test('a data directory that cannot be made is refused in one line', async () => {
  writeFileSync(join(place.folder, 'file'), '');
  const yaml = resourcesConfig(place).replace(place.dataDir, join(place.folder, 'file/data'));
  const { code, errors } = await startRefused(place, yaml, { env: model.env });
  expect(errors).toMatch(/^Failed to start agent: .*file\/data.*\n$/);
  expect(code).toBe(1);
  await noneLeftOf(place.folder);
});

test('when a tool server fails, those before it are ended, and the data directory is free for the next start', async () => {
  const failing = `mcp_servers:
  - name: first
    command: node
    args: [tests/e2e/fixtures/tools.mjs, ${JSON.stringify(join(place.folder, 'journal'))}, "", stays]
  - name: second
    command: node
    args: [-e, "console.error('no database'); process.exit(3)"]`;
  const refused = await startRefused(place, config(failing), { env: model.env });
  expect(refused.errors).toMatch(
    /^Failed to start agent: failed to start MCP clients: failed to start MCP server "second": .*no database.*\n$/,
  );
  expect(refused.code).toBe(1);
  await noneLeftOf(place.folder);
  platform = await start(place, config(`mcp_servers:${resourcesServer('first')}`), { env: model.env });
  expect((await client(platform.url).get('/health')).status).toBe(200);
  expect(processesOf(join(place.folder, 'first.db'))).toHaveLength(1);
});

test('two servers with a tool of the same name are refused, and both are ended', async () => {
  const yaml = config(`mcp_servers:${resourcesServer('one')}${resourcesServer('two')}`);
  const { code, errors } = await startRefused(place, yaml, { env: model.env });
  expect(errors).toMatch(
    /^Failed to start agent: (?:failed to start MCP clients: )?duplicate tool name "resources_\w+" found in MCP servers "one" and "two"; .*tools\.deny\n$/,
  );
  expect(code).toBe(1);
  await noneLeftOf(place.folder);
});

test('the configuration is config/agent.yaml of the working directory unless it is named; the start says how long it took', async () => {
  mkdirSync(join(place.folder, 'config'));
  writeFileSync(join(place.folder, 'config/agent.yaml'), config('name: by-default'));
  platform = await start(place, '', { env: model.env, cwd: place.folder, defaultConfig: true });
  expect(platform.output()).toContain('No MCP servers configured');
  expect(platform.output()).toMatch(/ready on http:\/\/127\.0\.0\.1:\d+ after \d+(?:\.\d+)?m?s /);
  expect((await client(platform.url).post('/conversations', {})).status).toBe(201);
});

test('a changed prompt takes effect after a restart, in the conversation and in what the model is told', async () => {
  const told = async (): Promise<string> => JSON.stringify((await model.requests()).at(-1)?.body);
  platform = await start(place, config('prompt: You are brief.'), { env: model.env });
  await client(platform.url).post('/conversations', { message: 'hello' });
  expect(await told()).toContain('You are brief.');
  expect(await platform.end('SIGTERM')).toBe(0);
  platform = await start(place, config('prompt: You are verbose.'), { env: model.env });
  const { body } = await client(platform.url).post('/conversations', { message: 'hello' });
  expect(body.conversation.messages[0]).toMatchObject({ role: 'system', content: 'You are verbose.' });
  expect(await told()).toContain('You are verbose.');
  expect(await told()).not.toContain('You are brief.');
});

test('an HTTP tool server that comes up later is waited for; the old key for it works with a warning', async () => {
  const port = await freePort();
  let tools: Promise<HttpTools> | undefined;
  const lookedInVain = /MCP connection attempt 1\/\d+ failed: .*, retrying in 500ms/;
  const onOutput = (printed: string): void => {
    if (lookedInVain.test(printed)) tools ??= httpTools({ port });
  };
  try {
    platform = await start(place, config(`mcp: {url: "http://127.0.0.1:${port}/mcp"}`), { env: model.env, onOutput });
    expect(platform.output()).toMatch(/mcp.*mcp_servers/);
    const offered = (await client(platform.url).get('/tools')).body.tools;
    expect(offered.map((tool) => tool.server)).toContain('default');
  } finally {
    await (await tools)?.stop();
  }
});

test('the demo without a key says that the offline model answers, and ends it with the platform', async () => {
  mkdirSync(join(place.folder, 'config'));
  writeFileSync(join(place.folder, 'config/agent.yaml'), config(`name: ${place.folder.slice(1).replaceAll('/', '-')}`));
  // Of the names of variables one that is handed on to the model.
  const env = { LC_MARKER: place.folder };
  platform = await start(place, '', { env, cwd: place.folder, defaultConfig: true, args: ['--demo'] });
  expect(platform.output()).toContain('offline model');
  const said = platform.output;
  await until('it says what to do next', async () =>
    /curl -s http:\/\/127\.0\.0\.1:\d+\/conversations/.test(said()) ? true : undefined,
  );
  // Beside itself: the model; as separate processes also five services, a nats-server and its guard.
  expect(processesOf(place.folder)).toHaveLength(topology === 'services' ? 9 : 2);
  expect((await client(platform.url).post('/conversations', { message: 'hello' })).body.result.response).toContain(
    'offline model',
  );
  expect(await platform.end('SIGTERM')).toBe(0);
  await noneLeftOf(place.folder);
});

/** Two models of two providers, of which nobody has a key, and tools of one's own. */
const ownTree = `agent:
  type: sequential
  agents:
    - name: worker
      model: gemini-2.5-flash
    - name: closer
      model: claude-sonnet-4-5
      prompt: Call no tools. Say what was done.`;

test("a demo of one's own agent: the offline model answers for its whole tree and calls its tools, without a key", async () => {
  platform = await start(place, journaledConfig(place, ownTree), { asProcess: true, args: ['--demo'] });
  expect(platform.output()).toContain('every answer comes from the bundled offline model');
  const http = client(platform.url);
  const hello = (await http.post('/conversations', { message: 'hello' })).body;
  expect(JSON.stringify(hello)).toContain('The tools I see: ');
  const asked = await http.post('/conversations', { message: 'call erase {"name":"x"}' });
  expect(asked.body.result).toMatchObject({ waiting_approval: true, approval: { tool_args: { name: 'x' } } });
  const done = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { approved: true });
  expect(done.body.result).toMatchObject({ waiting_approval: false });
  expect(readFileSync(journalFile(place), 'utf8')).toContain('erase');
});

test('a demo that others can reach is refused by the key that is missing, and told why', async () => {
  const yaml = config('llm: {model: claude-sonnet-4-5}').replace('host: 127.0.0.1', 'host: 0.0.0.0');
  const { code, errors, output } = await startRefused(place, yaml, { args: ['--demo'] });
  expect(output).toContain('the offline model answers on this machine only, and host is 0.0.0.0');
  expect(errors).toMatch(/ANTHROPIC_API_KEY environment variable not set/);
  expect(code).toBe(1);
});
