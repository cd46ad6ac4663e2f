// `npm start` is two processes: npm, which users and supervisors signal, and this script. npm forwards SIGINT and SIGTERM to the
// shell in which it runs the script. `exec` in package.json replaces that shell by the script, because a shell would not forward
// them. npm cannot forward SIGKILL, and sends nothing when it crashes, so the script watches whether npm is still its parent.
// `npx stopgo start` has a shell between, which ends with the signal and tells nobody: that is watched, too.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Time between two looks at the parent process, in milliseconds. */
const LOOK_MS = 500;

/** Sends this process SIGTERM once the npm that started it has gone. Does nothing in a process that neither `npm start` nor npx started. */
export function endWithNpm(env = process.env, lookMs = LOOK_MS) {
  const isNpmStart = env.npm_lifecycle_event === 'start' && env.npm_package_json === join(root, 'package.json');
  if (!isNpmStart && env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs);
  timer.unref();
}
