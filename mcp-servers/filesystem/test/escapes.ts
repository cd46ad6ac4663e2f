// What must never happen, whatever the tree and the call: anything outside of the roots is read, written, removed or named.
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { listedTools, type ToolName } from '../src/tool-names.ts';
import type { Sandbox } from './sandbox.ts';

/** Folders beside the roots. One begins with the name of a root, which a careless comparison takes for that root. */
export const OUTSIDE = ['outside', 'inside-not'] as const;
const ROOTS = ['inside', 'other'] as const;

/** In every file outside, and nowhere else. */
const SECRET = 'SECRET';
/** How the names of what is outside begin; in the roots nothing has such a name. */
const HIDDEN = 'hidden';
/** Files outside have this size, and changed last in this year; nothing in the roots is like that. */
const SECRET_SIZE = 7_777;
const LONG_AGO = new Date('1999-09-09T09:09:09Z');
const SECRET_CONTENT = SECRET.padEnd(SECRET_SIZE, '.');
const HASHES = ['md5', 'sha1', 'sha256'].map((name) => createHash(name).update(SECRET_CONTENT).digest('hex'));

/** The names that trees and calls are made of: few, so that they meet. Some lie outside too. */
const name = fc.constantFrom('a', 'b', 'c', 'd');

export function makeOutside({ host }: Sandbox): void {
  for (const folder of OUTSIDE) {
    for (const below of ['', 'a', 'b', `${HIDDEN}-folder`]) {
      mkdirSync(join(host, folder, below), { recursive: true });
      for (const file of ['c', 'd', `${HIDDEN}-file`]) {
        const path = join(host, folder, below, file);
        writeFileSync(path, SECRET_CONTENT);
        utimesSync(path, LONG_AGO, LONG_AGO);
      }
    }
  }
}

interface Made {
  readonly at: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** Of a link. */
  readonly to: string;
}

/** Where links lead; `<host>` stands for the folder that holds the roots. */
const leadsTo = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('<host>/', '../', '../../'),
        fc.constantFrom(...OUTSIDE),
        fc.constantFrom('', '/a', '/c', '/d'),
      )
      .map((parts) => parts.join('')),
  },
  fc
    .array(fc.oneof(name, fc.constantFrom('..', '.', '..', ...OUTSIDE, ...ROOTS)), { minLength: 1, maxLength: 5 })
    .map((names) => names.join('/')),
  fc
    .array(name, { maxLength: 2 })
    .chain((names) =>
      fc
        .constantFrom(...OUTSIDE, ...ROOTS, 'inside/../outside', 'nothing')
        .map((folder) => ['<host>', folder, ...names].join('/')),
    ),
  fc.constantFrom(
    '/',
    '/proc/self/root',
    '/proc/self/cwd',
    '<host>',
    '..',
    '../..',
    '.',
    'a/../../outside/c',
    '<host>/inside/',
  ),
);

const place = fc
  .tuple(fc.constantFrom(...ROOTS), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([root, names]) => [root, ...names].join('/'));

/** A tree of the roots: files, folders and links, some into chains, loops, nothing or the outside. */
export const tree: fc.Arbitrary<readonly Made[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ at: place, kind: fc.constant('file' as const), to: fc.constant('') }) },
    { weight: 1, arbitrary: fc.record({ at: place, kind: fc.constant('folder' as const), to: fc.constant('') }) },
    { weight: 3, arbitrary: fc.record({ at: place, kind: fc.constant('link' as const), to: leadsTo }) },
  ),
  { maxLength: 16 },
);

/** Where nothing else was made, so that calls find something to do. */
const ALWAYS: readonly Made[] = ['inside/c', 'other/c', 'inside/a/c', 'other/a/c'].map((at) => ({
  at,
  kind: 'file',
  to: '',
}));

/** Makes what can be made of it: what would go through a link or a file is left out. */
export function grow({ host }: Sandbox, made: readonly Made[]): void {
  for (const each of [...made, ...ALWAYS]) {
    const names = each.at.split('/');
    if (names.slice(0, -1).some((_, index) => !isFolderOrNothing(join(host, ...names.slice(0, index + 1))))) continue;
    const path = join(host, each.at);
    mkdirSync(join(path, '..'), { recursive: true });
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    if (each.kind === 'folder') mkdirSync(path);
    else if (each.kind === 'file') writeFileSync(path, 'one\ntwo\n');
    else symlinkSync(each.to.replace('<host>', host), path);
  }
}

function isFolderOrNothing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

const path = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'c', 'a/c') },
  { weight: 6, arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(name, fc.constantFrom('..', '.', '', ...OUTSIDE, ...ROOTS)), { minLength: 1, maxLength: 6 })
      .map((names) => names.join('/')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '.',
      '',
      '/',
      '..',
      '/etc/passwd',
      '<host>/outside/c',
      '<host>/inside/a',
      'a\0b',
      '..%2f..%2foutside',
      '..\\outside',
      '~',
      'a/../../outside/c',
    ),
  },
);

const PATCH = '@@ -1,2 +1,2 @@\n-one\n+eins\n two';

/** A call of any tool that does something where it can. */
export const anyCall: fc.Arbitrary<{ readonly tool: ToolName; readonly given: Record<string, unknown> }> = fc
  .record({
    tool: fc.constantFrom(...listedTools),
    root: fc.constantFrom(...ROOTS),
    path,
    toRoot: fc.constantFrom(...ROOTS),
    to: path,
    choice: fc.nat(5),
  })
  .map(({ tool, root, path, toRoot, to, choice }) => ({
    tool,
    given: argumentsOf(tool, { root, path, toRoot, to, choice }),
  }));

interface Drawn {
  readonly root: string;
  readonly path: string;
  readonly toRoot: string;
  readonly to: string;
  readonly choice: number;
}

function argumentsOf(tool: ToolName, { root, path, toRoot, to, choice }: Drawn): Record<string, unknown> {
  const pick = (...all: readonly object[]): object => all[choice % all.length] ?? {};
  const at = { root, path };
  switch (tool) {
    case 'copy':
    case 'move':
      return { source_root: root, source_path: path, dest_root: toRoot, dest_path: to };
    case 'write_file':
      return { ...at, content: 'written', ...pick({}, { mode: 'append' }, { mode: 'create_only' }) };
    case 'patch_file':
      return { ...at, patch: choice % 2 === 0 ? PATCH : '@@ -0,0 +1 @@\n+new' };
    case 'hash_file':
      return { ...at, ...pick({ algorithm: 'md5' }, { algorithm: 'sha1' }, { algorithm: 'sha256' }) };
    case 'read_file':
      return { ...at, ...pick({}, { offset_bytes: 0 }, { limit_lines: 3 }) };
    case 'grep':
      return { ...at, pattern: '.', ...pick({}, { context_lines: 1 }, { glob_filter: '*' }) };
    case 'glob':
      return { ...at, ...pick({ pattern: '**' }, { pattern: '*' }, { regex: '.' }) };
    default:
      return at;
  }
}

/** Everything outside of the roots that a call could change: names, kinds, modes, contents, times, identities. */
export function outsideOf({ host }: Sandbox): string {
  const lines = [readdirSync(host).sort().join()];
  const walk = (path: string): void => {
    const stats = lstatSync(path);
    const common = [path.slice(host.length), stats.ino, stats.mode, stats.nlink, stats.uid];
    if (stats.isDirectory()) {
      lines.push([...common, stats.mtimeMs, 'folder'].join());
      for (const each of readdirSync(path).sort()) walk(join(path, each));
    } else
      lines.push(
        [...common, stats.mtimeMs, stats.isFile() ? readFileSync(path, 'utf8') === SECRET_CONTENT : 'other'].join(),
      );
  };
  for (const folder of OUTSIDE) walk(join(host, folder));
  return lines.join('\n');
}

/** Makes a call; gives its text. Fails if that, the log or the roots hold anything of the outside. */
export async function callAndCheck(box: Sandbox, tool: ToolName, template: Record<string, unknown>): Promise<string> {
  const given = Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replace('<host>', box.host) : value,
    ]),
  );
  const logged = box.log.length;
  const { text } = await box.call(tool, given);
  // What the caller said may be said back.
  const own = ['path', 'source_path', 'dest_path'].map((key) => JSON.stringify(given[key] ?? '').slice(1, -1));
  own.sort((one, other) => other.length - one.length);
  const said = [text, JSON.stringify(box.log.slice(logged))].map((each) =>
    own.filter((value) => value.length > 3).reduce((rest, value) => rest.replaceAll(value, ''), each),
  );
  for (const revealing of [SECRET, HIDDEN, String(SECRET_SIZE), '1999-', box.host, '/proc/', ...HASHES]) {
    for (const each of said) expect(each, `${tool} ${JSON.stringify(given)}`).not.toContain(revealing);
  }
  for (const root of ROOTS) expect(secretsIn(join(box.host, root)), `${tool} ${JSON.stringify(given)}`).toEqual([]);
  return text;
}

/** Files and names of the outside that came into a root. */
function secretsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(HIDDEN)) return [path];
    if (entry.isDirectory()) return secretsIn(path);
    return entry.isFile() && readFileSync(path, 'utf8').includes(SECRET) ? [path] : [];
  });
}

/** For messages: what the roots hold. */
export function drawingOf({ host }: Sandbox): string {
  const walk = (path: string): string[] =>
    readdirSync(join(host, path), { withFileTypes: true }).flatMap((entry) => {
      const at = `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) return [`${at} -> ${readlinkSync(join(host, at))}`];
      return entry.isDirectory() ? [`${at}/`, ...walk(at)] : [at];
    });
  return ROOTS.flatMap(walk).join('\n');
}
