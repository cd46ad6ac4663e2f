import { invalidArgument, isUuid, visibleLine } from '@stopgo/core';
import type { Request } from 'express';
import { cursorCharactersMax, echoCharactersMax, pageItemsDefault, pageItemsMax } from './bounds.ts';
import { timeFrom } from './time-text.ts';

const integerPattern = /^\d{1,10}$/;

/** The parameters after the `?`. Every complaint names the parameter. */
export class Query {
  readonly #params: URLSearchParams;

  /**
   * @param known - the parameters that the route takes. Any other is refused: a filter that is not known would show what was to be left out.
   *   Absent: others are left alone, as of event streams, to whose addresses browsers add their own.
   * @throws DomainError `invalid_argument` that names the first other one, and all that are known.
   */
  constructor(req: Request, known?: readonly string[]) {
    const start = req.originalUrl.indexOf('?');
    this.#params = new URLSearchParams(start < 0 ? '' : req.originalUrl.slice(start));
    const unknown = known && [...this.#params.keys()].find((name) => !known.includes(name));
    if (unknown === undefined || known === undefined) return;
    const shown = visibleLine(unknown.slice(0, echoCharactersMax));
    throw invalidArgument(`unknown parameter "${shown}"; known: ${known.map((name) => `"${name}"`).join(', ')}`);
  }

  /** A text; undefined if it is absent or empty. */
  text(name: string, charactersMax: number): string | undefined {
    const [value, second] = this.#params.getAll(name);
    if (second !== undefined) throw invalidArgument(`"${name}" was given more than once`);
    if (value === undefined || value === '') return undefined;
    if ([...value].length > charactersMax) {
      throw invalidArgument(`"${name}" is longer than ${charactersMax} characters`);
    }
    if (value.includes('\0')) throw invalidArgument(`"${name}" holds a NUL character`);
    return value;
  }

  /** A whole number within bounds; undefined if it is absent. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name, cursorCharactersMax);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!integerPattern.test(text) || value < min || value > max) {
      throw invalidArgument(`"${name}" must be a whole number from ${min} to ${max}`);
    }
    return value;
  }

  /** What one of some words stands for; undefined if it is absent. */
  choice<T>(name: string, choices: Readonly<Record<string, T>>): T | undefined {
    const text = this.text(name, cursorCharactersMax);
    if (text === undefined) return undefined;
    if (!Object.hasOwn(choices, text)) {
      throw invalidArgument(`"${name}" must be one of ${Object.keys(choices).join(', ')}`);
    }
    return choices[text];
  }

  /** A time with its offset from UTC, in milliseconds since 1970; undefined if it is absent. */
  time(name: string): number | undefined {
    const text = this.text(name, cursorCharactersMax);
    if (text === undefined) return undefined;
    const value = timeFrom(text);
    if (value === undefined) throw invalidArgument(`"${name}" must be a time like 2026-01-15T10:30:00Z`);
    return value;
  }

  /** A UUID in lower case; undefined if it is absent. */
  uuid(name: string): string | undefined {
    const text = this.text(name, cursorCharactersMax)?.toLowerCase();
    if (text !== undefined && !isUuid(text)) throw invalidArgument(`"${name}" must be a UUID`);
    return text;
  }

  /** Which page of a list is wanted. */
  page(): { readonly limit: number; readonly cursor: string } {
    return {
      limit: this.integer('limit', 1, pageItemsMax) ?? pageItemsDefault,
      cursor: this.text('cursor', cursorCharactersMax) ?? '',
    };
  }
}
