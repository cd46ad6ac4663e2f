// `npm start` is two processes: npm, which users and supervisors know, and the script. npm passes SIGINT and SIGTERM on to the
// shell that it runs the script with; that shell is replaced by the script (`exec` in package.json), or it would end without
// passing them on. Whatever ends npm without asking it (SIGKILL, the memory running out) is noticed here.
import { join } from 'node:path';
import { root } from './processes.mjs';

/** How often it is looked whether npm is still there, in milliseconds. */
const LOOK_MS = 500;

/** Ends this process as SIGTERM does once the npm that runs it has gone. Does nothing in a process that npm did not start. */
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
