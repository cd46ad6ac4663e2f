import { invalidArgument } from '@stopgo/core';
import { cursorCharactersMax, listLimitMax } from './bounds.ts';
import type { AskingKey, ChangeKey, Page } from './views.ts';

/** The lists that have cursors; a cursor of one does not go with another. */
export type ListName = 'conversations' | 'changes' | 'approvals' | 'inputs' | 'runs' | 'pushes' | 'users' | 'api keys';

/** The text that stands for a row's key, for callers not to look into. Empty at the end of a list. */
export function encodeCursor(list: ListName, key: number | undefined): string {
  return key === undefined ? '' : textOf(list, String(key));
}

/** The page that a caller asks for. Throws `invalid_argument` for a cursor that this list did not give. */
export function pageOf(list: ListName, request: { limit: number; cursor: string }, limitDefault: number): Page {
  return { limit: checkLimit(request.limit, limitDefault), after: decodeCursor(list, request.cursor) };
}

/** The same for a list that is ordered by the time of the last change. */
export function encodeChangeCursor(place: ChangeKey | undefined): string {
  return place === undefined ? '' : textOf('changes', `${place.changedAt}.${place.key}`);
}

/** As `pageOf`, of such a list. */
export function pageByChange(request: { limit: number; cursor: string }, limitDefault: number): Page<ChangeKey> {
  return { limit: checkLimit(request.limit, limitDefault), after: decodeChangeCursor(request.cursor) };
}

/** The same for what people are asked, by how long they are. */
export function encodeAskingCursor(place: AskingKey | undefined): string {
  return place === undefined ? '' : textOf('inputs', `${place.since}.${place.key}`);
}

/** As `pageOf`, of such a list. */
export function pageByAsking(request: { limit: number; cursor: string }, limitDefault: number): Page<AskingKey> {
  const place = placeIn('inputs', request.cursor);
  const after = place && { since: place[0], key: place[1] };
  return { limit: checkLimit(request.limit, limitDefault), after };
}

function decodeChangeCursor(cursor: string): ChangeKey | undefined {
  const place = placeIn('changes', cursor);
  return place && { changedAt: place[0], key: place[1] };
}

/** A time and a key, as a cursor of the list holds them. */
function placeIn(list: ListName, cursor: string): readonly [number, number] | undefined {
  if (cursor === '') return undefined;
  const [time = Number.NaN, key = Number.NaN] = wordsIn(list, cursor).map(Number);
  const isPlace = Number.isSafeInteger(time) && Number.isSafeInteger(key);
  if (!isPlace || textOf(list, `${time}.${key}`) !== cursor) throw notOfThisList();
  return [time, key];
}

/** The number of rows wanted; 0 stands for the default. */
export function checkLimit(limit: number, limitDefault: number): number {
  if (limit > listLimitMax) throw invalidArgument(`the limit is ${limit}, at most ${listLimitMax} is allowed`);
  return limit === 0 ? limitDefault : limit;
}

function decodeCursor(list: ListName, cursor: string): number | undefined {
  if (cursor === '') return undefined;
  const key = Number(wordsIn(list, cursor)[0] ?? Number.NaN);
  if (!Number.isSafeInteger(key) || key < 0 || encodeCursor(list, key) !== cursor) throw notOfThisList();
  return key;
}

const textOf = (list: ListName, place: string): string => Buffer.from(`${list}.${place}`).toString('base64url');

/** What a cursor holds behind the name of its list; nothing if it is of another. */
function wordsIn(list: ListName, cursor: string): readonly string[] {
  if (cursor.length > cursorCharactersMax) return [];
  const [name, ...words] = Buffer.from(cursor, 'base64url').toString().split('.');
  return name === list ? words : [];
}

const notOfThisList = () => invalidArgument('the cursor is not one that this list gave; start without a cursor');
