import { visibleText } from '@stopgo/core';
import { methodCharactersShownMax } from './bounds.ts';
import { type Dialect, isMethodOf } from './dialect.ts';
import { A2A_ERROR_CODE } from './protocol.ts';

/** An error of JSON-RPC for a method that is not found. */
type NotFound = { readonly code: number; readonly message: string; readonly data?: string };

/**
 * The error for a method that a dialect does not have, with the version in which it was looked up; undefined if it has it. Whoever
 * says no version may be of the dialects before versions, where the words are these alone: for them the rest is beside the words.
 */
export function methodNotFound(method: string, dialect: Dialect, isVersionSaid: boolean): NotFound | undefined {
  const version = dialect === '1.0' ? '1.0' : '0.3';
  if (isMethodOf(version, method)) return undefined;
  const other = version === '1.0' ? '0.3' : '1.0';
  const hint = isMethodOf(other, method) ? `; it is one of ${other}: send A2A-Version: ${other}` : '';
  const shown = visibleText(method.slice(0, methodCharactersShownMax));
  const [code, message, detail] = [
    A2A_ERROR_CODE.METHOD_NOT_FOUND,
    'Method not found',
    `A2A ${version} has no method ${shown}${hint}`,
  ];
  return isVersionSaid ? { code, message: `${message}: ${detail}` } : { code, message, data: detail };
}
