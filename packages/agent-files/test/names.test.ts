import { describe, expect, test } from 'vitest';
import { candidatePaths, canonicalName, gatherAgents, nameOfPath, nameProblem, problemLine } from '../src/index.ts';

const placeOf = (path: string) => {
  const reading = nameOfPath(path);
  if (reading.kind !== 'agent') throw new Error(`${path}: ${reading.kind}`);
  return reading.place;
};

describe('the path of a file names its agent', () => {
  test.each([
    ['sales/pr-agent/prompt.md', 'sales/pr-agent', 'stopgo', 0],
    ['sales/pr-agent/agent.md', 'sales/pr-agent', 'stopgo', 1],
    ['sales/pr-agent.md', 'sales/pr-agent', 'stopgo', 2],
    ['prompt.md', 'prompt', 'stopgo', 2],
    ['README.md', 'README', 'stopgo', 2],
    ['prüfung/v1.2/prompt.md', 'prüfung/v1.2', 'stopgo', 0],
    ['.claude/agents/reviewer.md', 'reviewer', 'claude', 3],
    ['.claude/agents/review/security.md', 'review/security', 'claude', 3],
    ['web/.claude/agents/reviewer.md', 'web/reviewer', 'claude', 3],
    ['.github/agents/reviewer.agent.md', 'reviewer', 'github', 4],
    ['.github/agents/reviewer.md', 'reviewer', 'github', 5],
  ])('%s', (path, name, format, precedence) => {
    expect(placeOf(path)).toMatchObject({ name, format, precedence });
  });

  test.each([
    'sales/pr-agent/prompt.txt',
    'sales/pr-agent/PROMPT.MD',
    '.hidden/prompt.md',
    '.github/copilot-instructions.md',
    '.claude/skills/pdf/SKILL.md',
    'node_modules/x/agent.md',
  ])('%s is none', (path) => {
    expect(nameOfPath(path)).toEqual({ kind: 'none' });
  });

  test.each([
    ['../prompt.md', 'path', 'the path climbs, or has an empty folder; it must name each folder inside the repository'],
    [
      'a/../../b/prompt.md',
      'path',
      'the path climbs, or has an empty folder; it must name each folder inside the repository',
    ],
    ['a//prompt.md', 'path', 'the path climbs, or has an empty folder; it must name each folder inside the repository'],
    [
      './a/prompt.md',
      'path',
      'the path climbs, or has an empty folder; it must name each folder inside the repository',
    ],
    ['/etc/prompt.md', 'path', 'the path is absolute; it must be one inside the repository'],
    ['C:/a/prompt.md', 'path', 'the path is absolute; it must be one inside the repository'],
    ['a\\b\\prompt.md', 'path', 'the path holds a backslash; folders are parted by /'],
    [
      'a\0/prompt.md',
      'path',
      'the path holds characters that nobody sees: a\\u{0}/prompt.md; name the file without them',
    ],
    [
      'a\u202etxt/prompt.md',
      'path',
      'the path holds characters that nobody sees: a\\u{202e}txt/prompt.md; name the file without them',
    ],
    [`${'a/'.repeat(600)}prompt.md`, 'path', 'the path has 1209 characters, more than 1024'],
    [
      `${'a/'.repeat(17)}prompt.md`,
      'name',
      `"${'a/'.repeat(16)}a" cannot be the name of an agent: it has 17 parts between slashes, more than 16`,
    ],
    [
      'two words/prompt.md',
      'name',
      '"two words" cannot be the name of an agent: its part "two words" holds something else than letters, digits, _, - and dots inside',
    ],
    [
      '-rf/prompt.md',
      'name',
      '"-rf" cannot be the name of an agent: its part "-rf" holds something else than letters, digits, _, - and dots inside',
    ],
    [
      `${'a'.repeat(129)}/prompt.md`,
      'name',
      `"${'a'.repeat(129)}" cannot be the name of an agent: its part "${'a'.repeat(32)}…" has 129 characters, more than 128`,
    ],
    [
      'e\u0301t/prompt.md',
      'name',
      '"e\u0301t" cannot be the name of an agent: its part "e\u0301t" is written with separate marks; write it in Unicode\'s form NFC',
    ],
  ])('%j is refused', (path, about, message) => {
    expect(nameOfPath(path)).toEqual({ kind: 'problem', about, message, isCertain: true });
  });

  test('candidates are looked for in order', () => {
    expect(candidatePaths('sales/pr-agent')).toEqual([
      'sales/pr-agent/prompt.md',
      'sales/pr-agent/agent.md',
      'sales/pr-agent.md',
    ]);
    expect(
      candidatePaths('a')
        .map(placeOf)
        .map(({ name }) => name),
    ).toEqual(['a', 'a', 'a']);
  });

  test('a namespace goes before it', () => {
    expect(canonicalName('nlp/sentiment', 'experimental')).toBe('experimental/nlp/sentiment');
    expect(canonicalName('nlp/sentiment')).toBe('nlp/sentiment');
    expect(nameProblem('experimental')).toBeUndefined();
    expect(nameProblem('')).toBe('a part of it between slashes is empty');
  });
});

describe('the files of a repository', () => {
  const gathered = (...paths: string[]) => {
    const { agents, problems, warnings } = gatherAgents(paths.map((path) => ({ path, place: placeOf(path) })));
    return {
      agents: Object.fromEntries([...agents].map(([name, { path }]) => [name, path])),
      said: [...problems, ...warnings].map(problemLine),
    };
  };

  test('of one name, the first candidate has it', () => {
    const before = (path: string) => `${path}:1:1: "a" is a/prompt.md, which goes before this file; remove one of them`;
    expect(gathered('.github/agents/a.agent.md', '.claude/agents/a.md', 'a.md', 'a/agent.md', 'a/prompt.md')).toEqual({
      agents: { a: 'a/prompt.md' },
      said: ['a/agent.md', 'a.md', '.claude/agents/a.md', '.github/agents/a.agent.md'].map(before),
    });
  });

  test.each([
    ['only case differs', 'Billing/prompt.md', 'billing/prompt.md'],
    ['a letter is of another script', 'billing/prompt.md', 'b\u0456lling/prompt.md'],
    ['a digit is taken for a letter', 'bi11ing/prompt.md', 'billing/prompt.md'],
  ])('the later of two that look alike is refused: %s', (_, first, later) => {
    const { agents, said } = gathered(later, first, 'other/prompt.md');
    expect(Object.values(agents)).toEqual([first, 'other/prompt.md']);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`${later}:1:1: its name "`);
  });

  test('what looks alike only with a file that is shadowed stays', () => {
    expect(Object.keys(gathered('a/prompt.md', 'a.md', 'A1.md').agents)).toEqual(['A1', 'a']);
  });
});
