import { existsSync, readFileSync } from 'node:fs';
import type { AgentConfig, Logger, Redactor, Started } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { buildWhereNeeded, type Login, loadWebConfig, loginOf, startWeb, type WebConfig } from '@stopgo/web';
import { harmlessOf } from '../parts/harmless-environment.ts';
import { defaultWebConfigPath } from './start-config.ts';

/** A web app as it is to be started: its configuration, and the secrets of its login. */
export type WebApp = { readonly config: WebConfig; readonly login: Login | undefined };

/** The web app of a file. @throws Error with a line for each problem of the file, or of the secrets that it names. */
export function webAppOf(path: string, env: NodeJS.ProcessEnv, redactor: Redactor): WebApp {
  const config = loadWebConfig(path, (file) => readFileSync(file, 'utf8'));
  const login = config.login === undefined ? undefined : loginOf(config.login, env, path);
  for (const secret of login?.secrets ?? []) redactor.registerSecret(secret);
  return { config, login };
}

/**
 * The web app that is started with its platform: as its file says, and on this machine alone without one.
 *
 * @throws Error as {@link webAppOf}, and if people are to sign in to a platform where nobody does.
 */
export function webAppBeside({ auth }: Pick<AgentConfig, 'auth'>, env: NodeJS.ProcessEnv, redactor: Redactor): WebApp {
  const path = defaultWebConfigPath;
  if (!existsSync(path))
    return { config: { agentUrl: '', host: '127.0.0.1', port: 3000, allowedHosts: [] }, login: undefined };
  const app = webAppOf(path, env, redactor);
  if (app.login !== undefined && auth?.jwt === undefined)
    throw new Error(
      `${path}: login has people sign in with tokens, and the platform takes none: set auth.jwt in its configuration (docs/people.md#signing-in-with-the-app)`,
    );
  return app;
}

/** Where this machine reaches a platform that may listen on every address. */
export function addressHere(address: string, { host }: Pick<AgentConfig, 'host'>): string {
  const url = new URL(address);
  if (!isLoopback(host) && ['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1';
  return url.origin;
}

/** Starts the web app. In a clone it is built meanwhile, where it is not yet: until then a page says so. */
export async function startWebHere(
  { config, login }: WebApp,
  log: Logger,
  options: { readonly nextPort: boolean },
): Promise<Started> {
  // A provider leads back to one address, and to no other.
  const web = await startWeb({ config, login, log, nextPort: options.nextPort && login === undefined });
  const ending = new AbortController();
  const building = buildWhereNeeded(ending.signal, harmlessOf(process.env)).then((problem) => {
    if (problem === undefined) return web.refresh();
    log.error('the web app could not be built', { error: problem });
    web.buildFailed(problem);
  });
  return {
    address: web.address,
    stop: async () => {
      ending.abort();
      await building;
      await web.stop();
    },
  };
}
