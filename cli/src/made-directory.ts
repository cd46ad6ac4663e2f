import { makeDirectory, messageOf } from '@stopgo/runtime';
import { oneLine } from './shown.ts';

/** Makes a directory that somebody named, and those above it. @throws Error in one line if it cannot be made. */
export function makeNamedDirectory(path: string): void {
  try {
    makeDirectory(path);
  } catch (error) {
    throw new Error(oneLine(`the directory ${path} cannot be made: ${messageOf(error)}`), { cause: error });
  }
}
