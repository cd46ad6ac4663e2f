import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/compose-env.mjs', import.meta.url));

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
  expect(Object.keys(first).sort()).toEqual(['NATS_PASSWORD', 'STOPGO_INTERNAL_TOKEN', 'STOPGO_PUSH_KEY']);
  for (const secret of Object.values(first)) {
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(printed).not.toContain(secret);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(first)).size).toBe(3);
});

test('it keeps what the file holds, adds what is missing or empty, and closes a file that was open to others', () => {
  writeFileSync(file, 'GEMINI_API_KEY=abc\nNATS_PASSWORD=mine\nSTOPGO_INTERNAL_TOKEN=', { mode: 0o644 });
  write();
  const now = settings();
  expect(now).toMatchObject({ GEMINI_API_KEY: 'abc', NATS_PASSWORD: 'mine' });
  // The last of two lines is the one that counts, for compose too.
  expect(now.STOPGO_INTERNAL_TOKEN).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, 'utf8');
  expect(write()).toContain('nothing was missing');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a demo starts the offline model and sends every model call there', () => {
  write();
  const { STOPGO_INTERNAL_TOKEN } = settings();
  write('--demo');
  expect(settings()).toMatchObject({
    STOPGO_INTERNAL_TOKEN,
    COMPOSE_PROFILES: 'demo',
    STOPGO_OFFLINE_MODEL: 'http://offline-model:8091',
  });
});
