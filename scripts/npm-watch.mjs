// `npm start` is two processes: npm, which users and supervisors signal, and this script. npm forwards SIGINT and SIGTERM to the
// shell in which it runs the script. `exec` in package.json replaces that shell by the script, because a shell would not forward
// them. npm cannot forward SIGKILL, and sends nothing when it crashes, so the script watches whether npm is still its parent.
import { join } from 'node:path';
import { root } from './processes.mjs';

/** Time between two looks at the parent process, in milliseconds. */
const LOOK_MS = 500;

/** Sends this process SIGTERM once the npm that started it has gone. Does nothing in a process that `npm start` did not start. */
export function endWithNpm(env = process.env, lookMs = LOOK_MS) {
  if (env.npm_lifecycle_event !== 'start' || env.npm_package_json !== join(root, 'package.json')) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs);
  timer.unref();
}
