import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listedTools } from '../src/tool-names.ts';
import { connect, GENERATIONS, type Peer } from './peers.ts';
import { killStarted, type Program, run, runHttp, temporaryFolder } from './program.ts';

let folder: ReturnType<typeof temporaryFolder>;
const file = (name: string) => join(folder.path, name);
const settings = (more = '', tools = '["*"]') => {
  const path = file('config.yaml');
  writeFileSync(
    path,
    `${more}\nroots:\n  - name: work\n    path: ${JSON.stringify(file('work'))}\n    allowed_tools: ${tools}\n`,
  );
  return ['--config', path];
};
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(file('work'));
});
afterEach(() => {
  killStarted();
  folder.remove();
});

const READS = ['list_roots', 'list_folder', 'read_file', 'stat_file', 'hash_file', 'permissions_file', 'grep', 'glob'];

/** The same story over every way to the program. */
async function story(peer: Peer): Promise<void> {
  expect(peer.serverVersion).toMatchObject({ name: 'mcp-filesystem', version: '1.0.0' });
  const tools = await peer.tools();
  expect(tools.map(({ name }) => name)).toEqual(['list_roots', ...listedTools]);
  for (const { name, annotations } of tools) {
    const readOnlyHint = READS.includes(name);
    expect(annotations, name).toEqual({
      readOnlyHint,
      destructiveHint: !readOnlyHint,
      idempotentHint: readOnlyHint,
      openWorldHint: true,
    });
  }
  const call = async (tool: string, given: Record<string, unknown>) => {
    const { text, isError } = await peer.call(tool, given);
    expect(isError, text).toBe(false);
    return JSON.parse(text);
  };
  const at = (path: string, more: object = {}) => ({ root: 'work', path, ...more });
  expect(await call('list_roots', {})).toEqual([{ name: 'work', allowed_tools: [...listedTools].sort() }]);
  await call('write_file', at('hello.txt', { content: 'Hello World\n' }));
  const patch = '--- a/hello.txt\n+++ b/hello.txt\n@@ -1 +1 @@\n-Hello World\n+Hello Agent';
  expect(await call('patch_file', at('hello.txt', { patch }))).toEqual({ path: 'hello.txt', hunks_applied: 1 });
  expect(await call('read_file', at('hello.txt'))).toEqual({ size: 12, content: 'Hello Agent\n', truncated: false });
  expect((await call('grep', { root: 'work', pattern: 'Agent' })).matches).toMatchObject([{ file: 'hello.txt' }]);
  expect((await call('glob', { root: 'work', pattern: '**/*.txt' })).matches).toMatchObject([{ path: 'hello.txt' }]);
  expect(await peer.call('read_file', at('../secret'))).toEqual({
    text: 'path resolves outside root boundary',
    isError: true,
  });
  await expect(peer.call('chmod', {})).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('Unknown tool: chmod'),
  });
}

describe.each(GENERATIONS)('client: %s', (generation) => {
  test('over standard input and output', async () => {
    const peer = await connect(generation, { args: settings() });
    await story(peer);
    await peer.close();
  });

  test('over HTTP, as the file or a flag says', async () => {
    const program = await runHttp(generation === 'modern' ? settings('port: 0') : [...settings(), '--port', '0']);
    const peer = await connect(generation, { url: program.url });
    await story(peer);
    await peer.close();
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

describe('the log', () => {
  const lines = ({ output }: Program) =>
    output.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is JSON on standard error, marks violations, and does not say where the roots lie', async () => {
    mkdirSync(file('work/inner'));
    settings('port: 0');
    const inner = `  - {name: inner, path: ${JSON.stringify(file('work/inner'))}}\n`;
    writeFileSync(file('config.yaml'), readFileSync(file('config.yaml'), 'utf8') + inner);
    const program = await runHttp(['--config', file('config.yaml')]);
    const peer = await connect('modern', { url: program.url });
    await peer.call('list_folder', { root: 'work', path: '.' });
    await peer.call('list_folder', { root: 'inner', path: '.' });
    await peer.close();
    program.child.kill('SIGTERM');
    await program.ended;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    const call = { time, tool: 'list_folder', path: '.', duration: expect.any(Number), size: expect.any(Number) };
    expect(lines(program)).toEqual([
      {
        time,
        level: 'WARN',
        msg: 'a root lies in another, whose allowed tools reach it too',
        outer: 'work',
        inner: 'inner',
      },
      { time, level: 'INFO', msg: 'serving', address: program.url.href, roots: ['work', 'inner'] },
      { ...call, level: 'INFO', msg: 'tool call', root: 'work' },
      {
        ...call,
        level: 'WARN',
        msg: 'violation refused',
        root: 'inner',
        error: 'tool list_folder not allowed on root inner',
      },
    ]);
    expect(program.output.stderr).not.toContain(folder.path);
  });
});

test('what was acknowledged survives kill -9, and nothing half written is left', async () => {
  const program = await runHttp(settings('port: 0'));
  const peer = await connect('modern', { url: program.url });
  await peer.call('write_file', { root: 'work', path: 'kept', content: 'kept' });
  program.child.kill('SIGKILL');
  expect(await program.ended).toBe('SIGKILL');
  await peer.close();
  expect(readFileSync(file('work/kept'), 'utf8')).toBe('kept');
});

test('fifty calls at once are answered', async () => {
  const program = await runHttp(settings('port: 0'));
  const peer = await connect('modern', { url: program.url });
  const numbers = Array.from({ length: 50 }, (_, number) => String(number));
  const write = (path: string) => peer.call('write_file', { root: 'work', path: `deep/${path}`, content: path });
  expect((await Promise.all(numbers.map(write))).filter(({ isError }) => isError)).toEqual([]);
  for (const path of numbers) expect(readFileSync(file(`work/deep/${path}`), 'utf8')).toBe(path);
  await peer.close();
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

  /** Announces a body that is too long and sends none of it. */
  const tooLong = async (url: URL, headers: Record<string, string>): Promise<number | undefined> => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': '4194305' } });
    sent.flushHeaders();
    const [response] = await once(sent, 'response');
    sent.on('error', () => {}).destroy();
    return response.statusCode;
  };

  test('answers its own machine, the pages and names that are allowed, and nobody else', async () => {
    const more = 'port: 0\nallowed_hosts: [files.example]\nallowed_origins: ["https://app.example"]';
    const { url } = await runHttp(settings(more));
    const health = new URL('/health', url);
    expect(await ask(health, 'GET', {})).toEqual([200, 'ok\n']);
    const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const given = { root: 'work', path: 'f', content: 'x' };
    const params = { name: 'write_file', arguments: given };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const post = async (headers: Record<string, string>, text = body) =>
      (await ask(url, 'POST', { ...json, ...headers }, text))[0];
    for (const headers of [
      { Host: 'evil.example' },
      { Origin: 'http://evil.example' },
      { Origin: 'http://app.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost:3000' },
      { Origin: url.origin },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'Same-Origin' },
    ]) {
      expect(await post(headers as unknown as Record<string, string>), JSON.stringify(headers)).toBe(403);
    }
    expect(await post({ 'Content-Type': 'text/plain' })).toBe(415);
    expect(await tooLong(url, json)).toBe(413);
    expect(existsSync(file('work/f'))).toBe(false);
    expect(await post({ Host: 'files.example', Origin: 'https://app.example' })).toBe(200);
    expect(existsSync(file('work/f'))).toBe(true);
  });
});

describe('the end', () => {
  test('of the input ends the program, after what came before it was answered', async () => {
    const program = run(settings());
    const params = { name: 'list_roots', arguments: {} };
    program.child.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    expect(await program.ended).toBe(0);
    expect(JSON.parse(program.output.stdout)).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  });

  test('comes with SIGTERM while the input is open', async () => {
    const program = run(settings());
    await once(program.child.stderr ?? program.child, 'data');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

describe('a start that fails says why in one line', () => {
  const failing = async (args: readonly string[]) => {
    const program = run(args);
    program.child.stdin?.end();
    expect(await program.ended).toBe(1);
    expect(program.output.stdout).toBe('');
    expect(program.output.stderr).toMatch(/^mcp-filesystem: [^\n]+\n$/u);
    return program.output.stderr;
  };
  const failingFile = async (content: string, ...args: string[]) => {
    const path = file(`${Math.floor(performance.now() * 1e6)}.yaml`);
    writeFileSync(path, content);
    return failing(['--config', path, ...args]);
  };

  test('the settings make no sense', async () => {
    const cases: readonly [Promise<string>, RegExp][] = [
      [failing([]), /No roots configured\. Provide a config file with --config\n/u],
      [failing(['--config', file('none.yaml')]), /failed to read config file: /u],
      [failing(['--what']), /--what.*\(see --help\)/u],
      [failing([...settings(), '--http', '--stdio']), /--http and --stdio exclude each other/u],
      [failing([...settings(), '--host', '::1']), /add --http/u],
      [failing([...settings(), '--port', '70000']), /--port must be/u],
      [failingFile('roots: [\n'), /failed to parse config file: /u],
      [failingFile('rots: []\n'), /config: unknown key "rots"/u],
      [failingFile('roots: []\n'), /No roots configured/u],
      [failingFile('max_full_read_size: 0\n'), /max_full_read_size must be an integer from 1 to 8388608/u],
      [failingFile('roots: [{name: a, path: /, tools: []}]\n'), /roots\[0\]: unknown key "tools"/u],
      [failingFile('roots: [{path: /}]\n'), /roots\[0\]: name is required/u],
      [
        failingFile('roots: [{name: a, path: /, allowed_tools: [read]}]\n'),
        /roots\[0\] "a": unknown tool "read" in allowed_tools/u,
      ],
      [failingFile('allowed_origins: [app.example]\n'), /config: allowed_origins must be/u],
    ];
    for (const [message, expected] of cases) expect(await message).toMatch(expected);
  });

  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await failing([...settings(), '--port', String(port)])).toContain(`cannot listen on 127.0.0.1:${port}`);
    other.close();
  });
});
