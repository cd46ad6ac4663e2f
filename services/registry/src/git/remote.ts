import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GitFailure } from './git-failure.ts';

/** A repository elsewhere that git may reach, by an address that was checked. */
export type Remote = {
  /** What git is given. It begins with no dash and holds no credentials. */
  readonly url: string;
  /** The one protocol that git may use for it. */
  readonly protocol: 'https' | 'http' | 'ssh' | 'file';
};

const urlCharactersMax = 2_048;
const branchCharactersMax = 200;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
/** `git@github.com:company/agents.git`. A colon after one letter would be a drive of Windows. */
const scpLike = /^(?:([\w.-]+)@)?([a-z0-9][a-z0-9.-]+):(?!\/\/)([^\s:][^\s]*)$/iu;
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u;

/**
 * Checks the address of a repository. Allowed are https, ssh (also as `git@host:path`), http to this machine, and a folder or
 * `file://` address at or below one of `folders`, symbolic links resolved.
 *
 * @param folders absolute paths.
 * @throws GitFailure `refused`: what is wrong with it.
 */
export function remoteOf(url: string, folders: readonly string[]): Remote {
  if (url === '' || url.length > urlCharactersMax || unprintable.test(url))
    throw refused('git_url is empty, too long, or holds blanks or control characters');
  if (url.startsWith('-')) throw refused('git_url begins with a dash, which git would read as an option');
  if (isAbsolute(url)) return folderRemote(url, folders);
  const scheme = /^([a-z][a-z0-9+.-]*):(:|\/\/)/iu.exec(url);
  if (scheme?.[2] === ':') throw refused(`git_url names a helper program (${scheme[1]}::), which is never run`);
  if (scheme === null) return scpRemote(url);
  return urlRemote(url, folders);
}

function urlRemote(url: string, folders: readonly string[]): Remote {
  if (!URL.canParse(url)) throw refused('git_url is no valid address');
  const parsed = new URL(url);
  const { protocol, password, username, hostname } = parsed;
  if (protocol === 'file:') return folderRemote(pathOf(parsed), folders);
  if (protocol !== 'https:' && protocol !== 'ssh:' && protocol !== 'http:')
    throw refused(`git_url has the protocol ${protocol.slice(0, -1)}; use https or ssh`);
  if (password !== '' || (username !== '' && protocol !== 'ssh:'))
    throw refused('git_url holds credentials; give them by auth_type and auth_token');
  if (protocol === 'http:' && !loopback.has(hostname))
    throw refused('git_url is http, which anybody on the way can read and change; use https or ssh');
  if ([username, hostname, decoded(parsed.pathname).slice(1)].some((part) => part.startsWith('-')))
    throw refused('a part of git_url begins with a dash, which a program would read as an option');
  if (protocol === 'ssh:') return { url, protocol: 'ssh' };
  // A backslash is a slash to us and a part of a host name to git: both must read the same host.
  if (url.includes('\\')) throw refused('git_url holds a backslash; write a slash');
  return { url: parsed.href, protocol: protocol === 'https:' ? 'https' : 'http' };
}

function scpRemote(url: string): Remote {
  const [, user = '', host = '', path = ''] = scpLike.exec(url) ?? [];
  if (host === '') throw refused('git_url is none of https://…, ssh://…, git@host:path, or an absolute path');
  if ([user, path].some((part) => part.startsWith('-')))
    throw refused('a part of git_url begins with a dash, which a program would read as an option');
  return { url, protocol: 'ssh' };
}

function folderRemote(path: string, folders: readonly string[]): Remote {
  const real = realPath(path);
  if (real === undefined) throw new GitFailure('no_repository', `git_url names the folder ${path}, which is not there`);
  const isBelow = folders.some((folder) => {
    const base = realPath(folder);
    return base !== undefined && (real === base || real.startsWith(base.endsWith(sep) ? base : base + sep));
  });
  if (!isBelow) throw refused(`git_url names the folder ${path}, which is below none of agent_folders`);
  if (gitPlaces.some((place) => leadsAway(real + place)))
    throw refused(`the repository in the folder ${path} has its objects in another one; name that, or a full clone`);
  return { url: real, protocol: 'file' };
}

/** Where git looks for the repository of a folder: it goes on to the next where it finds none. */
const gitPlaces = ['/.git', '', '.git', '.git/.git'];

/** True where git would go on from there to another repository, which may be anywhere. */
function leadsAway(git: string): boolean {
  try {
    return isElsewhere(git);
  } catch (error) {
    throw refused(`the repository in ${git} cannot be looked at: ${(error as NodeJS.ErrnoException).code ?? 'error'}`);
  }
}

function isElsewhere(git: string): boolean {
  // A link, or the file that names the repository of a work tree or a submodule.
  const found = lstatSync(git, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) return true;
  // Without one git takes it for no repository: it may be a work tree, whose files are anything.
  if (lstatSync(join(git, 'HEAD'), { throwIfNoEntry: false }) === undefined) return false;
  if (existsSync(join(git, 'commondir'))) return true;
  const objects = join(git, 'objects');
  if (lstatSync(objects, { throwIfNoEntry: false })?.isFile() === true) return false;
  return (
    existsSync(join(objects, 'info', 'alternates')) ||
    [objects, join(git, 'refs')].some(isLink) ||
    [objects, join(objects, 'pack')].some(isOfLinks)
  );
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** True for a folder that holds a link. */
const isOfLinks = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw refused('git_url is a file:// address that names no folder of this machine');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Checks the name of a branch or tag by git's rules.
 *
 * @throws GitFailure `refused`.
 */
export function checkRefName(name: string): void {
  const parts = name.split('/');
  const isName =
    name !== '' &&
    name !== '@' &&
    name.length <= branchCharactersMax &&
    !unprintable.test(name) &&
    !/[~^:?*[\\]|\.\.|@\{/u.test(name) &&
    !name.endsWith('.') &&
    parts.every((part) => part !== '' && !/^[-.]|\.lock$/u.test(part));
  if (!isName) throw refused(`${JSON.stringify(name.slice(0, branchCharactersMax))} is no name of a branch or tag`);
}

/** True for a whole commit id, SHA-1 or SHA-256, in lower case. */
export const isCommitId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);

const refused = (message: string) => new GitFailure('refused', message);
