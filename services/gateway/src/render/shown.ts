import { visibleLine } from '@stopgo/core';

/** A name or a reason for people: one line in which nothing is hidden. */
export const shownLine = visibleLine;

/** The same; undefined for an empty text. */
export const presentLine = (text: string): string | undefined => (text === '' ? undefined : visibleLine(text));
