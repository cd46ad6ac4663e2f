import { quotedName, visibleLine, visibleText } from '@stopgo/core';

/*
 * What commands print of texts from outside (decision 0041): a value is one line, a name is quoted unless it is plain, and a text of
 * several lines is a block behind `| `, which no line of ours begins with.
 */

/** A value on one line, with nothing hidden in it. */
export const oneLine = visibleLine;

/** A name that no column can be forged with. */
export const shownName = quotedName;

/** A text as lines of a block. */
export function block(text: string, indent = '    '): string[] {
  return visibleText(text)
    .split('\n')
    .map((line) => `${indent}| ${line}`);
}

/** Characters that are shown of a text in passing; approvals and `stopgo events` show all. */
const passingMax = 200;

/** The beginning of a text on one line. */
export function inPassing(text: string): string {
  const start = Array.from(text.slice(0, 2 * passingMax))
    .slice(0, passingMax)
    .join('');
  return `${oneLine(start)}${start.length < text.length ? ' …' : ''}`;
}

/** A number of things: `1 message`, `2 messages`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** A text as one word of a shell's command line. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
