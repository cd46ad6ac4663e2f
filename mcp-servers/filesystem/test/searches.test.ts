import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { globTest } from '../src/glob-pattern.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
const put = (path: string, content: string) => {
  mkdirSync(join(box.host, 'work', path, '..'), { recursive: true });
  writeFileSync(join(box.host, 'work', path), content);
};
const found = async (tool: 'grep' | 'glob', given: object) => {
  const answer = await box.answer(tool, { root: 'work', ...given });
  const matches = answer.matches as { path?: string; file?: string; line_number?: number }[];
  expect(answer.total_matches).toBe(matches.length);
  return matches.map(({ path, file, line_number }) => path ?? `${file}:${line_number}`);
};

beforeEach(() => {
  box = sandbox();
});
afterEach(() => box.remove());

describe('grep', () => {
  test('tells each matching line, with those around it', async () => {
    put('d/greek.txt', 'alpha\nbeta\ngamma\ndelta\ngamma 2');
    expect(
      await box.answer('grep', { root: 'work', pattern: 'GAMMA', case_insensitive: true, context_lines: 2 }),
    ).toEqual({
      matches: [
        {
          file: 'd/greek.txt',
          line_number: 3,
          line_content: 'gamma',
          context_before: ['alpha', 'beta'],
          context_after: ['delta', 'gamma 2'],
        },
        { file: 'd/greek.txt', line_number: 5, line_content: 'gamma 2', context_before: ['gamma', 'delta'] },
      ],
      total_matches: 2,
      truncated: false,
      timed_out: false,
    });
    expect(await box.answer('grep', { root: 'work', pattern: 'none' })).toEqual({
      matches: [],
      total_matches: 0,
      truncated: false,
      timed_out: false,
    });
  });

  test('searches text files by name and place, not binary ones and links', async () => {
    put('a.ts', 'x\n');
    put('b.md', 'x\n');
    put('sub/c.ts', 'x\n');
    put('binary.ts', 'x\0');
    symlinkSync('a.ts', join(box.host, 'work/link.ts'));
    expect(await found('grep', { pattern: 'x' })).toEqual(['a.ts:1', 'b.md:1', 'sub/c.ts:1']);
    expect(await found('grep', { pattern: 'x', glob_filter: '*.ts' })).toEqual(['a.ts:1', 'sub/c.ts:1']);
    expect(await found('grep', { pattern: 'x', path: 'sub' })).toEqual(['c.ts:1']);
    expect(await found('grep', { pattern: 'x', path: 'sub/c.ts' })).toEqual(['c.ts:1']);
  });

  test('ends with enough results, and when its time is over', async () => {
    for (const name of ['a', 'b', 'c']) put(name, 'x\n'.repeat(5));
    expect(await box.answer('grep', { root: 'work', pattern: 'x', max_results: 7 })).toMatchObject({
      total_matches: 7,
      truncated: true,
    });
    expect(await box.answer('grep', { root: 'work', pattern: 'x', timeout_seconds: 0 })).toMatchObject({
      total_matches: 0,
      timed_out: true,
    });
    box.remove();
    box = sandbox({ tickMs: 100 });
    put('a', 'x\n'.repeat(50));
    const late = await box.answer('grep', { root: 'work', pattern: 'x', timeout_seconds: 1 });
    expect(late).toMatchObject({ timed_out: true });
    expect(late.total_matches).toBeGreaterThan(0);
    expect(late.total_matches).toBeLessThan(20);
  });

  test('levels count as they always did here', async () => {
    for (const file of ['f', 'd1/f', 'd1/d2/f', 'd1/d2/d3/f']) put(file, 'x');
    for (const tool of ['grep', 'glob'] as const) {
      const given = tool === 'grep' ? { pattern: 'x' } : { pattern: '*', type_filter: 'file' };
      const counts = [0, 1, 2, -1].map(async (max_depth) => (await found(tool, { ...given, max_depth })).length);
      expect(await Promise.all(counts)).toEqual([2, 3, 4, 4]);
    }
  });

  test('of a line that is too much work for the pattern the beginning is tested, and it says so', async () => {
    put('long', `${'a'.repeat(300_000)}b\nb`);
    const slow = { root: 'work', pattern: '(?:[ab]{1,1000}){1}b' };
    expect(await box.answer('grep', slow)).toMatchObject({ lines_cut: 1, matches: [] });
    expect(await found('grep', { pattern: 'b$' })).toEqual(['long:1', 'long:2']);
    const { matches } = await box.answer('grep', { root: 'work', pattern: 'a' });
    expect((matches as { line_content: string }[])[0]?.line_content).toHaveLength(4_000);
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*a){40}!', '([a-zA-Z]+)*[0-9]$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'hostile pattern %s is answered',
    async (pattern) => {
      put('f', `${'a'.repeat(100_000)}!?`);
      expect(await found('grep', { pattern, timeout_seconds: 10 })).toEqual(pattern.endsWith('!') ? ['f:1'] : []);
      expect(await found('glob', { regex: pattern })).toEqual([]);
    },
  );

  test('refuses what is no pattern', async () => {
    const refused = (tool: 'grep' | 'glob', given: object) => box.refusal(tool, { root: 'work', ...given });
    expect(await refused('grep', { pattern: '[invalid' })).toMatch(/^invalid pattern: \S/u);
    expect(await refused('grep', { pattern: '(?=a)' })).toMatch(/^invalid pattern: \S/u);
    expect(await refused('grep', {})).toBe('pattern is required');
    expect(await refused('grep', { pattern: 'x', path: 'none' })).toBe('path not found: none');
    expect(await refused('grep', { pattern: 'x', max_results: 0 })).toBe('max_results must be at least 1');
    expect(await refused('glob', { regex: '[unclosed' })).toMatch(/^invalid regex: \S/u);
    expect(await refused('glob', { pattern: '[unclosed' })).toBe('invalid pattern: a [ is not closed');
    expect(await refused('glob', { pattern: '*', type_filter: 'x' })).toMatch(
      /^invalid type_filter: x; valid types: /u,
    );
    for (const given of [{}, { pattern: '*', regex: '.' }]) {
      expect(await refused('glob', given)).toBe('exactly one of pattern or regex must be provided');
    }
  });

  test('ends when the client gives up', async () => {
    const given = new AbortController();
    given.abort();
    box.remove();
    box = sandbox({ signal: given.signal });
    put('f', 'x');
    expect(await box.refusal('grep', { root: 'work', pattern: 'x' })).toBe('grep was canceled');
  });
});

describe('glob', () => {
  test('finds by name or path, sorted, with kind, size and time', async () => {
    for (const file of ['src/a.go', 'src/pkg/b.go', 'src/pkg/sub/c.go', 'top.go', 'x.txt']) put(file, 'abc');
    symlinkSync('/tmp', join(box.host, 'work/link.go'));
    expect(await found('glob', { pattern: '*.go' })).toEqual([
      'link.go',
      'src/a.go',
      'src/pkg/b.go',
      'src/pkg/sub/c.go',
      'top.go',
    ]);
    expect(await found('glob', { pattern: 'src/**/*.go' })).toEqual(['src/a.go', 'src/pkg/b.go', 'src/pkg/sub/c.go']);
    expect(await found('glob', { regex: 'pkg/.*\\.go$', path: 'src' })).toEqual(['pkg/b.go', 'pkg/sub/c.go']);
    expect(await found('glob', { pattern: '*', type_filter: 'directory' })).toEqual(['src', 'src/pkg', 'src/pkg/sub']);
    expect(await found('glob', { pattern: '*', type_filter: 'symlink' })).toEqual(['link.go']);
    expect(await box.answer('glob', { root: 'work', pattern: 'x.*' })).toEqual({
      matches: [{ path: 'x.txt', type: 'file', size: 3, modified_at: expect.stringMatching(/Z$/u) }],
      total_matches: 1,
      truncated: false,
      timed_out: false,
    });
    expect(await box.answer('glob', { root: 'work', pattern: '*.go', max_results: 2 })).toMatchObject({
      matches: [{ path: 'link.go' }, { path: 'src/a.go' }],
      truncated: true,
    });
  });

  test.each<[string, string[], string[]]>([
    ['*.go', ['a.go', 'd/a.go', '.go'], ['a.goo', 'go', 'a.go/b']],
    ['a?c', ['abc', 'd/aüc'], ['ac', 'a/c']],
    ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/d/a.ts', 'x/src/a.ts']],
    ['**/*.ts', ['a.ts', 'd/a.ts', 'd/e/a.ts'], ['a.tsx']],
    ['**/d/**', ['d', 'd/a', 'x/d/a/b'], ['da', 'x/da']],
    ['d/**/z', ['d/z', 'd/a/z', 'd/a/b/z'], ['z', 'dz']],
    ['*.{ts,js}', ['a.ts', 'd/b.js'], ['a.rs', 'a.{ts,js}']],
    ['[a-c]x[^0-9]', ['axb', 'cx-'], ['dxb', 'ax0', 'ax/']],
    ['a+(b).$', ['a+(b).$'], ['aab']],
    ['\\*', ['*', 'd/*'], ['a']],
    ['[[]', [], []],
  ])('%s', (pattern, yes, no) => {
    if (yes.length + no.length === 0) {
      expect(globTest(pattern)('[')).toBe(true);
      return;
    }
    const test = globTest(pattern);
    expect([yes.filter((path) => !test(path)), no.filter(test)]).toEqual([[], []]);
  });
});
