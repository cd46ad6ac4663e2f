import {
  defineToolset,
  type OfferedTool,
  offeredTo,
  pinsOfToolset,
  toolsetFromDefinition,
  withServerInstructions,
} from '@stopgo/core';
import { expect, test } from 'vitest';
import { llm, tool } from './story.ts';

const toolset = (...all: OfferedTool[]) => new Map(all.map((one) => [one.name, one]));
const of = (server: string) => ({ kind: 'tool', server }) as const;
const ofFiles = { target: of('files'), instructions: { text: 'Look first.', pin: 'pin-files' } };
const ofWeb = { target: of('web'), instructions: { text: 'Ask\n> twice\u202e.', pin: 'pin-web' } };
const tools = toolset(tool('write', {}, ofFiles), tool('read', {}, ofFiles), tool('get', {}, ofWeb), tool('other'));

test('a model is told what the servers of its tools say, quoted, with nothing hidden in it', () => {
  expect(withServerInstructions('Help.', tools)).toBe(
    'Help.\n\n' +
      'What the tool server files says of its tools, in its own words:\n> Look first.\n\n' +
      'What the tool server web says of its tools, in its own words:\n> Ask\n> > twice\\u{202e}.',
  );
  expect(withServerInstructions('', toolset(tool('write', {}, ofFiles)))).toMatch(/^What the tool server files says/);
});

test('a node that is offered no tool of a server is not told what that says', () => {
  const told = (selection: object) => withServerInstructions('Help.', offeredTo({ node: llm(selection) }, tools));
  expect(told({ toolServers: ['web'] })).not.toContain('Look first.');
  expect(told({ tools: ['read'] })).not.toContain('twice');
  expect(told({ tools: ['other'] })).toBe('Help.');
});

test('the recorded set of tools holds what was said, each once; one in which nothing was said is as before', () => {
  const { definitionJson, digest } = defineToolset(tools);
  expect(definitionJson.match(/pin-files/g)).toHaveLength(1);
  expect(pinsOfToolset(definitionJson)).toEqual(expect.arrayContaining(['pin-files', 'pin-web']));
  const definitions = new Map(
    [...tools.values()].map(({ name, pin, description, inputSchemaJson }) => [
      pin,
      JSON.stringify({ name, description, inputSchema: JSON.parse(inputSchemaJson) }),
    ]),
  );
  for (const { pin, text } of [ofFiles.instructions, ofWeb.instructions])
    definitions.set(pin, JSON.stringify({ instructions: text }));
  const read = toolsetFromDefinition(definitionJson, definitions);
  expect(read).toEqual(new Map([...tools].sort(([a], [b]) => (a < b ? -1 : 1))));
  expect(defineToolset(read).digest).toBe(digest);

  // As it was recorded for a while: in entries of their own.
  const entries = JSON.parse(definitionJson) as { instructions?: string }[];
  const older = JSON.stringify([
    ...entries.map(({ instructions: _, ...entry }) => entry),
    ...[ofFiles, ofWeb].map(({ target, instructions: { pin } }) => ({ instructionsOf: target.server, pin })),
  ]);
  expect(new Set(pinsOfToolset(older))).toEqual(new Set(pinsOfToolset(definitionJson)));
  expect(toolsetFromDefinition(older, definitions)).toEqual(read);

  const silent = toolset(tool('other'));
  const [entry, ...others] = JSON.parse(defineToolset(silent).definitionJson) as object[];
  expect(others).toEqual([]);
  expect(Object.keys(entry ?? {})).toEqual(['approvalRequired', 'forwardsBearer', 'hints', 'name', 'pin', 'server']);
});
