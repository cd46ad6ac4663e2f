import { type ChildProcess, spawn } from 'node:child_process';
import { harmlessOf, only } from '../parts/harmless-environment.ts';

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
