import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noneLeftOf } from '../e2e/processes.ts';

const root = join(import.meta.dirname, '../..');
const examples = join(root, 'examples');
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** How long one example may take, in milliseconds: it starts about ten processes, one after the other, on a machine that others use too. */
const EXAMPLE_MS = 120_000;

let folder: string;
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-examples-'));
  temporary = join(folder, 'temporary');
  mkdirSync(temporary);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Played = { readonly code: number | null; readonly printed: string };

/** Plays an example as a user would; everything that it writes goes into a folder of this test. `at` is told what was printed. */
function play(
  runner: string,
  name: string,
  at: (printed: string, child: ChildProcess) => void = () => {},
): Promise<Played> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [runner, name], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TMPDIR: temporary },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        at(printed, child);
      });
    child.once('close', (code) => resolve({ code, printed }));
  });
}

/** Neither a process nor a file. */
async function nothingIsLeft(): Promise<void> {
  await noneLeftOf(folder);
  expect(readdirSync(temporary)).toEqual([]);
}

test('there is one for each kind of tree', () => {
  expect(names).toEqual([
    'files',
    'loop',
    'mixed-models',
    'nested',
    'parallel',
    'power-cuts',
    'sequential',
    'side-by-side',
    'simple',
    'small-agent',
    'support',
    'three-agents',
    'two-agents',
    'webhook',
  ]);
});

test.each(names)('%s comes out as told, and leaves nothing behind', { timeout: EXAMPLE_MS }, async (name) => {
  const { code, printed } = await play(join(examples, 'run.mjs'), name);
  expect(code, printed).toBe(0);
  expect(printed).toContain(`${name}: everything came out as told`);
  await nothingIsLeft();
});

test('a story that is not true ends with 1, tells what is so, and leaves nothing behind', {
  timeout: EXAMPLE_MS,
}, async () => {
  const copied = join(folder, 'examples');
  cpSync(examples, copied, { recursive: true });
  symlinkSync(join(root, 'scripts'), join(folder, 'scripts'));
  const story = join(copied, 'simple/story.mjs');
  writeFileSync(story, readFileSync(story, 'utf8').replace("{ 'web-1': 42 }", "{ 'web-1': 43 }"));
  const { code, printed } = await play(join(copied, 'run.mjs'), 'simple');
  expect(code).toBe(1);
  expect(printed).toMatch(
    /simple FAILED: it is not true that .*\n {2}found: {2}\{\n {4}"web-1": 42\n.*wanted: \{\n {4}"web-1": 43/s,
  );
  await nothingIsLeft();
});

test('a story that is interrupted leaves nothing behind either', { timeout: EXAMPLE_MS }, async () => {
  // Often more than once: a Ctrl-C reaches the story from the terminal and from npm.
  const { code, printed } = await play(join(examples, 'run.mjs'), 'nested', (text, child) => {
    if (text.includes('have a quiet night')) child.kill('SIGINT');
  });
  expect([code, printed.includes('FAILED')]).toEqual([130, false]);
  await nothingIsLeft();
});

test('an example that does not exist is answered with those that do', async () => {
  const { code, printed } = await play(join(examples, 'run.mjs'), 'sequental');
  expect([code, printed]).toEqual([1, `there is no example "sequental"; there are: ${names.join(', ')}\n`]);
});
