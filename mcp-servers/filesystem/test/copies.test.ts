import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCalls } from '../src/calls.ts';
import { type Folder, OpenFolders } from '../src/folder.ts';
import { openRoots } from '../src/roots.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
const host = (path: string) => join(box.host, path);
const put = (path: string, content: string) => writeFileSync(host(path), content);
const read = (path: string) => readFileSync(host(path), 'utf8');
/** `a/b` is the path `b` in the root `a`. */
const fromTo = (from: string, to: string) => {
  const [source_root, ...source] = from.split('/');
  const [dest_root, ...destination] = to.split('/');
  return { source_root, source_path: source.join('/'), dest_root, dest_path: destination.join('/') };
};

beforeEach(() => {
  box = sandbox({ roots: { one: ['*'], two: ['*'] } });
});
afterEach(() => box.remove());

describe('copy', () => {
  test('a file over another, with its mode, in one root or between two', async () => {
    put('one/f', 'content');
    chmodSync(host('one/f'), 0o750);
    put('two/g', 'old');
    expect(await box.answer('copy', fromTo('one/f', 'two/g'))).toEqual({
      source: 'f',
      destination: 'g',
      is_directory: false,
      size: 7,
    });
    expect([read('two/g'), statSync(host('two/g')).mode & 0o777]).toEqual(['content', 0o750]);
    await box.answer('copy', fromTo('one/f', 'one/new/deep/h'));
    expect([read('one/new/deep/h'), read('one/f')]).toEqual(['content', 'content']);
    await box.answer('copy', fromTo('one/f', 'one/new'));
    expect(read('one/new/f')).toBe('content');
  });

  test('a folder with links to files of the root, without others', async () => {
    mkdirSync(host('one/d/e'), { recursive: true });
    put('one/d/e/f', 'deep');
    put('secret', 'secret');
    put('one/elsewhere', 'elsewhere');
    symlinkSync('../elsewhere', host('one/d/to-file'));
    symlinkSync('e', host('one/d/to-folder'));
    symlinkSync(host('secret'), host('one/d/to-outside'));
    symlinkSync('nothing', host('one/d/to-nothing'));
    const copied = { source: 'd', destination: 'd2', is_directory: true, skipped: 3 };
    expect(await box.answer('copy', fromTo('one/d', 'two/d2'))).toEqual(copied);
    expect(readdirSync(host('two/d2'), { recursive: true }).sort()).toEqual(['e', 'e/f', 'to-file']);
    expect([read('two/d2/to-file'), read('two/d2/e/f')]).toEqual(['elsewhere', 'deep']);
    expect(lstatSync(host('two/d2/to-file')).isFile()).toBe(true);
  });

  test('into a folder that is there goes the copy under its own name; of a root what is in it', async () => {
    mkdirSync(host('one/d'));
    put('one/d/f', 'new');
    mkdirSync(host('two/there/d'), { recursive: true });
    put('two/there/d/f', 'old');
    put('two/there/d/other', 'kept');
    await box.answer('copy', fromTo('one/d', 'two/there'));
    expect([read('two/there/d/f'), read('two/there/d/other')]).toEqual(['new', 'kept']);
    // A name that begins like another is not below it.
    await box.answer('copy', fromTo('one/d', 'one/d2'));
    expect(read('one/d2/f')).toBe('new');
    await box.answer('copy', fromTo('one/.', 'two/whole'));
    await box.answer('copy', fromTo('one/.', 'two/.'));
    expect([read('two/whole/d/f'), read('two/d/f')]).toEqual(['new', 'new']);
  });

  test('not into itself, not over a file, and only what is there', async () => {
    mkdirSync(host('one/d/e'), { recursive: true });
    symlinkSync('d', host('one/link'));
    put('one/f', 'x');
    for (const to of ['one/d', 'one/d/e', 'one/d/e/new/er', 'one/link/e']) {
      expect(await box.refusal('copy', fromTo('one/d', to)), to).toMatch(
        /^cannot copy or move a folder into itself: /u,
      );
    }
    expect(await box.refusal('copy', fromTo('one/.', 'one/d'))).toBe('cannot copy or move a folder into itself: d');
    expect(await box.refusal('copy', fromTo('one/d', 'one/f'))).toBe('destination exists as a file: f');
    expect(await box.refusal('copy', fromTo('one/none', 'two/x'))).toBe('source file not found');
    expect([readdirSync(host('one')), readdirSync(host('one/d')), readdirSync(host('one/d/e'))]).toEqual([
      ['d', 'f', 'link'],
      ['e'],
      [],
    ]);
  });
});

describe('move', () => {
  test('a name that is only written otherwise, where the file system takes no notice of that', async () => {
    box.remove();
    // It finds every name in small letters, whatever the caller writes, as the systems of other makers do.
    class Careless extends OpenFolders {
      override at(folder: Folder, name: string): string {
        return super.at(folder, name.toLowerCase());
      }
    }
    box = sandbox({ roots: { one: ['*'] }, openFolders: () => new Careless() });
    put('one/notes', 'content');
    await box.answer('move', fromTo('one/notes', 'one/Notes'));
    expect(read('one/notes')).toBe('content');
  });

  test('files, folders and links, in one root or between two', async () => {
    mkdirSync(host('one/d'));
    put('one/d/f', 'content');
    symlinkSync('f', host('one/d/link'));
    expect(await box.answer('move', fromTo('one/d', 'two/new/d2'))).toEqual({ source: 'd', destination: 'new/d2' });
    expect([read('two/new/d2/f'), readlinkSync(host('two/new/d2/link'))]).toEqual(['content', 'f']);
    await box.answer('move', fromTo('two/new/d2/link', 'two/moved-link'));
    put('two/g', 'old');
    await box.answer('move', fromTo('two/new/d2/f', 'two/g'));
    expect([read('two/g'), readlinkSync(host('two/moved-link'))]).toEqual(['content', 'f']);
    await box.answer('move', fromTo('two/g', 'two/new'));
    expect(readdirSync(host('two'), { recursive: true }).sort()).toEqual(['moved-link', 'new', 'new/d2', 'new/g']);
    expect(readdirSync(host('one'))).toEqual([]);
  });

  test('of two names of one file the first goes', async () => {
    put('one/a', 'x');
    linkSync(host('one/a'), host('one/b'));
    await box.answer('move', fromTo('one/a', 'one/b'));
    expect(readdirSync(host('one'))).toEqual(['b']);
  });

  test('not into itself, not the root, and only what is there', async () => {
    mkdirSync(host('one/d'));
    put('one/f', 'x');
    mkdirSync(host('two/full/d'), { recursive: true });
    put('two/full/d/kept', 'kept');
    expect(await box.refusal('move', fromTo('one/d', 'one/d/e'))).toBe('cannot copy or move a folder into itself: d/e');
    expect(await box.refusal('move', fromTo('one/d', 'one/f'))).toBe('destination exists as a file: f');
    expect(await box.refusal('move', fromTo('one/d', 'two/full'))).toBe(
      'cannot move: it is a directory that is not empty: full',
    );
    expect(await box.refusal('move', fromTo('one/.', 'two/x'))).toBe('cannot move root directory');
    expect(await box.refusal('move', fromTo('one/none', 'two/x'))).toBe('source file not found');
  });

  // A second file system of every Linux machine; elsewhere there is none to rely on.
  test.runIf(process.platform === 'linux')('to another file system, unless links would be lost', async () => {
    const far = mkdtempSync('/dev/shm/mcp-filesystem-');
    try {
      const allowedTools = ['*'];
      const roots = openRoots([
        { name: 'near', path: host('one'), allowedTools },
        { name: 'far', path: far, allowedTools },
      ]);
      const owners = { user: String, group: String };
      const execute = createCalls(
        { roots, fullReadBytesMax: 1, owners, monotonicMs: () => 0, unique: () => 'u' },
        () => {},
      );
      const move = (from: string, to: string) => execute('move', fromTo(from, to), new AbortController().signal);
      mkdirSync(host('one/d'));
      put('one/d/f', 'content');
      expect(await move('near/d', 'far/d')).toMatchObject({ isError: false });
      expect([readFileSync(join(far, 'd/f'), 'utf8'), readdirSync(host('one'))]).toEqual(['content', []]);
      symlinkSync('f', join(far, 'd/link'));
      expect(await move('far/d', 'near/d')).toEqual({
        text: 'cannot move links or special files to another file system: d',
        isError: true,
      });
      expect(await move('far/d/f', 'near/f')).toMatchObject({ isError: false });
      expect([read('one/f'), readdirSync(join(far, 'd'))]).toEqual(['content', ['link']]);
    } finally {
      rmSync(far, { recursive: true });
    }
  });
});
