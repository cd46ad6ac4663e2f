/** What the agents of a run share, as they ask for it. */
import { facts as wire } from '@stopgo/proto';
import type { LlmNode } from '../agent/definition.ts';
import { keyProblem } from '../memory/decide-memory.ts';
import { runDataValueBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { canonicalJson, type Json, parseJson } from '../text/json.ts';
import { quotedName, spoken } from '../text/visible.ts';
import type { CallKind } from './kind.ts';
import { ownTool } from './own-tool.ts';
import { namesTool } from './takes-tool.ts';

/** What the names of these tools begin with. */
const family = 'run_data_';
export const writeDataTool = `${family}write`;
const readTool = `${family}read`;
const queryTool = `${family}query`;
const listTool = `${family}list`;
const deleteTool = `${family}delete`;

/** Values that a search gives, if it does not say how many. */
const foundUsually = 20;
const foundMax = 100;

const key: Json = { type: 'string', description: 'Name of the value' };
const prefix: Json = { type: 'string', description: 'Only keys that begin with this' };

const tools: readonly (readonly [
  name: string,
  description: string,
  properties: { [name: string]: Json },
  needed: string[],
])[] = [
  [
    writeDataTool,
    'Write a value that all agents working on this request can read, instead of what is there under its key. It is gone when the request is done',
    { key, value: { description: 'Any JSON value' } },
    ['key', 'value'],
  ],
  [readTool, 'Read a value that agents working on this request share', { key }, ['key']],
  [
    queryTool,
    'Search the values that agents working on this request share',
    {
      text: { type: 'string', description: 'Words that key or value hold, each of them' },
      prefix,
      limit: { type: 'integer', minimum: 1, maximum: foundMax, default: foundUsually, description: 'Most values' },
    },
    [],
  ],
  [listTool, 'List the keys of the values that agents working on this request share', { prefix }, []],
  [deleteTool, 'Delete a value that agents working on this request share', { key }, ['key']],
];

const offers = tools.map(([name, description, properties, required]) =>
  ownTool(
    {
      target: { kind: 'data', agent: '' },
      ...{ name, description, inputSchemaJson: JSON.stringify({ type: 'object', properties, required }) },
    },
    { readOnly: name !== writeDataTool && name !== deleteTool },
  ),
);

/** What a call asks of what the agents of its run share. */
export type DataRequest =
  /** The value in canonical form. */
  | { readonly type: 'write'; readonly key: string; readonly valueJson: string }
  | { readonly type: 'read' | 'delete'; readonly key: string }
  | { readonly type: 'list'; readonly prefix: string }
  | { readonly type: 'query'; readonly prefix: string; readonly words: readonly string[]; readonly limit: number }
  | { readonly type: 'malformed'; readonly problem: string };

/** What the arguments of a call of one of these tools ask for. What need not be there may be null. */
export function dataRequestOf(tool: string, argumentsJson: string): DataRequest {
  const given = (parseJson(argumentsJson) ?? {}) as { readonly [name: string]: Json | undefined };
  const malformed = (problem: string): DataRequest => ({ type: 'malformed', problem });
  if (tool === listTool || tool === queryTool) {
    const { prefix: begins = null, text = null, limit = null } = given;
    if (begins !== null && typeof begins !== 'string') return malformed('prefix must be a text');
    if (tool === listTool) return { type: 'list', prefix: begins ?? '' };
    if (text !== null && typeof text !== 'string') return malformed('text must be a text');
    const most = limit ?? foundUsually;
    if (typeof most !== 'number' || !Number.isInteger(most) || most < 1 || most > foundMax)
      return malformed(`limit must be a whole number from 1 to ${foundMax}`);
    const words = (text ?? '').split(/\s+/).filter((word) => word !== '');
    return { type: 'query', prefix: begins ?? '', words, limit: most };
  }
  const { key: name, value } = given;
  if (typeof name !== 'string') return malformed('key must be a text');
  const problem = keyProblem(name);
  if (problem !== undefined) return malformed(problem);
  if (tool !== writeDataTool) return { type: tool === readTool ? 'read' : 'delete', key: name };
  if (value === undefined) return malformed('value is missing');
  const valueJson = canonicalJson(value);
  const bytes = byteLength(valueJson);
  return bytes <= runDataValueBytesMax
    ? { type: 'write', key: name, valueJson }
    : malformed(`a value has at most ${runDataValueBytesMax} bytes as JSON, and this one has ${bytes}`);
}

/** The value that a call wrote, in canonical form; undefined if these are not the arguments of one that did. */
export function writtenValueOf(argumentsJson: string): string | undefined {
  const asked = dataRequestOf(writeDataTool, argumentsJson);
  return asked.type === 'write' ? asked.valueJson : undefined;
}

/** They are offered to whom they are named to: each agent would be told of five tools more. A pattern for all tools names none of them. */
function isNamed({ tools: patterns = [] }: LlmNode, name: string): boolean {
  const own = patterns.filter((pattern) => pattern.replace(/^!/, '').startsWith(family));
  return namesTool(own, '', name);
}

/** The platform does it, with what is on the record of the run. */
export const dataKind = {
  noun: 'the tool',
  offers: ({ node, platform }) =>
    node.type === 'llm' && platform !== undefined ? offers.filter(({ name }) => isNamed(node, name)) : [],
  addressed: (_, { agentName }) => ({ kind: 'data', agent: agentName }),
  asked: {
    approvalKind: wire.ApprovalKind.TOOL,
    describe: ({ tool, target, argumentsJson }) => {
      const { value, ...others } = (parseJson(argumentsJson) ?? {}) as Readonly<Record<string, Json>>;
      const told = Object.entries(others).map(
        ([name, one]) => `${quotedName(name)}: ${quotedName(typeof one === 'string' ? one : JSON.stringify(one))}`,
      );
      const written = value === undefined ? [] : [`Value: ${spoken(JSON.stringify(value, null, 2))}`];
      const heading = `**SHARED DATA of the Run, by Agent: ${quotedName(target)}**`;
      return [`${heading}\n`, `Tool: ${tool}`, ...told, ...written].join('\n');
    },
  },
  problemOf: (argumentsJson, _site, _before, tool) => {
    const asked = dataRequestOf(tool, argumentsJson);
    if (asked.type !== 'malformed') return undefined;
    return { text: `The arguments are not what the tool takes: ${asked.problem}; nothing was done.` };
  },
} as const satisfies CallKind;
