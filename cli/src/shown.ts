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
