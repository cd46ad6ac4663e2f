import { describe, expect, test } from 'vitest';
import { columnsOf, Folded } from '../src/folded.ts';
import { block } from '../src/shown.ts';

const forged = '11111111-2222-3333-4444-555555555555  say of safe';

/** Columns of a character on a terminal that draws what is ambiguous, such as `…`, in so many. */
const widthOn = (ambiguous: 1 | 2) => (character: string) => {
  if (/[\p{Mn}\p{Me}]|\u200d|\ufe0f/u.test(character)) return 0;
  if (/[\p{sc=Han}\p{Emoji_Presentation}]/u.test(character)) return 2;
  return character <= '~' ? 1 : ambiguous;
};

/** The rows that a terminal shows: it goes on where a row is full, with no mark. */
function rowsOn(columns: number, text: string, widthOf: (character: string) => number): string[] {
  const rows = [''];
  let column = 0;
  const next = (): void => {
    rows.push('');
    column = 0;
  };
  for (const character of text) {
    if (character === '\n') next();
    else {
      // A tab goes to the next eighth column, or the last one, and begins no row.
      const width = character === '\t' ? Math.min(8 - (column % 8), columns - 1 - column) : widthOf(character);
      if (column + width > columns) next();
      rows[rows.length - 1] += character;
      column += width;
    }
  }
  return rows;
}

const paddings = (columns: number): readonly string[] => [
  ' '.repeat(columns - 6),
  '.'.repeat(columns - 2),
  '漢'.repeat(columns),
  '…'.repeat(columns),
  '\u{1f600}'.repeat(columns),
  '\u2764\ufe0f'.repeat(columns),
  'e\u0301'.repeat(columns),
  `${'\t'.repeat(columns)}x`,
  `x\t${' '.repeat(columns)}`,
  `漢${' '.repeat(columns)}\t`,
];

describe('a text that is padded to the width of the terminal begins no row as a line of ours does', () => {
  test.each([10, 13, 20, 80, 100])('on %i columns', (columns) => {
    for (const ambiguous of [1, 2] as const)
      for (const padding of paddings(columns)) {
        const folded = new Folded(() => columns);
        for (const [line, begins] of [
          ...block(`delete${padding}${forged}`).map((row) => [row, /^ {4}\| /] as const),
          ...block(`delete${padding}${forged}`, '').map((row) => [row, /^\| /] as const),
          [`c-1  active  "${padding}${forged}"`, /^(c-1 | {2}… )/] as const,
        ]) {
          const rows = rowsOn(columns, folded.folded(`${line}\n`), widthOn(ambiguous));
          expect(rows.pop()).toBe('');
          for (const row of rows) expect(row).toMatch(begins);
        }
      }
  });

  test('on a terminal that does not tell its width, or is too narrow for anything', () => {
    const line = `| ${'x'.repeat(200)}\n`;
    const at = (columns: number) => new Folded(() => columns).folded(line);
    expect(at(0)).toBe(at(80));
    expect(at(5)).toBe(at(10));
    expect(at(10)).not.toBe(at(11));
  });

  test('however the terminal changes its width, while a line is written or between lines', () => {
    let columns: number | undefined = 80;
    const folded = new Folded(() => columns);
    const half = folded.folded('| half');
    columns = undefined;
    // What goes to no terminal for a while still is a part of the line.
    expect(half + folded.folded(' a line')).toBe('| half a line');
    columns = 20;
    expect(folded.folded('x'.repeat(25))).toBe(`${'x'.repeat(7)}\n| ${'x'.repeat(18)}`);
    columns = 12;
    expect(folded.folded('y')).toBe('\n| y');
    columns = undefined;
    expect(folded.folded('\n')).toBe('\n');
    columns = 20;
    expect(folded.folded(`c-1  ${'z'.repeat(20)}`)).toBe(`c-1  ${'z'.repeat(15)}\n  … ${'z'.repeat(5)}`);
  });
});

test('nothing is lost, whole lines or pieces of them', () => {
  const text = `| ${'word '.repeat(40)}\n  calls x ${'y'.repeat(200)}\n`;
  const whole = new Folded(() => 30).folded(text);
  const pieces = new Folded(() => 30);
  expect([...text].map((piece) => pieces.folded(piece)).join('')).toBe(whole);
  const rows = whole.split('\n');
  const isBlock = (row: string): boolean => row.startsWith('| ');
  const [said, ours] = [rows.filter(isBlock), rows.filter((row) => !isBlock(row))];
  expect(`| ${said.map((row) => row.slice(2)).join('')}`).toBe(text.split('\n')[0]);
  expect(ours.map((row, at) => (at === 0 ? row : row.replace(/^ {2}… /, ''))).join('')).toBe(text.split('\n')[1]);
  expect(ours.slice(1, -1).every((row) => row.startsWith('  … '))).toBe(true);
});

test('where there is no terminal lines stay as they are', () => {
  const line = `${'x'.repeat(500)}\n`;
  expect(new Folded(() => columnsOf({ columns: 40 })).folded(line)).toBe(line);
  expect(columnsOf({ isTTY: true, columns: 40 })).toBe(40);
  expect(columnsOf({ isTTY: true })).toBe(0);
});
