import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Folder, kernelAnchors, OpenFolders } from '../src/folder.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
const work = (path: string) => join(box.host, 'work', path);
const put = (path: string, content: string | Buffer) => writeFileSync(work(path), content);
const at = (path: string, more: object = {}) => ({ root: 'work', path, ...more });

beforeEach(() => {
  box = sandbox({ fullReadBytesMax: 100 });
});
afterEach(() => box.remove());

describe('list_folder', () => {
  test('lists by name, with what links lead to', async () => {
    put('b.txt', 'content');
    mkdirSync(work('a'));
    symlinkSync('b.txt', work('to-file'));
    symlinkSync(work('a'), work('to-folder'));
    symlinkSync('/tmp', work('to-outside'));
    symlinkSync('nothing', work('to-nothing'));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u);
    const link = { type: 'symlink', size: expect.any(Number), modified_at: time };
    const listed = {
      entries: [
        { name: 'a', type: 'directory', size: expect.any(Number), modified_at: time },
        { name: 'b.txt', type: 'file', size: 7, modified_at: time },
        { name: 'to-file', ...link, target_type: 'file' },
        { name: 'to-folder', ...link, target_type: 'directory' },
        { name: 'to-nothing', ...link },
        { name: 'to-outside', ...link, target_type: 'external' },
      ],
      count: 6,
    };
    for (const path of ['.', '', '/', 'a/..', './/']) expect(await box.answer('list_folder', at(path))).toEqual(listed);
    expect(await box.answer('list_folder', at('to-folder'))).toEqual({ entries: [], count: 0 });
    expect(await box.refusal('list_folder', at('b.txt'))).toBe('path is not a directory: b.txt');
    expect(await box.refusal('list_folder', at('none'))).toBe('path not found: none');
    expect(await box.refusal('list_folder', at('b.txt/x'))).toBe('path not found: b.txt/x');
  });
});

describe('read_file', () => {
  test('reads whole what is small, and parts of what is large', async () => {
    put('small', '\u{feff}grün\n');
    expect(await box.answer('read_file', at('small'))).toEqual({
      size: 9,
      content: '\u{feff}grün\n',
      truncated: false,
    });
    put('large', 'x'.repeat(500));
    expect(await box.refusal('read_file', at('large'))).toBe(
      'file too large for full read (size: 500B, limit: 100B); use offset/limit parameters',
    );
    expect(await box.answer('read_file', at('large', { offset_bytes: 490 }))).toEqual({
      size: 500,
      content: 'x'.repeat(10),
      truncated: false,
    });
  });

  test.each([
    [{ offset_bytes: 10, limit_bytes: 20 }, 'abcdefghijklmnopqrst', false],
    [{ offset_bytes: '30', limit_bytes: 10 }, 'uvwxyz', true],
    [{ limit_bytes: 3 }, '012', false],
    [{ offset_bytes: 99 }, '', false],
  ])('bytes %j', async (part, content, truncated) => {
    put('f', '0123456789abcdefghijklmnopqrstuvwxyz');
    expect(await box.answer('read_file', at('f', part))).toEqual({ size: 36, content, truncated });
  });

  test.each([
    [{ offset_lines: 2, limit_lines: 2 }, 'two\nthree', true],
    [{ offset_lines: 4 }, 'four', false],
    [{ offset_lines: 0, limit_lines: 1 }, 'one', true],
    [{ offset_lines: 100 }, '', false],
    [{ limit_lines: 0 }, '', true],
    [{ limit_lines: 9 }, 'one\ntwo\nthree\nfour', false],
  ])('lines %j', async (part, content, truncated) => {
    for (const end of ['', '\n']) {
      put('f', `one\ntwo\nthree\nfour${end}`);
      expect(await box.answer('read_file', at('f', part))).toMatchObject({ content, truncated, lines_total: 4 });
    }
  });

  test('says what is binary, and reads nothing but files', async () => {
    put('b', 'a\0b');
    expect(await box.answer('read_file', at('b', { limit_bytes: 1 }))).toMatchObject({ content: 'a', binary: true });
    mkdirSync(work('d'));
    expect(await box.refusal('read_file', at('d'))).toBe('path is a directory, not a file: d');
    expect(await box.refusal('read_file', at('none'))).toBe('file not found: none');
    expect(await box.refusal('read_file', at('b', { offset_bytes: 0, limit_lines: 1 }))).toBe(
      'byte-based and line-based parameters are mutually exclusive',
    );
    expect(await box.refusal('read_file', at('b', { offset_bytes: -1 }))).toBe('offset_bytes must be at least 0');
  });
});

test.runIf(kernelAnchors)('no call holds more open than folders are deep, however many links there are', async () => {
  let most = 0;
  class CountedFolders extends OpenFolders {
    override at(folder: Folder, name: string): string {
      most = Math.max(most, readdirSync('/proc/self/fd').length);
      return super.at(folder, name);
    }
  }
  box.remove();
  box = sandbox({ openFolders: () => new CountedFolders() });
  mkdirSync(work('d/e'), { recursive: true });
  put('d/f', 'x');
  for (let each = 0; each < 200; each += 1) symlinkSync('../f', work(`d/e/${each}`));
  const before = readdirSync('/proc/self/fd').length;
  expect(await box.answer('list_folder', at('d/e'))).toMatchObject({ count: 200 });
  await box.answer('copy', { source_root: 'work', source_path: 'd', dest_root: 'work', dest_path: 'new' });
  await box.answer('remove_folder', at('new'));
  expect(most - before).toBeLessThan(40);
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
});

test('a pipe, which would wait for ever, is neither read nor written nor copied', async () => {
  execFileSync('mkfifo', [work('pipe')]);
  for (const [tool, more] of [
    ['read_file', {}],
    ['hash_file', { algorithm: 'md5' }],
    ['write_file', { content: 'x' }],
    ['write_file', { content: 'x', mode: 'append' }],
    ['patch_file', { patch: '@@ -0,0 +1 @@\n+x' }],
  ] as const) {
    expect(await box.refusal(tool, at('pipe', more)), tool).toBe('not a regular file: pipe');
  }
  const whole = { source_root: 'work', source_path: '.', dest_root: 'work', dest_path: 'new' };
  expect(await box.answer('grep', { root: 'work', pattern: '.' })).toMatchObject({ matches: [] });
  expect(await box.refusal('copy', whole)).toMatch(/^cannot copy or move a folder into itself: /u);
  expect(await box.refusal('copy', { ...whole, source_path: 'pipe' })).toBe('not a regular file: new');
  expect(readdirSync(work('.'))).toEqual(['pipe']);
});

describe('write_file', () => {
  test('overwrites and keeps the mode, appends, creates only, and makes folders', async () => {
    put('f', 'old');
    chmodSync(work('f'), 0o750);
    expect(await box.answer('write_file', at('f', { content: 'grün' }))).toEqual({
      path: 'f',
      size: 5,
      mode: 'overwrite',
    });
    expect([readFileSync(work('f'), 'utf8'), statSync(work('f')).mode & 0o777]).toEqual(['grün', 0o750]);
    expect(await box.answer('write_file', at('f', { content: '+', mode: 'append' }))).toMatchObject({ size: 1 });
    expect(readFileSync(work('f'), 'utf8')).toBe('grün+');
    await box.answer('write_file', at('x/y/new', { content: 'n', mode: 'create_only' }));
    expect(readFileSync(work('x/y/new'), 'utf8')).toBe('n');
    expect(await box.refusal('write_file', at('x/y/new', { content: 'm', mode: 'create_only' }))).toBe(
      'file already exists: x/y/new; use overwrite mode to replace',
    );
    expect(readdirSync(work('x/y'))).toEqual(['new']);
  });

  test('whoever reads a file while it is replaced reads the old one', async () => {
    put('f', 'old');
    const reading = openSync(work('f'), 'r');
    await box.answer('write_file', at('f', { content: 'new content' }));
    expect([readFileSync(reading, 'utf8'), readFileSync(work('f'), 'utf8')]).toEqual(['old', 'new content']);
    closeSync(reading);
  });

  test('writes through a link into the root, also one to nothing yet', async () => {
    mkdirSync(work('d'));
    put('d/target', 'old');
    symlinkSync('d/target', work('link'));
    symlinkSync('d/coming', work('dangling'));
    await box.answer('write_file', at('link', { content: 'new' }));
    await box.answer('write_file', at('dangling', { content: 'came' }));
    expect([readFileSync(work('d/target'), 'utf8'), readFileSync(work('d/coming'), 'utf8')]).toEqual(['new', 'came']);
    expect(lstatSync(work('link')).isSymbolicLink()).toBe(true);
  });

  test('a file that waits to take its place is never one that somebody put there', async () => {
    writeFileSync(join(box.host, 'outside'), 'outside');
    symlinkSync('../outside', work('.mcp-filesystem-1.tmp'));
    expect(await box.refusal('write_file', at('f', { content: 'c' }))).toBe('cannot write: it exists already: f');
    expect(readFileSync(join(box.host, 'outside'), 'utf8')).toBe('outside');
    expect(readdirSync(work('.'))).toEqual(['.mcp-filesystem-1.tmp']);
  });

  test('refuses what it cannot write', async () => {
    mkdirSync(work('d'));
    put('f', 'x');
    const write = (path: string, more: object = {}) => box.refusal('write_file', at(path, { content: 'c', ...more }));
    expect(await write('d')).toBe('path is a directory, not a file: d');
    expect(await write('f/below')).toBe('a part of the path is a file: f/below');
    expect(await write('f', { content: '' })).toBe('content is required');
    expect(await write('f', { mode: 'truncate' })).toBe(
      'invalid write mode: truncate; valid modes: overwrite, append, create_only',
    );
    expect(await write('n'.repeat(300))).toBe(`cannot look up: a name is too long: ${'n'.repeat(300)}`);
    expect(readFileSync(work('f'), 'utf8')).toBe('x');
  });
});

describe('patch_file', () => {
  const hunk = (header: string, ...lines: string[]) => `--- a/f\n+++ b/f\n@@ ${header} @@\n${lines.join('\n')}`;

  test('applies all hunks', async () => {
    put('f', `${[1, 2, 3, 4, 5, 6, 7, 8, 9].join('\n')}\n`);
    const patch = `${hunk('-1,3 +1,4', ' 1', '-2', '+two', '+2.5', ' 3')}\n@@ -8,2 +9,1 @@\n 8\n-9\n`;
    expect(await box.answer('patch_file', at('f', { patch }))).toEqual({ path: 'f', hunks_applied: 2 });
    expect(readFileSync(work('f'), 'utf8')).toBe('1\ntwo\n2.5\n3\n4\n5\n6\n7\n8\n');
  });

  test('makes a file, ends it in a newline, and leaves other bytes alone', async () => {
    await box.answer('patch_file', at('d/new', { patch: hunk('-0,0 +1,2', '+grün', '+zwei') }));
    expect(readFileSync(work('d/new'), 'utf8')).toBe('grün\nzwei\n');
    put('bytes', Buffer.from([0xff, 0x0a, 0x61, 0x0a, 0xfe]));
    await box.answer('patch_file', at('bytes', { patch: hunk('-2 +2', '-a', '+b') }));
    expect(readFileSync(work('bytes'))).toEqual(Buffer.from([0xff, 0x0a, 0x62, 0x0a, 0xfe, 0x0a]));
  });

  test.each([
    ['no patch', 'parse patch: no hunks found in patch'],
    [hunk('-1,2 +1,2', ' A', '-X', '+Y'), 'patch failed: hunk 1 does not match at line 2 (expected "X", got "B")'],
    [hunk('-3 +3', '-C', '+D'), 'patch failed: hunk 1 does not match at line 3 (expected "C", got "<EOF>")'],
    [`${hunk('-2 +2', '-B', '+C')}\n@@ -1 +1 @@\n-A\n+Z`, /^patch failed: hunk 2 does not match at line 1 /u],
    [
      `${hunk('-1 +1', '-A', '+Z')}\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-A\n+Z`,
      'parse patch: the patch is for more than one file',
    ],
  ])('refused patch %#', async (patch, text) => {
    put('f', 'A\nB\n');
    const refused = await box.refusal('patch_file', at('f', { patch }));
    if (typeof text === 'string') expect(refused).toBe(text);
    else expect(refused).toMatch(text);
    expect(readFileSync(work('f'), 'utf8')).toBe('A\nB\n');
    expect(readdirSync(work('.'))).toEqual(['f']);
  });

  test('of two patches at once none is lost', async () => {
    put('f', '1\n2\n');
    const all = await Promise.all([
      box.call('patch_file', at('f', { patch: hunk('-1 +1', '-1', '+one') })),
      box.call('patch_file', at('f', { patch: hunk('-2 +2', '-2', '+two') })),
    ]);
    const [one, two] = readFileSync(work('f'), 'utf8').split('\n');
    expect([one === 'one', two === 'two']).toEqual(all.map(({ isError }) => !isError));
  });
});

describe('remove_file, create_folder, remove_folder', () => {
  test('a link is removed, what it leads to stays', async () => {
    put('f', 'x');
    mkdirSync(work('d'));
    symlinkSync('f', work('to-file'));
    symlinkSync('d', work('to-folder'));
    expect(await box.refusal('remove_folder', at('to-folder'))).toBe(
      'path is a file, use remove_file instead: to-folder',
    );
    for (const path of ['to-file', 'to-folder']) {
      expect(await box.answer('remove_file', at(path))).toEqual({ path, removed: true });
    }
    expect(readdirSync(work('.'))).toEqual(['d', 'f']);
    expect(await box.refusal('remove_file', at('d'))).toBe('path is a directory, use remove_folder instead: d');
    await box.answer('remove_file', at('f'));
    expect(await box.refusal('remove_file', at('f'))).toBe('file not found: f');
  });

  test('a folder is made with those above it, once or again', async () => {
    for (const _ of [1, 2]) {
      expect(await box.answer('create_folder', at('a/b/c'))).toEqual({ path: 'a/b/c', created: true });
    }
    put('f', 'x');
    for (const path of ['f', 'f/d']) {
      expect(await box.refusal('create_folder', at(path))).toBe(`path exists as a file: ${path}`);
    }
    expect(statSync(work('a/b/c')).mode & 0o777).toBe(0o755 & ~process.umask());
  });

  test('a folder goes with all that is in it, but not the root', async () => {
    mkdirSync(work('d/e'), { recursive: true });
    put('d/e/f', 'x');
    writeFileSync(join(box.host, 'kept'), 'kept');
    symlinkSync(box.host, work('d/out'));
    expect(await box.answer('remove_folder', at('d'))).toEqual({ path: 'd', removed: true });
    expect([readdirSync(work('.')), readFileSync(join(box.host, 'kept'), 'utf8')]).toEqual([[], 'kept']);
    expect(await box.refusal('remove_folder', at('d'))).toBe('directory not found: d');
    put('f', 'x');
    expect(await box.refusal('remove_folder', at('f'))).toBe('path is a file, use remove_file instead: f');
    for (const path of ['', '.', '/', 'x/..']) {
      expect(await box.refusal('remove_folder', at(path))).toBe('cannot remove root directory');
    }
  });

  test('a root inside of another one neither goes nor moves', async () => {
    box.remove();
    box = sandbox({ roots: { work: ['*'], 'work/a/inner': [] } });
    expect(await box.refusal('remove_folder', at('a'))).toBe('cannot remove root directory');
    const renamed = { source_root: 'work', source_path: 'a', dest_root: 'work', dest_path: 'b' };
    expect(await box.refusal('move', renamed)).toBe('cannot move root directory');
  });
});

describe('stat_file, hash_file, permissions_file', () => {
  test('tell what is there, through a link too', async () => {
    put('f', 'test content\n');
    chmodSync(work('f'), 0o640);
    symlinkSync('f', work('link'));
    const stats = {
      name: 'f',
      size: 13,
      is_directory: false,
      modified_at: expect.stringMatching(/Z$/u),
      created_at: expect.stringMatching(/Z$/u),
    };
    expect(await box.answer('stat_file', at('f'))).toEqual({ ...stats, path: 'f', is_symlink: false });
    expect(await box.answer('stat_file', at('link'))).toEqual({ ...stats, path: 'link', is_symlink: true });
    expect(await box.answer('stat_file', at('.'))).toMatchObject({ name: '.', is_directory: true });
    expect(await box.answer('permissions_file', at('link'))).toEqual({
      path: 'link',
      mode: '0640',
      mode_string: '-rw-r-----',
      owner: expect.stringMatching(/./u),
      group: expect.stringMatching(/./u),
    });
    chmodSync(work('.'), 0o755);
    expect(await box.answer('permissions_file', at('.'))).toMatchObject({ mode: '0755', mode_string: 'drwxr-xr-x' });
    for (const tool of ['stat_file', 'permissions_file'] as const) {
      expect(await box.refusal(tool, at('none'))).toBe('not found: none');
    }
  });

  test.each([
    ['md5', 'd6eb32081c822ed572b70567826d9d9d'],
    ['sha1', '4fe2b8dd12cd9cd6a413ea960cd8c09c25f19527'],
    ['sha256', 'a1fff0ffefb9eace7230c24e50731f0a91c62f9cefdfe77121c2f607125dffae'],
  ])('%s', async (algorithm, hash) => {
    put('f', 'test content\n');
    expect(await box.answer('hash_file', at('f', { algorithm }))).toEqual({ path: 'f', algorithm, hash, size: 13 });
  });

  test('hash nothing but files, with what is known', async () => {
    const hash = (path: string, algorithm: string) => box.refusal('hash_file', at(path, { algorithm }));
    expect(await hash('f', 'md4')).toBe('unsupported hash algorithm: md4; supported: md5, sha1, sha256');
    expect(await hash('.', 'md5')).toBe('cannot hash a directory: .');
    expect(await hash('none', 'md5')).toBe('file not found: none');
    expect(await hash('none', '')).toBe('algorithm is required');
  });
});
