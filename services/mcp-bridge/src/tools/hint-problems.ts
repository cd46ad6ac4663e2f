import { type HintSource, type Hints, malformedHint } from '@stopgo/core';
import { shownName, type ToolProblem } from './tool-problem.ts';

/** Tools that one line names; of more only the number is told. */
const namesShown = 3;

/** What is wrong with what a tool says of itself; undefined if nothing is, or it changes nothing. */
export function hintProblem(name: string, declared: HintSource, { destructive }: Hints): ToolProblem | undefined {
  const malformed = malformedHint(declared);
  if (malformed === undefined || !destructive) return undefined;
  const what =
    malformed === 'annotations' ? 'annotations are no JSON object' : `${malformed} is neither true nor false`;
  return { line: `tool ${shownName(name)}: its ${what}; its calls wait for an approval` };
}

/** One line for all of them: some makers of servers have every tool that reads say so. */
export function contradictions(names: readonly string[]): readonly ToolProblem[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, namesShown).map(shownName).join(', ');
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return [{ line: `what says both readOnlyHint and destructiveHint is taken to read only: ${shown}${more}` }];
}
