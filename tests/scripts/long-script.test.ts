import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = new URL('../../scripts/long-script.mjs', import.meta.url).href;

/** What a long script has come to that ends with 0, 1 and the code of a skip. */
function results(isRequired: boolean): unknown {
  const program = `import { resultOf, SKIPPED_CODE } from '${script}';
    console.log(JSON.stringify([0, 1, SKIPPED_CODE].map((code) => resultOf(code, ${isRequired}))));`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  return JSON.parse(stdout);
}

test('a long script that cannot run is skipped, and has failed where everything is required, as in CI', () => {
  expect(results(false)).toEqual(['passed', 'failed', 'skipped']);
  expect(results(true)).toEqual(['passed', 'failed', 'failed']);
});

test('the tests on another Node, of which there is none, are skipped, and fail with CI=true', () => {
  const program = fileURLToPath(new URL('../../scripts/test-other-node.mjs', import.meta.url));
  const { STOPGO_OTHER_NODE: _, CI: __, ...env } = process.env;
  const run = (more: Readonly<Record<string, string>>) => {
    const { status, stdout } = spawnSync(process.execPath, [program], { env: { ...env, ...more }, encoding: 'utf8' });
    return [status, stdout];
  };
  expect(run({ STOPGO_SKIPPED_CODE: '77' })).toEqual([77, expect.stringMatching(/^skipped: /)]);
  expect(run({ STOPGO_SKIPPED_CODE: '77', CI: 'true' })).toEqual([1, expect.stringMatching(/^cannot run: /)]);
});
