import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { connect } from './peers.ts';
import { killStarted, run, runHttp, temporaryFolder } from './program.ts';

const HOSTILE = ['(a+)+$', '(a|aa)+$', '(a|a?)+!', '(.*a){40}!', '([a-zA-Z]+)*[0-9]$', '^(([a-z])+.)+[A-Z]([a-z])+$'];

let folder: ReturnType<typeof temporaryFolder>;
const file = (name: string) => join(folder.path, name);
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  killStarted();
  folder.remove();
});

test('what was acknowledged survives kill -9, and only the owner may read it', async () => {
  const args = ['--db', file('data/r.db'), '--http', '--port', '0'];
  const first = await runHttp(args);
  const peer = await connect('modern', { url: first.url });
  const added = await peer.call('resources_add', { name: 'kept', value: 42 });
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  await peer.close();
  expect(statSync(file('data')).mode & 0o777).toBe(0o700);
  expect(statSync(file('data/r.db')).mode & 0o777).toBe(0o600);

  const over = await connect('legacy', { args: ['--db', file('data/r.db')] });
  const listed = JSON.parse((await over.call('resources_list')).text);
  expect(listed).toEqual({ resources: [JSON.parse(added.text)], count: 1 });
  await over.close();
});

test('two programs on one file see what the other adds and removes, and a third what they left', async () => {
  const target = { args: ['--db', file('r.db')] };
  const [one, two] = [await connect('auto', target), await connect('sdk 1.x', target)];
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const added = await Promise.all(
    names.flatMap((name) => [one, two].map((peer) => peer.call('resources_add', { name, value: 1 }))),
  );
  expect(added.filter(({ isError }) => isError)).toEqual([]);
  const [first] = added;
  const { id } = JSON.parse(first?.text ?? '');
  expect(JSON.parse((await two.call('resources_remove', { id })).text)).toEqual({
    removed_count: 1,
    removed_ids: [id],
  });
  expect(JSON.parse((await one.call('resources_remove', { pattern: '^n1.' })).text)).toMatchObject({
    removed_count: 20,
  });
  expect(JSON.parse((await two.call('resources_list')).text)).toMatchObject({ count: 19 });
  await Promise.all([one.close(), two.close()]);
  const third = await connect('auto', target);
  expect(JSON.parse((await third.call('resources_list', { pattern: '^n1$' })).text)).toMatchObject({ count: 2 });
  expect(JSON.parse((await third.call('resources_list')).text)).toMatchObject({ count: 19 });
  await third.close();
});

test('the journal has a line before and a line after every call, with what the client sent', async () => {
  const target = { args: ['--db', file('r.db')], env: { MCP_RESOURCES_JOURNAL: file('journal') } };
  const peer = await connect('modern', target);
  await peer.call('resources_add', { name: 'a', value: '1' }, { 'stopgo/call': 'c-1' });
  await peer.call('resources_add', { name: 'a' });
  await peer.close();
  const lines = readFileSync(file('journal'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const call = { tool: 'resources_add', arguments: { name: 'a', value: '1' }, time: expect.any(String) };
  expect(lines).toMatchObject([
    { type: 'begin', ...call, meta: { 'stopgo/call': 'c-1' } },
    { type: 'end', ...call, meta: { 'stopgo/call': 'c-1' }, is_error: false, call: lines[0].call },
    { type: 'begin', tool: 'resources_add' },
    { type: 'end', is_error: true, call: lines[2].call },
  ]);
  expect(lines[2].call).not.toBe(lines[0].call);
});

test('a call that cannot be journaled has no effect', async () => {
  // Every write to this device fails for want of space.
  const target = { args: ['--db', file('r.db')], env: { MCP_RESOURCES_JOURNAL: '/dev/full' } };
  const peer = await connect('legacy', target);
  expect(await peer.call('resources_add', { name: 'a', value: 1 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('ENOSPC'),
  });
  await peer.close();
  const database = openDatabase(file('r.db'));
  expect(database.prepare('SELECT count(*) AS n FROM resources').get()).toMatchObject({ n: 0 });
  database.close();
});

// A backtracking engine would need longer for each of these than the universe is old. They run in the program, so that
// such an engine fails this test by its deadline instead of blocking it.
test('hostile patterns are answered, and match or remove nothing', async () => {
  const peer = await connect('legacy', { args: ['--db', file('r.db')] });
  try {
    await peer.call('resources_add', { name: `${'a'.repeat(255)}?`, value: 1 });
    for (const pattern of HOSTILE) {
      const listed = JSON.parse((await peer.call('resources_list', { pattern })).text);
      expect(listed, pattern).toEqual({ resources: null, count: 0 });
      const removed = JSON.parse((await peer.call('resources_remove', { pattern })).text);
      expect(removed, pattern).toEqual({ removed_count: 0, removed_ids: null });
    }
    expect(JSON.parse((await peer.call('resources_list')).text)).toMatchObject({ count: 1 });
  } finally {
    await peer.close();
  }
});

describe('the end', () => {
  const REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'resources_list', arguments: {} } };

  test('of the input ends the program, after what came before it was answered', async () => {
    const program = run(['--db', file('r.db')]);
    program.child.stdin?.end(`${JSON.stringify(REQUEST)}\n`);
    expect(await program.ended).toBe(0);
    expect(JSON.parse(program.output.stdout)).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  });

  test('comes with SIGTERM while the input is open', async () => {
    const program = run(['--db', file('r.db')]);
    program.child.stdin?.write(`${JSON.stringify(REQUEST)}\n`);
    await once(program.child.stdout ?? program.child, 'data');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('comes with SIGTERM while a client keeps its connection and a request is half sent', async () => {
    const program = await runHttp(['--db', file('r.db'), '--http', '--port', '0']);
    const half = request(program.url, { method: 'POST', headers: { 'Content-Length': '10' } });
    half.on('error', () => {});
    half.write('{');
    await fetch(new URL('/health', program.url));
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('comes with a message that is too long', async () => {
    const program = run(['--db', file('r.db')]);
    program.child.stdin?.on('error', () => {});
    program.child.stdin?.write('x'.repeat(1_200_000));
    expect(await program.ended).toBe(0);
    expect(program.output.stderr).toMatch(/^mcp-resources: \S.*\n$/u);
  });
});

describe('HTTP', () => {
  const ask = (url: URL, method: string, headers: Record<string, string>, body = ''): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      });
      sent.on('error', reject).end(body);
    });

  test('answers its own machine, and nobody that a browser was lured from', async () => {
    writeFileSync(file('c.yaml'), `port: 0\ndb_path: ${JSON.stringify(file('r.db'))}\n`);
    const program = await runHttp(['--config', file('c.yaml')]);
    const { url } = program;
    const health = new URL('/health', url);
    expect(url.hostname).toBe('127.0.0.1');
    expect(await ask(health, 'GET', {})).toEqual([200, 'ok\n']);
    expect((await ask(health, 'POST', {}))[0]).toBe(405);
    expect((await ask(new URL('/other', url), 'GET', {}))[0]).toBe(404);

    const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const post = async (headers: Record<string, string>, text = body) =>
      (await ask(url, 'POST', { ...json, ...headers }, text))[0];
    expect(await post({})).toBe(200);
    expect(await post({ Host: `localhost:${url.port}` })).toBe(200);
    expect(await post({ Origin: 'http://localhost:3000' })).toBe(403);
    expect(await post({ Origin: url.origin })).toBe(403);
    expect(await post({ Host: 'evil.example' })).toBe(403);
    expect(await post({ Origin: 'http://evil.example' })).toBe(403);
    expect(await post({ Origin: 'null' })).toBe(403);
    expect(await post({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect((await ask(health, 'GET', { Host: 'evil.example' }))[0]).toBe(403);
    expect(await post({}, `"${'x'.repeat(1_048_576)}"`)).toBe(413);

    // A method that nobody knows: the older protocol has an answer for it, the newer one a status as well.
    const unknown = { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: {} };
    const [status, answer] = await ask(url, 'POST', json, JSON.stringify(unknown));
    expect([status, answer]).toEqual([200, expect.stringContaining('"message":"Method not found: prompts/list"')]);
    const version = '2026-07-28';
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const modern = { ...json, 'MCP-Protocol-Version': version, 'Mcp-Method': 'prompts/list' };
    const [newer, said] = await ask(url, 'POST', modern, JSON.stringify({ ...unknown, params: { _meta } }));
    expect([newer, JSON.parse(said).error.code]).toEqual([404, -32601]);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  test('goes on when nobody reads what it says any more', async () => {
    const { url, child } = await runHttp(['--db', file('r.db'), '--http', '--port', '0']);
    child.stderr?.destroy();
    const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const version = '2026-07-28';
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
    // It says something of each of these: the header names another method than the body.
    const wrong = { ...json, 'MCP-Protocol-Version': version, 'Mcp-Method': 'TOOLS/LIST' };
    for (const _ of [1, 2, 3]) expect((await ask(url, 'POST', wrong, body))[0]).toBe(400);
    expect(await ask(new URL('/health', url), 'GET', {})).toEqual([200, 'ok\n']);
  });

  test('answers no name beyond loopback that it was not told', async () => {
    const on = ['--db', file('r.db'), '--http', '--host', '0.0.0.0', '--port', '0'];
    const { url } = await runHttp([...on, '--allowed-host', 'mcp-resources', '--allowed-host', 'tools.example']);
    const health = new URL('/health', url);
    health.hostname = '127.0.0.1';
    for (const name of ['mcp-resources', 'tools.example:8090', 'localhost', '127.0.0.1'])
      expect(await ask(health, 'GET', { Host: name }), name).toEqual([200, 'ok\n']);
    for (const name of ['evil.example', 'mcp-resources.evil.example']) {
      const [status, text] = await ask(health, 'GET', { Host: name });
      expect([name, status, text]).toEqual([name, 403, expect.stringContaining('allowed_hosts')]);
    }
  });

  test('answers the names and the pages that its settings allow, and no others', async () => {
    const settings = 'host: 0.0.0.0\nport: 0\nallowed_hosts: [tools.example]\nallowed_origins: [https://app.example]\n';
    writeFileSync(file('c.yaml'), `${settings}db_path: ${JSON.stringify(file('r.db'))}\n`);
    const program = await runHttp(['--config', file('c.yaml')]);
    const health = new URL('/health', program.url);
    health.hostname = '127.0.0.1';
    const answer = async (headers: Record<string, string>) => (await ask(health, 'GET', headers))[0];
    expect(await answer({ Host: 'tools.example' })).toBe(200);
    expect(await answer({ Host: 'evil.example' })).toBe(403);
    expect(await answer({ Host: '10.1.2.3:8090' })).toBe(200);
    expect(await answer({ Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' })).toBe(200);
    expect(await answer({ Origin: 'http://app.example' })).toBe(403);
    expect(await answer({ Origin: 'https://app.example.evil' })).toBe(403);
  });
});

describe('a start that fails says why in one line', () => {
  const failing = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const program = run(args, environment);
    program.child.stdin?.end();
    expect(await program.ended).toBe(1);
    expect(program.output.stdout).toBe('');
    expect(program.output.stderr).toMatch(/^mcp-resources: [^\n]+\n$/u);
    return program.output.stderr;
  };

  test('the database cannot be used', async () => {
    mkdirSync(file('folder'));
    writeFileSync(file('plain'), 'this is no database at all');
    const foreign = new Database(file('foreign'));
    foreign.exec('CREATE TABLE resources (size INTEGER)');
    foreign.close();
    const locked = openDatabase(file('locked'));
    locked.exec('PRAGMA locking_mode = EXCLUSIVE');
    locked.exec('BEGIN EXCLUSIVE');
    // The last is a folder that can never be created, and that once made the creation spin.
    const cases = [
      [file('folder'), 'EISDIR', 'this user may write'],
      [file('plain'), 'file is not a database', 'put a backup in its place'],
      [file('plain/below'), 'ENOTDIR', 'this user may write'],
      [file('locked'), 'database is locked', 'another program holds the file'],
      [file('foreign'), 'no such column', 'belongs to another program'],
      ['/proc/none/r.db', 'ENOENT', 'this user may write'],
    ] as const;
    const messages = await Promise.all(cases.map(([path]) => failing(['--db', path])));
    for (const [at, [path, reason, remedy]] of cases.entries()) {
      expect(messages[at]).toContain(`cannot open the database ${path}: ${reason}`);
      expect(messages[at]).toContain(remedy);
    }
    locked.close();
  });

  test('the database is damaged behind a good beginning', async () => {
    const store = openDatabase(file('r.db'));
    store.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    store.close();
    const bytes = readFileSync(file('r.db'));
    const pageBytes = bytes.readUInt16BE(16);
    writeFileSync(file('r.db'), bytes.fill('A', pageBytes));
    expect(await failing(['--db', file('r.db')])).toMatch(/cannot open the database \S+r\.db: .*put a backup/u);
    // What is left of it is left alone.
    expect(readFileSync(file('r.db')).equals(bytes)).toBe(true);
  });

  test('the settings make no sense', async () => {
    writeFileSync(file('typo.yaml'), 'prot: 1\n');
    writeFileSync(file('bad.yaml'), 'host: [\n');
    writeFileSync(file('type.yaml'), 'port: high\n');
    const messages = await Promise.all([
      failing(['--config', file('none.yaml')]),
      failing(['--config', file('bad.yaml')]),
      failing(['--config', file('typo.yaml')]),
      failing(['--config', file('type.yaml')]),
      failing(['--port', '1']),
      failing(['--http', '--port', '70000']),
      failing(['--what']),
      failing(['--db', file('r.db')], { MCP_RESOURCES_JOURNAL: file('none/journal') }),
    ]);
    expect(messages.join('')).toMatch(
      /failed to read config file: .*\n.*failed to parse config file: .*\n.*unknown key "prot".*\n.*port must be an integer.*\n.*add --http\n.*--port must be.*\n.*--what.*\n.*cannot open the journal/u,
    );
  });

  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await failing(['--db', file('r.db'), '--http', '--port', String(port)])).toContain(
      `cannot listen on 127.0.0.1:${port}`,
    );
    other.close();
  });
});
