import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The programs of `npm run` that take flags say which, and never answer a slip with a stack trace. */
const root = fileURLToPath(new URL('../../', import.meta.url));

function called(program: string, ...args: readonly string[]) {
  const own = program.endsWith('.ts') ? ['--import', 'tsx', '--conditions=stopgo-source'] : [];
  const env = { PATH: process.env.PATH, STOPGO_NATS_SERVER: process.execPath };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...own, program, ...args], {
    cwd: root,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

test.each([
  ['scripts/compose-env.mjs', 'compose:env', ['--file']],
  ['scripts/compose-env.mjs', 'compose:env', ['--nonsense']],
  ['scripts/verify.mjs', 'verify', ['here']],
  ['tests/chaos/main.ts', 'chaos', ['--parts', 'stor']],
  ['tests/crash/main.ts', 'test:crash', ['--kills', '1.5']],
  ['tests/power-cut/main.ts', 'test:power-cut', ['--rounds', 'x']],
  ['tests/compose/main.ts', 'test:compose', ['--only', 'x']],
  ['bench/src/rules/main.ts', 'bench -- rules', ['--nonsense']],
])('%s says what it takes instead of %j %j', { timeout: 120_000 }, (program, script, slip) => {
  const { status, stdout, stderr } = called(program, ...slip);
  expect([status, stdout]).toEqual([2, '']);
  // One line says what is wrong; the usage follows.
  expect(stderr).toMatch(new RegExp(`^[^\\n]*\nusage: npm run ${script}`));
  expect(stderr).not.toMatch(/\n {4}at /);
});

test.each([
  ['scripts/compose-env.mjs', 'compose:env', '--help'],
  ['tests/chaos/main.ts', 'chaos', '-h'],
])('%s is asked for its usage', { timeout: 120_000 }, (program, script, flag) => {
  const { status, stdout, stderr } = called(program, flag);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(new RegExp(`^usage: npm run ${script}`));
});
