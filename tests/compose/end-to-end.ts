import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Handed } from '../e2e/composed.ts';
import type { Composition } from './composition.ts';
import { leftOutLines, selection } from './left-out.ts';
import { root } from './run.ts';

/** Longest time of one test, in milliseconds: some restart every container. */
const testMs = 600_000;
/** Lines about failed tests that an error shows. */
const failureLinesMax = 40;

/**
 * Runs the end-to-end tests on the composition, one file after the other: they share it. They leave it killed or stopped.
 *
 * @throws Error if one fails.
 */
export async function endToEnd(composition: Composition, signal: AbortSignal, say: (line: string) => void) {
  const { files, pattern } = selection();
  say('end-to-end tests that are left out here:');
  for (const line of leftOutLines()) say(`  ${line}`);
  const handed: Handed = {
    engine: composition.engineName,
    project: composition.project,
    folder: composition.shared.folder,
  };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--no-file-parallelism', `--testTimeout=${testMs}`, `--hookTimeout=${testMs}`, '-t', pattern];
  let output = '';
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, 'run', ...files, ...options], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, STOPGO_E2E_TOPOLOGY: 'compose', STOPGO_E2E_COMPOSITION: JSON.stringify(handed) },
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text);
      output += text;
    });
    // The signal must not make an error of its own here: whoever aborts says why.
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? 1));
  });
  if (code !== 0) throw new Error(`the end-to-end tests ended with exit code ${code}\n${failures(output)}`);
  say('the end-to-end tests passed');
}

/** What a run of tests says of those that failed, from its error output. */
function failures(output: string): string {
  const lines = stripVTControlCharacters(output).split('\n');
  const from = lines.findIndex((line) => /Failed (?:Tests|Suites) \d/.test(line));
  return lines
    .slice(from < 0 ? -failureLinesMax : from)
    .slice(0, failureLinesMax)
    .join('\n');
}
