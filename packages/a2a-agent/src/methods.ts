import { visibleText } from '@stopgo/core';
import { METHOD_CHARACTERS_SHOWN_MAX } from './bounds.ts';
import { type Dialect, isMethodOf } from './dialect.ts';
import { A2A_ERROR_CODE } from './protocol.ts';

/** The error for a method that a dialect does not have, with the version in which it was looked up; undefined if it has it. */
export function methodNotFound(
  method: string,
  dialect: Dialect,
): { readonly code: number; readonly message: string } | undefined {
  const version = dialect === '1.0' ? '1.0' : '0.3';
  if (isMethodOf(version, method)) return undefined;
  const other = version === '1.0' ? '0.3' : '1.0';
  const hint = isMethodOf(other, method) ? `; it is one of ${other}: send A2A-Version: ${other}` : '';
  const shown = visibleText(method.slice(0, METHOD_CHARACTERS_SHOWN_MAX));
  return {
    code: A2A_ERROR_CODE.METHOD_NOT_FOUND,
    message: `Method not found: A2A ${version} has no method ${shown}${hint}`,
  };
}
