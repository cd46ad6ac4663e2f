import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpSandbox } from '@stopgo/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSandboxes } from '../src/lines/sandbox.ts';
import { afterwards, eventually, finishedOf, startBridge, stdioServer, temporaryFolder } from './support/bridge.ts';

const script = fileURLToPath(new URL('./fixtures/spying-server.mjs', import.meta.url));

function problemHere(): string | undefined {
  try {
    checkSandboxes(process.env);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const problem = problemHere();
if (problem !== undefined) console.warn(`sandboxes are not tested here: ${problem}`);

describe.skipIf(problem !== undefined)('a tool server in a sandbox', () => {
  let secret: string;
  beforeAll(() => {
    secret = `secret-${process.pid}`;
  });

  /** Starts the spy in a sandbox; gives what a look of it shows. */
  async function spy(sandbox: Partial<McpSandbox> = {}, more: { hidden?: string[]; env?: object } = {}) {
    const folders = [script, ...(sandbox.folders ?? [])];
    const config = stdioServer('spy', process.execPath, [script]);
    const transport = {
      ...({ kind: 'stdio', command: process.execPath, args: [script], env: {} } as const),
      sandbox: { writeFolders: [], network: 'none', ...sandbox, folders } as McpSandbox,
    };
    const started = await startBridge([{ ...config, transport }], {
      ...(more.hidden === undefined ? {} : { hiddenFolders: more.hidden }),
      environment: { ...process.env, ...more.env },
    });
    const look = async (tool: string, args: object = {}) => {
      const { content } = finishedOf(await started.execute(tool, args));
      return content;
    };
    return { look, ...started };
  }

  test('sees no other process, and none of their environments', async () => {
    const { look } = await spy();
    const processes = (await look('processes')).split('\n');
    expect(processes.every((line) => line.startsWith('bwrap ') || line.includes('spying-server.mjs'))).toBe(true);
    expect(await look('read', { path: `/proc/${process.pid}/environ` })).toBe('ENOENT');
    expect(await look('kill', { pid: process.pid })).toBe('ESRCH');
  });

  test('sees the folders that are named, and writes where it may', async () => {
    const [readable, writable, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const folder of [readable, writable, other]) writeFileSync(join(folder, 'file'), secret);
    const { look } = await spy({ folders: [readable], writeFolders: [writable] });
    expect(await look('read', { path: join(readable, 'file') })).toBe(secret);
    expect(await look('write', { path: join(readable, 'new') })).toBe('EROFS');
    expect(await look('write', { path: join(writable, 'new') })).toBe('written');
    expect(readFileSync(join(writable, 'new'), 'utf8')).toBe('written');
    expect(await look('read', { path: join(other, 'file') })).toBe('ENOENT');
    expect(await look('list', { path: dirname(other) })).not.toContain(other.slice(dirname(other).length + 1));
    expect(await look('read', { path: '/etc/shadow' })).toBe('ENOENT');
    expect(await look('list', { path: process.env.HOME ?? '/root' })).toBe('');
    expect(await look('write', { path: '/usr/stopgo-was-here' })).toBe('EROFS');
  });

  test('what it writes elsewhere is gone with it', async () => {
    const { look } = await spy();
    const path = `/tmp/stopgo-sandbox-${process.pid}`;
    expect(await look('write', { path })).toBe('written');
    expect(existsSync(path)).toBe(false);
  });

  test('never sees the data of the platform, whatever is named', async () => {
    const all = temporaryFolder();
    const data = join(all, 'data');
    mkdirSync(join(data, 'for-it'), { recursive: true });
    writeFileSync(join(data, 'events.db'), secret);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(all, link);
    const { look } = await spy({ writeFolders: [all, link] }, { hidden: [data] });
    for (const folder of [all, link])
      expect(await look('read', { path: join(folder, 'data', 'events.db') }), folder).toBe('ENOENT');
    await expect(spy({ folders: [join(link, 'data')] }, { hidden: [data] })).rejects.toThrow(
      /its folder \S+data is where the platform keeps its own data or keys; name another one/,
    );
    for (const path of [join(data, 'for-it'), join(link, 'data', 'events.db')])
      await expect(spy({ writeFolders: [path] }, { hidden: [data] }), path).rejects.toThrow(
        /its folder \S+ is in \S+data, where the platform keeps its own data or keys; name another one/,
      );
  });

  test('never sees a key of the platform beside what is named, and not by a link either', async () => {
    const all = temporaryFolder();
    const key = join(all, 'id_ed25519');
    for (const file of [key, join(all, 'other')]) writeFileSync(file, secret);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(all, link);
    const { look } = await spy({ folders: [all, link] }, { hidden: [key] });
    for (const folder of [all, link]) {
      expect(await look('read', { path: join(folder, 'id_ed25519') }), folder).not.toContain(secret);
      expect(await look('read', { path: join(folder, 'other') }), folder).toBe(secret);
    }
    await expect(spy({ folders: [key] }, { hidden: [key] })).rejects.toThrow('name another one');
  });

  test('never sees it among the programs of the system either, nor what else is in /opt', async () => {
    const { look } = await spy({}, { hidden: ['/usr/share'] });
    expect(await look('list', { path: '/usr/share' })).toBe('');
    expect(await look('list', { path: '/usr' })).toContain('share');
    expect(await look('list', { path: '/opt' })).toBe('ENOENT');
  });

  test('reaches nothing on loopback unless it may', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterwards(() => server.close());
    const { port } = server.address() as { port: number };
    expect(await (await spy()).look('reach', { port })).toBe('ECONNREFUSED');
    expect(await (await spy({ network: 'all' })).look('reach', { port })).toBe('connected');
  });

  test('is where its configuration thinks, and a program of its user is found', async () => {
    const { look } = await spy();
    expect(await look('where')).toBe(process.cwd());
    const bin = join(temporaryFolder(), 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'my-node'));
    const config = stdioServer('mine', 'my-node', [script]);
    const sandbox: McpSandbox = { folders: [script], writeFolders: [], network: 'none' };
    const transport = { kind: 'stdio', command: 'my-node', args: [script], env: {}, sandbox } as const;
    const { tools } = await startBridge([{ ...config, transport }], {
      environment: { ...process.env, PATH: `${bin}:/nowhere:${process.env.PATH}` },
    });
    expect(await tools()).not.toEqual([]);
  });

  test('a folder that is not there ends the start in one line', async () => {
    await expect(spy({ folders: ['/not/there'] })).rejects.toThrow(
      /^failed to start MCP clients: failed to start MCP server "spy": its folder \/not\/there is not there; make it$/,
    );
  });

  test('ends with its bridge', async () => {
    const { bridge } = await spy();
    const running = () =>
      spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((line) => line.includes(script));
    expect(running()).not.toEqual([]);
    await bridge.stop();
    await eventually(() => running().length === 0, 'all of it has ended');
  });
});

describe('where no sandbox can be made', () => {
  /** With a `bwrap` that does this. */
  const withBwrap = (lines: string | undefined): (() => void) => {
    const bin = temporaryFolder();
    if (lines !== undefined) writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    return () => checkSandboxes({ PATH: bin }, 'linux', { works: false });
  };

  test('a missing bubblewrap is named with what to install', () => {
    expect(withBwrap(undefined)).toThrow(
      /^sandbox: required cannot be had: there is no bwrap; install the package "bubblewrap", or set sandbox: off$/,
    );
  });

  test('what it says is told in one line', () => {
    const said = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it';
    expect(withBwrap(`echo more >&2; echo '${said}' >&2; exit 1`)).toThrow(
      new RegExp(`^sandbox: required cannot be had: ${said}; user namespaces must be allowed .*set sandbox: off$`),
    );
    expect(withBwrap('exit 7')).toThrow(/^sandbox: required cannot be had: bwrap ended with code 7; /);
  });

  test('another system than Linux is refused', () => {
    expect(() => checkSandboxes({}, 'darwin', { works: false })).toThrow(/it needs Linux; set sandbox: off/);
  });
});
