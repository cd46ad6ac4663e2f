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
