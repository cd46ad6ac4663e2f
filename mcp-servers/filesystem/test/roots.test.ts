import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoots } from '../src/roots.ts';
import { listedTools, type ToolName } from '../src/tool-names.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
beforeEach(() => {
  box = sandbox({ roots: { work: ['*'], readonly: ['read_file', 'list_folder'], closed: [] } });
});
afterEach(() => box.remove());

const OUT = 'path resolves outside root boundary';

/** Arguments of a tool that names this path, at its source if it has two. */
const on = (tool: ToolName, root: string, path: string): Record<string, unknown> => {
  if (tool === 'copy' || tool === 'move') {
    return { source_root: root, source_path: path, dest_root: 'work', dest_path: 'x' };
  }
  const more = { content: 'x', patch: '@@ -0,0 +1 @@\n+x', algorithm: 'md5', pattern: 'a' };
  const wants: Partial<Record<ToolName, (keyof typeof more)[]>> = {
    write_file: ['content'],
    patch_file: ['patch'],
    hash_file: ['algorithm'],
    grep: ['pattern'],
    glob: ['pattern'],
  };
  return { root, path, ...Object.fromEntries((wants[tool] ?? []).map((key) => [key, more[key]])) };
};

test('list_roots names roots and tools, and no paths', async () => {
  const { text } = await box.call('list_roots');
  expect(text).toBe(
    JSON.stringify([
      { name: 'closed', allowed_tools: [] },
      { name: 'readonly', allowed_tools: ['list_folder', 'read_file'] },
      { name: 'work', allowed_tools: [...listedTools].sort() },
    ]),
  );
});

test.each(listedTools)('%s: root, allow list and path are checked, in this order', async (tool) => {
  writeFileSync(join(box.host, 'secret'), 'x');
  symlinkSync('../secret', join(box.host, 'work/out'));
  symlinkSync('..', join(box.host, 'work/above'));
  const refusal = (root: string, path: string) => box.refusal(tool, on(tool, root, path));
  const prefix = tool === 'copy' || tool === 'move' ? 'source_' : '';
  expect(await refusal('', 'a\0')).toBe(`${prefix}root is required`);
  expect(await refusal('none', 'a\0')).toBe('unknown root: none');
  expect(await refusal('closed', 'a\0')).toBe(`tool ${tool} not allowed on root closed`);
  expect(await refusal('work', 'a\0')).toBe('path contains null bytes');
  for (const path of [
    '..',
    '../secret',
    'a/../..',
    '/etc/passwd',
    box.host,
    'out',
    'above',
    'above/secret',
    'above/work',
  ]) {
    expect(await refusal('work', path), path).toBe(OUT);
  }
  expect(box.log.filter(({ level }) => level === 'WARN')).toHaveLength(11);
  expect(await box.refusal(tool, { ...on(tool, 'work', 'a'), pth: 'b' })).toMatch(/^unknown argument "pth": /u);
});

test('both roots of a copy or a move must allow it', async () => {
  const between = (source_root: string, dest_root: string) => ({
    source_root,
    source_path: 'a',
    dest_root,
    dest_path: '..',
  });
  for (const tool of ['copy', 'move'] as const) {
    expect(await box.refusal(tool, between('readonly', 'work'))).toBe(`tool ${tool} not allowed on root readonly`);
    expect(await box.refusal(tool, between('work', 'readonly'))).toBe(`tool ${tool} not allowed on root readonly`);
    expect(await box.refusal(tool, between('work', 'work'))).toBe(OUT);
  }
});

test('the log tells what was asked, how it ended and how long it took, and no contents', async () => {
  writeFileSync(join(box.host, 'work/f'), 'content');
  await box.answer('read_file', { root: 'work', path: 'f' });
  await box.refusal('read_file', { root: 'work', path: 'g' });
  await box.refusal('write_file', { root: 'readonly', path: 'f', content: 'written' });
  expect(box.log).toEqual([
    { level: 'INFO', msg: 'tool call', tool: 'read_file', root: 'work', path: 'f', duration: 0, size: 48 },
    {
      level: 'INFO',
      msg: 'tool call failed',
      tool: 'read_file',
      root: 'work',
      path: 'g',
      duration: 0,
      size: 17,
      error: 'file not found: g',
    },
    {
      level: 'WARN',
      msg: 'violation refused',
      tool: 'write_file',
      root: 'readonly',
      path: 'f',
      duration: 0,
      size: 44,
      error: 'tool write_file not allowed on root readonly',
    },
  ]);
});

test('links may lead through the path by which the settings name a root', async () => {
  mkdirSync(join(box.host, 'real'));
  symlinkSync('real', join(box.host, 'given'));
  writeFileSync(join(box.host, 'real/f'), 'content');
  symlinkSync(join(box.host, 'given/f'), join(box.host, 'real/link'));
  const [root] = openRoots([{ name: 'r', path: join(box.host, 'given'), allowedTools: ['*'] }]).values();
  expect(root).toMatchObject({ real: join(box.host, 'real'), given: join(box.host, 'given') });
});

test.each([
  [[], 'No roots configured. Provide a config file with --config'],
  [[{ name: '', path: '/', allowedTools: [] }], 'roots[0]: name is required'],
  [
    [
      { name: 'a', path: '/', allowedTools: [] },
      { name: 'a', path: '/', allowedTools: [] },
    ],
    'duplicate root name: a',
  ],
  [[{ name: 'a', path: '', allowedTools: [] }], 'roots[0] "a": path is required'],
  [[{ name: 'a', path: '/none/at/all', allowedTools: [] }], 'roots[0] "a": resolve path /none/at/all: it is not there'],
  [[{ name: 'a', path: '/dev/null', allowedTools: [] }], 'roots[0] "a": path /dev/null is not a directory'],
  [
    [{ name: 'a', path: '/', allowedTools: ['*', 'list_roots'] }],
    'roots[0] "a": unknown tool "list_roots" in allowed_tools',
  ],
])('roots that cannot be used: %j', (settings, message) => {
  expect(() => openRoots(settings)).toThrow(message);
});
