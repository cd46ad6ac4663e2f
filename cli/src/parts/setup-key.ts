import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueSetupKey } from '@stopgo/approvals';
import { type AgentConfig, type Logger, messageOf } from '@stopgo/runtime';
import { peopleDependencies } from './approvals.ts';

const ownerOnly = 0o600;

/** The file of a data directory that the key for the first user is in. */
export const setupKeyIn = (dataDir: string): string => join(dataDir, 'setup-key');

/**
 * Sees to it that a platform on which people have to sign in, and on which nobody is SUPER_ADMIN yet, has a key to make the first one with: in a file
 * of the data directory, which the log names. Nothing where nobody has to.
 */
export async function setUpFirstUser(
  config: Pick<AgentConfig, 'auth' | 'dataDir'>,
  store: Parameters<typeof peopleDependencies>[1],
  instance: string,
  logger: Logger,
): Promise<void> {
  if (config.auth === undefined) return;
  const path = setupKeyIn(config.dataDir);
  try {
    const { needed, only } = await issueSetupKey(peopleDependencies(instance, store), keyFile(config.dataDir, path));
    if (!needed) return;
    logger.info(
      only === undefined
        ? `nobody has signed in as SUPER_ADMIN yet: make the first one with the API key in ${path} (POST /users), or with \`stopgo users create\``
        : `${only} is SUPER_ADMIN and has not signed in yet: sign in as them; if their API key is lost, make another one with the one in ${path} (POST /users with that e-mail address)`,
    );
  } catch (error) {
    logger.warn('the key for the first user could not be made; use `stopgo users create`', { error: messageOf(error) });
  }
}

const keyFile = (folder: string, path: string) => ({
  read: () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined),
  write: (text: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const unfinished = `${path}.new`;
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, `${text}\n`, { mode: ownerOnly, flush: true });
    renameSync(unfinished, path);
  },
  remove: () => rmSync(path, { force: true }),
});
