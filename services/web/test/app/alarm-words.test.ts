import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { knownLines, wordsFor } from '../../app/operations/alarm-words.ts';

const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
const known = knownLines(page);

test('every line of the table is known, with what it means and what to do', () => {
  const rows = page.split('\n').filter((line) => /^\| (?:warn|error) \|/.test(line));
  expect(known).toHaveLength(rows.length);
  expect(known.filter(({ means, todo }) => means === '' || todo === '')).toEqual([]);
});

test.each([
  ['error', 'the event log has lost events; verify it', /ends before its own views/],
  // Of several lines that fit, the one that says most.
  ['warn', 'MCP server "a" lost: it ended', /ended, timed out or closed the connection/],
  ['warn', 'MCP server "a": the tool "b" is too large', /left out/],
  ['warn', 'MCP server "a" is quarantined: a redirect\nto b', /refused for what it is/],
])('%s %s is explained', (level, message, means) => {
  expect(wordsFor(known, { level, message })?.means).toMatch(means);
});

test('a line of another level, or of nobody, is not explained', () => {
  expect(wordsFor(known, { level: 'warn', message: 'the event log has lost events; verify it' })).toBeUndefined();
  expect(wordsFor(known, { level: 'error', message: 'the sky falls' })).toBeUndefined();
});

test('links become their words', () => {
  const [line] = knownLines('| warn | `it …` | see [the page](a.md#b) | look *at* `x` |');
  expect([line?.means, line?.todo]).toEqual(['See the page.', 'Look at `x`.']);
});
