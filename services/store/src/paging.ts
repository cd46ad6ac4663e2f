import { invalidArgument } from '@stopgo/core';
import { cursorCharactersMax, listLimitMax } from './bounds.ts';
import type { Page } from './views.ts';

/** The lists that have cursors; a cursor of one does not go with another. */
export type ListName = 'conversations' | 'approvals' | 'runs' | 'pushes';

/** The text that stands for a row's key, for callers not to look into. Empty at the end of a list. */
export function encodeCursor(list: ListName, key: number | undefined): string {
  return key === undefined ? '' : Buffer.from(`${list}.${key}`).toString('base64url');
}

/** The page that a caller asks for. Throws `invalid_argument` for a cursor that this list did not give. */
export function pageOf(list: ListName, request: { limit: number; cursor: string }, limitDefault: number): Page {
  return { limit: checkLimit(request.limit, limitDefault), after: decodeCursor(list, request.cursor) };
}

/** The number of rows wanted; 0 stands for the default. */
export function checkLimit(limit: number, limitDefault: number): number {
  if (limit > listLimitMax) throw invalidArgument(`the limit is ${limit}, at most ${listLimitMax} is allowed`);
  return limit === 0 ? limitDefault : limit;
}

function decodeCursor(list: ListName, cursor: string): number | undefined {
  if (cursor === '') return undefined;
  const key =
    cursor.length > cursorCharactersMax ? undefined : keyIn(list, Buffer.from(cursor, 'base64url').toString());
  if (key === undefined || encodeCursor(list, key) !== cursor)
    throw invalidArgument('the cursor is not one that this list gave; start without a cursor');
  return key;
}

function keyIn(list: ListName, decoded: string): number | undefined {
  const key = Number(decoded.startsWith(`${list}.`) ? decoded.slice(list.length + 1) : Number.NaN);
  return Number.isSafeInteger(key) && key >= 0 ? key : undefined;
}
