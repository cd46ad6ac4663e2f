import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gitAddress } from '@stopgo/security';
import { GitFailure } from './git-failure.ts';

/** A repository elsewhere that git may reach, by an address that was checked. */
export type Remote = {
  /** What git is given. It begins with no dash and holds no credentials. */
  readonly url: string;
  /** The one protocol that git may use for it. */
  readonly protocol: 'https' | 'http' | 'ssh' | 'file';
  /** The only address at which its host is reached; absent: git looks its name up. */
  readonly address?: string;
};

const branchCharactersMax = 200;
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u;

/**
 * Checks the address of a repository, and that a folder is at or below one of `folders`, symbolic links resolved.
 *
 * @param folders absolute paths.
 * @throws GitFailure `refused`: what is wrong with it.
 */
export function remoteOf(url: string, folders: readonly string[]): Remote {
  const address = gitAddress(url);
  switch (address.kind) {
    case 'refused':
      throw refused(`git_url ${address.why}`);
    case 'folder':
      return folderRemote(address.path, folders);
    case 'remote':
      return { url: address.url, protocol: address.protocol };
  }
}

function folderRemote(path: string, folders: readonly string[]): Remote {
  const real = realPath(path);
  if (real === undefined) throw new GitFailure('no_repository', `git_url names the folder ${path}, which is not there`);
  const isBelow = folders.some((folder) => {
    const base = realPath(folder);
    return base !== undefined && (real === base || real.startsWith(base.endsWith(sep) ? base : base + sep));
  });
  if (!isBelow)
    throw refused(
      `git_url names the folder ${path}, which is below none of agent_folders; name it there, or a folder above it`,
    );
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
