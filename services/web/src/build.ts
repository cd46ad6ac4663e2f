import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Only a clone of the repository has it: what is shipped is built. */
const script = fileURLToPath(new URL('../../../scripts/build-web.mjs', import.meta.url));

/**
 * In a clone, builds the app where its sources have changed since it was built; elsewhere nothing is to be done. `env`: what the build is started
 * with, and everybody of this machine's user can read. Gives what went wrong, in words; undefined if all is well.
 */
export function buildWhereNeeded(signal: AbortSignal, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!existsSync(script)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'ignore', 'pipe'], signal });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    child.once('error', (error) => resolve(signal.aborted ? undefined : error.message));
    child.once('close', (code) =>
      resolve(code === 0 || signal.aborted ? undefined : said.trim() || `exit code ${code}`),
    );
  });
}
