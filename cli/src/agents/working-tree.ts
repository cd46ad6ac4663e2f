import { closeSync, existsSync, lstatSync, opendirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  type AgentReading,
  type Candidate,
  gatherAgents,
  nameOfPath,
  type Problem,
  readAgentFile,
} from '@stopgo/agent-files';
import { messageOf } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';

/** Entries of folders that are looked at, and levels of folders; what is beyond is told of and not read. */
const entriesMax = 200_000;
const levelsMax = 64;
/** The most that is read of one file, in bytes; larger than any that is used. */
const readBytesMax = 512 * 1024;
/** Hidden folders that other programs keep agents in. */
const agentFolders: readonly string[] = ['.claude', '.github'];

/** A file of a working tree that is an agent, or would be one if it could be read. */
export type TreeFile = Candidate & { readonly reading: AgentReading };

/** The agents of a working tree. Paths are from its root, with `/`. */
export type WorkingTree = {
  readonly root: string;
  readonly agents: ReadonlyMap<string, TreeFile>;
  /** In the order of paths. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
};

/**
 * The folder that the names of agents begin at: the repository that a path is in, without asking git, else the path itself if it is a folder,
 * else the folder that the command runs in, or that of the file.
 */
export function rootOf(path: string): string {
  const { real, isFolder } = placeOf(path);
  const folder = isFolder ? real : dirname(real);
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) break;
  }
  const here = realpathSync('.');
  return !isFolder && isBelow(folder, here) ? here : folder;
}

/** The folder of this name. @throws Error if there is none. */
export function namedRoot(path: string): string {
  const { real, isFolder } = placeOf(path);
  if (!isFolder) throw new Error(`${oneLine(path)} is a file; name the folder that the names of agents begin at`);
  return real;
}

/** A path inside a tree as whoever runs the command would write it. */
export function shownPath(root: string, path: string): string {
  const absolute = join(root, path);
  const from = relative(realpathSync('.'), absolute);
  if (from === '') return '.';
  return from === '..' || from.startsWith(`..${sep}`) ? absolute : from;
}

/** Where a path leads: through links, but for a link to a file, which is not followed. @throws Error if nothing is there. */
function placeOf(path: string): { readonly real: string; readonly isFolder: boolean } {
  const absolute = resolve(path);
  if (lstatSync(absolute, { throwIfNoEntry: false }) === undefined)
    throw new Error(`there is no file or folder ${oneLine(path)}; is the path right?`);
  const isFolder = statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    isFolder,
    real: isFolder ? realpathSync(absolute) : join(realpathSync(dirname(absolute)), basename(absolute)),
  };
}

const isBelow = (path: string, folder: string): boolean =>
  `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** Reads the agents in these files and folders, which are below `root`. @throws Error if one of the paths is not there, or elsewhere. */
export function readTree(root: string, paths: readonly string[]): WorkingTree {
  const files: TreeFile[] = [];
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const path of new Set(paths.flatMap((one) => [...filesIn(root, one, problems)]))) {
    const at = nameOfPath(path);
    if (at.kind === 'none') continue;
    const reading = readFile(root, path);
    problems.push(...reading.problems);
    warnings.push(...reading.warnings);
    if (at.kind === 'agent' && (reading.agent !== undefined || reading.problems.length > 0))
      files.push({ path, place: at.place, reading });
  }
  const gathered = gatherAgents(files);
  const inOrder = (all: readonly Problem[]) => all.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return {
    root,
    agents: gathered.agents,
    problems: inOrder([...problems, ...gathered.problems]),
    warnings: inOrder([...warnings, ...gathered.warnings]),
  };
}

function readFile(root: string, path: string): AgentReading {
  const refused = (message: string): AgentReading => ({
    problems: [{ path, line: 1, column: 1, message, kind: 'path' }],
    warnings: [],
  });
  const file = join(root, path);
  try {
    const found = lstatSync(file);
    const at = nameOfPath(path);
    const isCertain = at.kind === 'agent' && at.place.isCertain;
    if (!found.isFile())
      return isCertain
        ? refused(
            `it is ${found.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'no file'}; put the file itself here`,
          )
        : { problems: [], warnings: [] };
    const text = beginningOf(file);
    return text === undefined
      ? refused('the file is no text in UTF-8')
      : readAgentFile({ path, text, bytes: found.size });
  } catch (error) {
    return refused(`it cannot be read: ${messageOf(error)}`);
  }
}

/** The text of a file as far as it is read; undefined if it is none. */
function beginningOf(file: string): string | undefined {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(readBytesMax);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(opened, bytes, length, bytes.length - length, null);
    // What is cut off may end in the midst of a character; it is refused for its size.
    return new TextDecoder('utf-8', { fatal: length < bytes.length }).decode(bytes.subarray(0, length));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  } finally {
    closeSync(opened);
  }
}

/** The files at a path, from the root. What lies below symbolic links, or in hidden folders of other programs, is not looked at. */
function* filesIn(root: string, path: string, problems: Problem[]): Generator<string> {
  const { real, isFolder } = placeOf(path);
  if (!isBelow(real, root))
    throw new Error(`${oneLine(path)} is not below ${oneLine(root)}; name another folder with --in`);
  const folders = relative(root, real).split(sep);
  if (!isFolder) yield folders.join('/');
  else yield* below(root, real === root ? [] : folders, { left: entriesMax }, problems);
}

function* below(
  root: string,
  folders: readonly string[],
  entries: { left: number },
  problems: Problem[],
): Generator<string> {
  const path = folders.join('/');
  const refused = (message: string): void =>
    void problems.push({ path: path === '' ? '.' : path, line: 1, column: 1, message, kind: 'path' });
  if (folders.length > levelsMax)
    return refused(`it is more than ${levelsMax} folders deep; what is in it is not read`);
  const inside: string[] = [];
  try {
    const opened = opendirSync(join(root, path));
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        entries.left -= 1;
        if (entries.left === 0) refused(`there are more than ${entriesMax} files; the others are not read`);
        if (entries.left <= 0) break;
        if (entry.isDirectory()) {
          if (isLookedAt(entry.name, folders)) inside.push(entry.name);
        } else if (entry.name.endsWith('.md')) yield [...folders, entry.name].join('/');
      }
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    return refused(`it cannot be read: ${messageOf(error)}`);
  }
  for (const name of inside.sort()) yield* below(root, [...folders, name], entries, problems);
}

function isLookedAt(name: string, folders: readonly string[]): boolean {
  if (name === 'node_modules') return false;
  // Of the hidden ones only the folder of agents holds agents.
  if (agentFolders.includes(folders.at(-1) ?? '')) return name === 'agents';
  return !name.startsWith('.') || agentFolders.includes(name);
}
