import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { AgentConfig, Logger, Started } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { buildWhereNeeded, loadWebConfig, startWeb, type WebConfig } from '@stopgo/web';
import { harmlessOf, only } from '../parts/harmless-environment.ts';
import { defaultWebConfigPath } from './start-config.ts';

/** The configuration of a web app that is started with its platform: as its file says, and on this machine alone without one. */
export function webConfigBeside(platform: string): WebConfig {
  const beside = existsSync(defaultWebConfigPath)
    ? loadWebConfig(defaultWebConfigPath, (path) => readFileSync(path, 'utf8'))
    : { host: '127.0.0.1', port: 3000, allowedHosts: [] };
  return { ...beside, agentUrl: platform };
}

/** Where this machine reaches a platform that may listen on every address. */
export function addressHere(address: string, { host }: Pick<AgentConfig, 'host'>): string {
  const url = new URL(address);
  if (!isLoopback(host) && ['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1';
  return url.origin;
}

/** Starts the web app. In a clone it is built meanwhile, where it is not yet: until then a page says so. */
export async function startWebHere(config: WebConfig, log: Logger, options: { nextPort: boolean }): Promise<Started> {
  const web = await startWeb({ config, log, ...options });
  const ending = new AbortController();
  const building = buildWhereNeeded(ending.signal, harmlessOf(process.env)).then((problem) => {
    if (problem === undefined) web.refresh();
    else log.error('the web app could not be built', { error: problem });
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

/** What a browser is found and shown by. */
const ofDesktop =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|SystemRoot|windir|USERPROFILE|APPDATA|LOCALAPPDATA)$/i;

/** Opens an address in the browser of whoever sits here; nothing happens where there is none. It is given no credentials of `env`. */
export function openInBrowser(url: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): void {
  const [command, ...args] =
    platform === 'darwin' ? ['open', url] : platform === 'win32' ? ['explorer', url] : ['xdg-open', url];
  const child: ChildProcess = spawn(command as string, args, {
    env: { ...harmlessOf(env), ...only(env, [ofDesktop]) },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => undefined);
  child.unref();
}
