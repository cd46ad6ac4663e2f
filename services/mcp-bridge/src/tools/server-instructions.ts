import { cutText, instructionsName, toolPin } from '@stopgo/core';
import type { ToolProblem } from './tool-problem.ts';

/** What a server says of how its tools are used, in its own words: pinned and accepted as a tool is, under a name that no tool has. */
export type ServerInstructions = {
  readonly server: string;
  readonly name: typeof instructionsName;
  readonly ownName: typeof instructionsName;
  readonly text: string;
  /** Canonical JSON with the text as its only member; the pin is its digest. */
  readonly definitionJson: string;
  readonly pin: string;
};

/** Longest instructions that are taken, in bytes; longer ones are cut, with a mark that holds the digest of the whole. */
export const instructionsBytesMax = 16 * 1_024;

/** Halves of characters, which have no place in UTF-8. */
const halves = /\p{Cs}/gu;

/** Reads what a server said at its start; neither is given if that is nothing. `clean`: the text without credentials of ours. */
export function readInstructions(
  server: string,
  said: string | undefined,
  clean: (text: string) => string,
): { readonly instructions?: ServerInstructions; readonly problem?: ToolProblem } {
  const whole = said?.trim() ?? '';
  if (whole === '') return {};
  if (clean(whole) !== whole)
    return {
      problem: { line: 'its instructions repeat a credential that the server was shown; models are not told them' },
    };
  const { text } = cutText(whole.replace(halves, '\ufffd'), instructionsBytesMax);
  const name = instructionsName;
  return { instructions: { server, name, ownName: name, text, ...toolPin({ instructions: text }) } };
}
