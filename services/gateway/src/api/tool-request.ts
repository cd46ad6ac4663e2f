import { unknownMember } from '@stopgo/http';
import { z } from 'zod';
import { by, type Issue, itemText, malformedText } from './request.ts';

/** Names and pins are short; a tool's name is the longest of them. */
const textBytesMax = 1_024;

const placeOf = ({ path = [] }: Issue): string => `tools[${String(path[1])}]`;

const needs =
  (name: string) =>
  (issue: Issue): string =>
    malformedText(`"${placeOf(issue)}" needs "${name}", as GET /tools/held shows it`);

const member = (name: string) => itemText(name, textBytesMax, needs(name));

const members = { server: member('server'), name: member('name'), pin: member('pin') };

/** A tool as it was shown. */
const shownTool = z.strictObject(members, {
  error: (issue: Issue) =>
    issue.keys === undefined
      ? needs('server')(issue)
      : malformedText(unknownMember(issue.keys, Object.keys(members), placeOf(issue)) ?? 'unknown member'),
});

const noList = malformedText('"tools" must be a list of {"server", "name", "pin"}');

/** Body that accepts tools. */
export const acceptTools = z.strictObject({
  tools: z
    .array(shownTool, { error: noList })
    .min(1, { error: noList })
    .describe('The tools: server, name and pin of each'),
  by: by(textBytesMax, 'Who accepts them'),
});
