import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EraCache, type EraMemory } from '../src/session/era-cache.ts';
import { eraFile } from '../src/session/era-file.ts';
import { scriptedServer, startBridge, stdioServer, temporaryFolder } from './support/bridge.ts';

function memory(text?: string): EraMemory & { readonly kept: () => string | undefined } {
  let kept = text;
  return {
    read: () => kept,
    write: (next) => {
      kept = next;
    },
    kept: () => kept,
  };
}

/** Speaks 2026-07-28 only. What it does when it is greeted in the older protocol: refuse, end, or say nothing. */
function modernServer(greeted: 'refuses' | 'ends' | 'ignores', file: string) {
  const script = `
    require('node:fs').appendFileSync(${JSON.stringify(file)}, 'started ');
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const done = (result) => send({ id, result: { resultType: 'complete', ...result } });
      if (method === 'server/discover')
        return done({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public' });
      if (method === 'tools/list')
        return done({ tools: [{ name: 'look', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'public' });
      if (method === 'initialize' && ${greeted === 'ends'}) process.exit(1);
      if (method === 'initialize' && ${greeted === 'ignores'}) return;
      send({ id, error: { code: -32601, message: 'Method not found' } });
    }).on('close', () => process.exit(0));`;
  return stdioServer('s', process.execPath, ['-e', script], { era: 'auto' });
}

test('a server of the older protocol that ignores what it does not know is not asked again after a restart', async () => {
  const server = scriptedServer('s', ['--silent-discover'], { era: 'auto', env: { KEY: 'secret-value' } });
  const eraMemory = memory();
  const first = await startBridge([server.config], { eraMemory, bounds: { probeMs: 20 } });
  await first.bridge.stop();
  expect(eraMemory.kept()).toMatch(/^\{"legacy":\["[0-9a-f]{64}"\]\}\n$/);
  const { tools } = await startBridge([server.config], { eraMemory, bounds: { probeMs: 600_000 } });
  expect(await tools()).toHaveLength(12);
  expect(server.journal().filter(({ method }) => method === 'server/discover')).toHaveLength(1);
});

test.each(['refuses', 'ends', 'ignores'] as const)(
  'a wrong hint costs one process and no failure: a newer server that %s the older greeting',
  async (greeted) => {
    const file = join(temporaryFolder(), 'starts');
    const config = modernServer(greeted, file);
    const eraMemory = memory();
    new EraCache(eraMemory).set(config, { kind: 'legacy' });
    expect(new EraCache(eraMemory).hintsLegacy(config)).toBe(true);
    const { tools, bridge } = await startBridge([config], { eraMemory, bounds: { hintSilenceMs: 10 } });
    expect((await tools()).map(({ name }) => name)).toEqual(['look']);
    expect(bridge.describe()[0]?.protocolEra).toBe('modern');
    expect(readFileSync(file, 'utf8')).toBe('started started ');
    expect(eraMemory.kept()).toBe('{"legacy":[]}\n');
  },
);

test('a server that is slow to answer in the older protocol keeps its one process', async () => {
  const server = scriptedServer('s', ['--wakes-late=300'], { era: 'auto' });
  const eraMemory = memory();
  new EraCache(eraMemory).set(server.config, { kind: 'legacy' });
  const { tools } = await startBridge([server.config], { eraMemory, bounds: { hintSilenceMs: 10 } });
  expect(await tools()).toHaveLength(12);
  expect(server.pids()).toHaveLength(1);
});

test.each(['', 'no JSON', '{"legacy":7}', '[]', 'null', '{"legacy":[1,{}]}'])(
  'a memory of %s is as good as none',
  (text) => {
    expect(new EraCache(memory(text)).hintsLegacy(scriptedServer('s').config)).toBe(false);
  },
);

test('the file is for its owner only, and one that cannot be read or written hinders nothing', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'mcp-eras.json');
  expect(eraFile(file).read()).toBeUndefined();
  eraFile(file).write('text');
  expect(eraFile(file).read()).toBe('text');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'x'.repeat(100_000));
  expect(eraFile(file).read()).toBeUndefined();
  mkdirSync(join(folder, 'folder'));
  for (const path of [join(folder, 'folder'), join(folder, 'no', 'such')]) {
    eraFile(path).write('text');
    expect(eraFile(path).read()).toBeUndefined();
  }
});
