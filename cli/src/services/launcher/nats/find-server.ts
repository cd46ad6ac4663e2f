import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where a server that was unpacked for this project alone lies, from the root of the project. */
const cached = '.cache/nats/usr/sbin/nats-server';

/**
 * The nats-server of this machine: the one that `STOPGO_NATS_SERVER` names, else one on the PATH, else one in the
 * project's cache.
 *
 * @throws Error in one line that says what to install or set.
 */
export function findNatsServer(env: Variables): string {
  const named = env.STOPGO_NATS_SERVER?.trim() ?? '';
  if (named !== '') {
    if (isProgram(named)) return resolve(named);
    throw new Error(`STOPGO_NATS_SERVER: ${named} is no program that this user may run; name a nats-server`);
  }
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const root = fileURLToPath(new URL('../../../../..', import.meta.url));
  const found = [...folders.map((folder) => join(folder, 'nats-server')), join(root, cached)].find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    'no nats-server is on this machine: install one (2.10 or newer), name one with STOPGO_NATS_SERVER, or name a running one with NATS_URL',
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
