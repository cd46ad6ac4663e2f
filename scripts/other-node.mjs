// Tests may run on another Node than this process: the containers bring one of their own, and there are newer ones.
import { spawnSync } from 'node:child_process';
import { basename, delimiter, dirname, join } from 'node:path';
import { BootstrapError } from './bootstrap.mjs';
import { root, toolEnvironment } from './processes.mjs';

/** Names the program of the Node for `npm run test:other-node`. */
export const OTHER_NODE = 'STOPGO_OTHER_NODE';

/** Names the program of the Node for `npm run test:services`. */
export const SERVICES_NODE = 'STOPGO_SERVICES_NODE';

/** What another Node is asked to print: its version and where its program is. */
const QUESTION = 'process.version + " " + process.execPath';

/**
 * The Node that an environment variable names: its program, its version, and a PATH on which it is what `node` stands for. Undefined if
 * none is named. Throws `BootstrapError` if what is named cannot be run, or is not called `node`.
 */
export async function otherNode(variable) {
  const named = process.env[variable];
  if (!named) return undefined;
  // It may be named relative to the repository, found on the PATH, or be a link: only it knows where it is.
  const { stdout } = spawnSync(named, ['-p', QUESTION], { cwd: root, env: toolEnvironment(), encoding: 'utf8' });
  const [, version, program] = /^(v\d+\.\S+) (.+)\n$/.exec(stdout ?? '') ?? [];
  if (program === undefined) throw new BootstrapError(`${variable} names no Node that runs: ${named}`);
  const expected = process.platform === 'win32' ? 'node.exe' : 'node';
  // Some tests start `node`, which would be another one.
  if (basename(program).toLowerCase() !== expected)
    throw new BootstrapError(`${variable} names ${program}, but the program has to be called ${expected}`);
  const path = [dirname(program), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  return { program, version, path };
}
