import { checkInternalToken, Secret } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';

/** Gives the value of an environment variable, undefined if it is not set or set to nothing. */
export type Variable = (name: string) => string | undefined;

/** Reads variables; what is blank counts as not set, which is how compose files pass on what is not there. */
export const variablesOf =
  (env: Readonly<Record<string, string | undefined>>): Variable =>
  (name) =>
    env[name]?.trim() || undefined;

/** Gives the text of a file, or throws as `node:fs` does. */
export type ReadFile = (path: string) => string;

/**
 * The token that services prove themselves with, from `STOPGO_INTERNAL_TOKEN` or from the file that
 * `STOPGO_INTERNAL_TOKEN_FILE` names; undefined if neither is set.
 *
 * @throws Error in one line that names the variable and never holds the token.
 */
export function readInternalToken(variable: Variable, readFile: ReadFile): Secret | undefined {
  const given = variable('STOPGO_INTERNAL_TOKEN');
  const file = variable('STOPGO_INTERNAL_TOKEN_FILE');
  if (given !== undefined && file !== undefined)
    throw new Error('STOPGO_INTERNAL_TOKEN: is set beside STOPGO_INTERNAL_TOKEN_FILE; set one of them');
  const value = given ?? (file === undefined ? undefined : textOf(file, readFile));
  if (value === undefined) return undefined;
  const token = new Secret(value);
  try {
    checkInternalToken(token);
  } catch (error) {
    throw new Error(`STOPGO_INTERNAL_TOKEN${file === undefined ? '' : '_FILE'}: ${messageOf(error)}`);
  }
  return token;
}

function textOf(file: string, readFile: ReadFile): string {
  try {
    return readFile(file).trim();
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
    throw new Error(`STOPGO_INTERNAL_TOKEN_FILE: ${file} cannot be read (${why}); name a file that this user may read`);
  }
}
