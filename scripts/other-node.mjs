// Tests may run on another Node than this process: the containers bring one of their own.
import { delimiter, dirname, join } from 'node:path';
import { BootstrapError } from './bootstrap.mjs';
import { capture, root } from './processes.mjs';

/** Names the program of another Node. */
export const OTHER_NODE = 'STOPGO_OTHER_NODE';

/**
 * The other Node: its program, its version, and a PATH on which it comes first. Undefined if none is named. Throws `BootstrapError` if
 * what is named cannot be run.
 */
export async function otherNode() {
  const program = process.env[OTHER_NODE];
  if (!program) return undefined;
  const { code, output } = await capture(program, ['--version']);
  const version = output.trim().split('\n', 1)[0];
  if (code !== 0 || !/^v\d+\./.test(version))
    throw new BootstrapError(`${OTHER_NODE} names no Node that runs: ${version}`);
  const path = [dirname(program), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  return { program, version, path };
}
