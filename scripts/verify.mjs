// `npm run verify`: everything that `npm test` does not cover: the checks, a whole build from nothing, the slow tests, the
// end-to-end tests over separate processes, tests on another Node, the crash test, the power cut, the containers and the short
// benchmark. `--counts FILE` also writes how many passed, failed and were skipped; `--slow-report FILE` writes vitest's JSON
// report of the slow tests.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { checks, runChecks } from './checks.mjs';
import { flagsOf } from './flags.mjs';
import { resultOf, SKIPPED_CODE } from './long-script.mjs';
import { capture, root, runToEnd } from './processes.mjs';
import { withTimeLimit } from './time-limit.mjs';

const values = flagsOf('usage: npm run verify -- [--counts FILE] [--slow-report FILE]', {
  counts: { type: 'string' },
  'slow-report': { type: 'string' },
});

/**
 * Scripts that take long and show their own progress, run one after the other, and how many minutes each may take: about
 * four times what it takes on two cores: a slow machine takes twice as long. What takes longer hangs.
 */
const LONG_SCRIPTS = {
  'test:slow': 45,
  'test:web': 30,
  'test:services': 40,
  'test:other-node': 15,
  'test:crash': 30,
  'test:power-cut': 15,
  'test:compose': 30,
  'bench:short': 10,
};

await runScript(async () => {
  await bootstrap({ building: false });
  const counts = await runChecks([...checks, { name: 'build', check: build }]);
  for (const [name, minutes] of Object.entries(LONG_SCRIPTS)) counts[await runLong(name, minutes)] += 1;
  const { passed, failed, skipped } = counts;
  if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts));
  console.log(`verify: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
});

/** The compiler decides itself what is out of date; the stamps of the bootstrap are not trusted here. */
function build() {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  return capture(process.execPath, [compiler, '-b', 'tsconfig.build.json']);
}

async function runLong(name, minutes) {
  console.log(`run   ${name}`);
  const env = { STOPGO_SKIPPED_CODE: String(SKIPPED_CODE) };
  const began = Date.now();
  const args = ['run', '--silent', name, ...reporting(name)];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const code = await withTimeLimit(minutes, (started) => runToEnd(npm, args, { env, started }));
  const time = `${((Date.now() - began) / 1_000).toFixed(0)} s`;
  const result = resultOf(code, process.env.CI === 'true');
  if (result === 'passed') console.log(`ok    ${name} (${time})`);
  else if (result === 'skipped') console.log(`skip  ${name}: see above`);
  else if (code === SKIPPED_CODE)
    console.log(`FAIL  ${name}: it cannot run here (see above), and with CI=true it has to`);
  else console.log(`FAIL  ${name} (${time}, exit code ${code})`);
  return result;
}

/** Further arguments of a script: where the slow tests are to write their report. */
function reporting(name) {
  const file = values['slow-report'];
  if (name !== 'test:slow' || file === undefined) return [];
  return ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
}
