import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { McpSandbox } from '@stopgo/runtime';
import { NotAllowed } from '../failures.ts';

/** A program and its arguments. */
type Command = { readonly command: string; readonly args: readonly string[] };

/** Where a sandbox is made. */
export type Surroundings = {
  /** Of the child: its `HOME` and `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folders and files that no tool server may see, whatever is named: the platform's own data, and its keys. */
  readonly hidden: readonly string[];
};

/** Programs and libraries of the system. `/opt` is none: whole products lie there, with their configuration. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'];

/** What programs read to find names, certificates and the time. Of the rest of /etc a tool server sees nothing. */
const systemFiles = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'group', 'hosts', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'passwd', 'pki', 'resolv.conf', 'ssl'],
].map((name) => `/etc/${name}`);

/** Own process, network, user and other namespaces; it ends with us. */
const ownWorld = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'];

/** In place of an option of bubblewrap: a file that shows nothing. */
const nothingAt = 'nothing';

/** How long it may take to see whether a sandbox can be made here, in milliseconds. */
const probeMs = 10_000;

/**
 * The command that runs a tool server in a sandbox (bubblewrap): it sees no other process, of the file system the programs of the system
 * and the folders that are named, and of the network none, unless that is allowed. Everything else that it writes is in memory and gone
 * with it.
 *
 * @throws NotAllowed in one line if a folder is not there, or is one that it must not see.
 */
export function sandboxed({ command, args }: Command, sandbox: McpSandbox, around: Surroundings): Command {
  const named = [
    ...sandbox.folders.map((path) => ({ flag: '--ro-bind', path: absolute(path, around) })),
    ...sandbox.writeFolders.map((path) => ({ flag: '--bind', path: absolute(path, around) })),
  ];
  for (const { path } of named) {
    const problem = folderProblem(path, around);
    if (problem !== undefined) throw new NotAllowed(problem.text);
  }
  const hidden = hiddenIn(around);
  const shown = [...named.map(({ path }) => path), ...systemFolders];
  const masked = shown.flatMap((path) =>
    hidden
      .filter((one) => existsSync(one) && isWithin(one, real(path)))
      // A link shows what lies below it under its own name.
      .map((one) => ({
        flag: statSync(one).isDirectory() ? '--tmpfs' : nothingAt,
        path: join(path, relative(real(path), one)),
      })),
  );
  // What lies deeper is put over what lies above it.
  const mounts = [...named, ...masked].sort((one, other) => depth(one.path) - depth(other.path));
  const home = around.env.HOME;
  return {
    command: 'bwrap',
    args: [
      ...ownWorld,
      ...(sandbox.network === 'all' ? ['--share-net'] : []),
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...(home === undefined || !isAbsolute(home) ? [] : ['--dir', home]),
      ...systemFolders.flatMap(systemMount),
      ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),
      ...programMount(command, around),
      ...mounts.flatMap(({ flag, path }) => {
        if (flag === nothingAt) return ['--ro-bind', '/dev/null', path];
        return flag === '--tmpfs' ? [flag, path] : [flag, path, path];
      }),
      ...['--dir', around.cwd, '--chdir', around.cwd, '--'],
      command.includes(sep) ? absolute(command, around) : command,
      ...args,
    ],
  };
}

/**
 * Why a tool server cannot be shown a folder, or a file; undefined if it can. What lies within a hidden folder is hidden too, however it is named.
 * `isMissing`: it is only not there yet.
 */
export function folderProblem(
  named: string,
  around: Pick<Surroundings, 'cwd' | 'hidden'>,
): { readonly text: string; readonly isMissing: boolean } | undefined {
  const path = absolute(named, around);
  const of = hiddenIn(around).find((one) => isWithin(real(path), one));
  if (of !== undefined) {
    const where = of === real(path) ? 'is' : `is in ${of},`;
    const text = `its folder ${path} ${where} where the platform keeps its own data or keys; name another one`;
    return { text, isMissing: false };
  }
  return existsSync(path) ? undefined : { text: `its folder ${path} is not there; make it`, isMissing: true };
}

const hiddenIn = (around: Pick<Surroundings, 'cwd' | 'hidden'>): string[] =>
  around.hidden.map((path) => real(absolute(path, around)));

/** A folder of the system as it is: where it is a link (`/bin` to `usr/bin`), as a link. */
function systemMount(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** The program itself, where it is none of the system's: one that its user has installed for themselves. */
function programMount(command: string, { env, cwd }: Surroundings): string[] {
  const folders = command.includes(sep) ? [cwd] : (env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => resolve(folder, command)).find(isProgram);
  if (found === undefined) return [];
  const real = realpathSync(found);
  return [...new Set([found, real])]
    .filter((path) => !systemFolders.some((folder) => isWithin(path, folder)))
    .flatMap((path) => ['--ro-bind', real, path]);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return lstatSync(realpathSync(path)).isFile();
  } catch {
    return false;
  }
}

const absolute = (path: string, { cwd }: Pick<Surroundings, 'cwd'>): string => resolve(cwd, path);
const depth = (path: string): number => (path === sep ? 0 : path.split(sep).length);
const isWithin = (path: string, folder: string): boolean => `${path}${sep}`.startsWith(join(folder, sep));

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether one has been made here: what worked once is not tried again. */
const here = { works: false };

/**
 * Makes sure that sandboxes can be made on this machine.
 *
 * @throws NotAllowed in one line that says what is missing.
 */
export function checkSandboxes(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  known: { works: boolean } = here,
): void {
  if (known.works) return;
  const wanted = 'sandbox: required cannot be had';
  if (platform !== 'linux')
    throw new NotAllowed(`${wanted}: it needs Linux; set sandbox: off, or run it in a container`);
  const system = systemFolders.flatMap(systemMount);
  const args = [...ownWorld, ...system, '--proc', '/proc', '--dev', '/dev', '--', '/bin/sh', '-c', ':'];
  const { error, status, stderr } = spawnSync('bwrap', args, { env, timeout: probeMs, encoding: 'utf8' });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new NotAllowed(`${wanted}: there is no bwrap; install the package "bubblewrap", or set sandbox: off`);
  if (error === undefined && status === 0) {
    known.works = true;
    return;
  }
  const [said = ''] = (stderr ?? '').trim().split('\n').slice(-1);
  const why = said === '' ? (error?.message ?? `bwrap ended with code ${status}`) : said;
  throw new NotAllowed(
    `${wanted}: ${why}; user namespaces must be allowed (kernel.unprivileged_userns_clone, user.max_user_namespaces, AppArmor, the container's seccomp profile), or set sandbox: off`,
  );
}
