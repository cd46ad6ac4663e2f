import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '@stopgo/core';
import { parsePeers } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/compose-env.mjs', import.meta.url));

const serviceNames = ['gateway', 'orchestrator', 'approvals', 'mcp-bridge', 'registry', 'store'] as const;
const tokenName = (service: string) => `STOPGO_TOKEN_${service.toUpperCase().replaceAll('-', '_')}`;
const tokenNames = serviceNames.map(tokenName);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-compose-env-'));
  file = join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the script; what it printed. */
const write = (...flags: string[]): string =>
  execFileSync(process.execPath, [script, '--file', file, ...flags], { encoding: 'utf8' });

/** The settings of the file, by name. */
function settings(): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

test('it writes long random secrets that only the owner can read, and does not print them', () => {
  const printed = write();
  const first = settings();
  const { STOPGO_INTERNAL_PEERS: _, STOPGO_REQUIRE_AUTH: isRequired, ...secrets } = first;
  // What is published is for people who sign in.
  expect(isRequired).toBe('true');
  expect(Object.keys(secrets).sort()).toEqual(
    ['NATS_PASSWORD', 'STOPGO_ACCOUNT_KEY', 'STOPGO_PUSH_KEY', ...tokenNames].sort(),
  );
  for (const secret of Object.values(secrets)) {
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(printed).not.toContain(secret);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(secrets)).size).toBe(9);
});

test('the services know each other by the digests of their tokens, also after one was changed', () => {
  const known = () => {
    const now = settings();
    const peers = parsePeers(now.STOPGO_INTERNAL_PEERS ?? '');
    expect(peers.map(({ name }) => name).sort()).toEqual([...serviceNames].sort());
    for (const { name, digest } of peers)
      expect(digest.toString('hex'), name).toBe(sha256Hex(now[tokenName(name)] ?? ''));
  };
  write();
  known();
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/^STOPGO_TOKEN_STORE=.*/m, `STOPGO_TOKEN_STORE=${'x'.repeat(20)}`),
  );
  expect(write()).toContain('added STOPGO_INTERNAL_PEERS');
  known();
  expect(write()).toContain('nothing was missing');
});

test('it keeps what the file holds, adds what is missing or empty, and closes a file that was open to others', () => {
  writeFileSync(file, 'GEMINI_API_KEY=abc\nNATS_PASSWORD=mine\nSTOPGO_TOKEN_STORE=', { mode: 0o644 });
  write();
  const now = settings();
  expect(now).toMatchObject({ GEMINI_API_KEY: 'abc', NATS_PASSWORD: 'mine' });
  // The last of two lines is the one that counts, for compose too.
  expect(now.STOPGO_TOKEN_STORE).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, 'utf8');
  expect(write()).toContain('nothing was missing');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a demo starts the offline model and sends every model call there', () => {
  write();
  const { STOPGO_TOKEN_STORE } = settings();
  write('--demo');
  expect(settings()).toMatchObject({
    STOPGO_TOKEN_STORE,
    COMPOSE_PROFILES: 'demo',
    STOPGO_OFFLINE_MODEL: 'http://offline-model:8091',
  });
});
