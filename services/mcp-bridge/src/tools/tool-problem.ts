import { visibleLine } from '@stopgo/core';

/** A tool that a server offers and that cannot be used. */
export type LeftOutTool = {
  /** As it may be shown; empty if it has none. */
  readonly name: string;
  readonly reason: string;
};

/** What is wrong with something that a server offers, as a sentence, and the tool that it costs, if it costs one. */
export type ToolProblem = { readonly line: string; readonly leftOut?: LeftOutTool };

/** Names, and places in a schema, are cut after so many characters in a warning. */
const shownCharactersMax = 80;

/** A tool is left out for a reason. */
export function leftOut(name: string, reason: string, consequence = 'the tool is left out'): ToolProblem {
  return {
    line: `tool ${shownName(name)}: ${reason}; ${consequence}`,
    leftOut: { name: shownText(name), reason },
  };
}

/** What has no name that it could be told by is left out. */
export function namelessLeftOut(what: string, reason: string): ToolProblem {
  return { line: `${what} is left out`, leftOut: { name: '', reason } };
}

/** A tool's name for a log line. */
export function shownName(name: string): string {
  return `"${shownText(name)}"`;
}

/** A server's text for a log line: short, on one line, with nothing hidden. */
export function shownText(text: string): string {
  return visibleLine(text.slice(0, shownCharactersMax));
}
