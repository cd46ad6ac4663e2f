import { visibleLine } from '@stopgo/core';
import { nameCharactersMax, partCharactersMax, partsMax } from './bounds.ts';

/** Letters and digits of any script, `_`, `-`, and dots inside: nothing that a shell, an address or a reader takes for something else. */
const part = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_-])?$/u;

/** Why a text cannot be the name of an agent, or a namespace; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length > nameCharactersMax) return `it has ${name.length} characters, more than ${nameCharactersMax}`;
  const parts = name.split('/');
  if (parts.length > partsMax) return `it has ${parts.length} parts between slashes, more than ${partsMax}`;
  for (const one of parts) {
    const problem = partProblem(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function partProblem(one: string): string | undefined {
  if (one === '') return 'a part of it between slashes is empty';
  if (one.length > partCharactersMax)
    return `its part "${visibleLine(one.slice(0, 32))}…" has ${one.length} characters, more than ${partCharactersMax}`;
  if (!part.test(one))
    return `its part "${visibleLine(one)}" holds something else than letters, digits, _, - and dots inside`;
  if (one.normalize('NFC') !== one)
    return `its part "${visibleLine(one)}" is written with separate marks; write it in Unicode's form NFC`;
  return undefined;
}
