/** What agents of this platform remember from one run to the next: each its own. */
import { facts as wire } from '@stopgo/proto';
import type { OfferedTool } from '../agent/definition.ts';
import { keyProblem, memoryProblem, type NewMemory, timeOf } from '../memory/decide-memory.ts';
import { canonicalJson, type Json, parseJson } from '../text/json.ts';
import { quotedName, spoken } from '../text/visible.ts';
import type { CallKind } from './kind.ts';
import { ownTool } from './own-tool.ts';

/** Names of the tools with which an agent saves and loads. */
export const saveMemoryTool = 'save_memory';
export const loadMemoryTool = 'load_memory';

const schemas: Readonly<Record<string, { readonly description: string; readonly inputSchema: Json }>> = {
  [saveMemoryTool]: {
    description: 'Save data for later retrieval across runs',
    inputSchema: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'Unique identifier for the data' },
        value: { type: 'object', description: 'Data to save (any JSON value)' },
        expiresAt: { type: 'string', format: 'date-time', description: 'Optional expiration time' },
      },
      required: ['key', 'value'],
    },
  },
  [loadMemoryTool]: {
    description: 'Retrieve previously saved data',
    inputSchema: {
      type: 'object',
      properties: { key: { type: 'string', description: 'Identifier of data to retrieve' } },
      required: ['key'],
    },
  },
};

const offers: readonly OfferedTool[] = Object.entries(schemas).map(([name, { description, inputSchema }]) =>
  ownTool(
    { target: { kind: 'memory', agent: '' }, name, description, inputSchemaJson: JSON.stringify(inputSchema) },
    { readOnly: name === loadMemoryTool },
  ),
);

/** What a call asks of an agent's memory. */
export type MemoryRequest =
  | ({ readonly type: 'save' } & NewMemory)
  | { readonly type: 'load'; readonly key: string }
  | { readonly type: 'malformed'; readonly problem: string };

/** What the arguments of a call ask for. A value may be of any type, whatever the schema says of it. */
export function memoryRequestOf(tool: string, argumentsJson: string): MemoryRequest {
  const { key, value, expiresAt } = (parseJson(argumentsJson) ?? {}) as { readonly [name: string]: Json | undefined };
  const malformed = (problem: string): MemoryRequest => ({ type: 'malformed', problem });
  if (typeof key !== 'string') return malformed('key must be a text');
  if (tool === loadMemoryTool) {
    const problem = keyProblem(key);
    return problem === undefined ? { type: 'load', key } : malformed(problem);
  }
  if (value === undefined) return malformed('value is missing');
  const until = typeof expiresAt === 'string' ? timeOf(expiresAt) : undefined;
  if (expiresAt !== undefined && expiresAt !== null && until === undefined)
    return malformed('expiresAt must be a time such as 2027-01-31T12:00:00Z');
  const made = { key, valueJson: canonicalJson(value), ...(until === undefined ? {} : { expiresAt: until }) };
  const problem = memoryProblem(made);
  return problem === undefined ? { type: 'save', ...made } : malformed(problem);
}

/**
 * The schema that the arguments of a tool have to fit. What is saved may be any value, whatever type models are told of, and what need not
 * be there may be null.
 */
export function takenSchemaJson({ target, inputSchemaJson }: OfferedTool): string {
  if (target.kind !== 'memory') return inputSchemaJson;
  const schema = JSON.parse(inputSchemaJson) as { readonly properties: { readonly [name: string]: Json } };
  const { value: _any, expiresAt, ...properties } = schema.properties;
  // Without its format: what it says is found out here.
  const orNull = expiresAt === undefined ? {} : { expiresAt: { type: ['string', 'null'] } };
  return JSON.stringify({ ...schema, properties: { ...properties, ...orNull } });
}

/** The agent that asks has it done by the platform, which keeps what agents remember in streams of their own. */
export const memoryKind = {
  noun: 'the tool',
  offers: ({ node, platform }) => (node.type === 'llm' && platform !== undefined ? offers : []),
  addressed: (_, { agentName }) => ({ kind: 'memory', agent: agentName }),
  asked: {
    approvalKind: wire.ApprovalKind.TOOL,
    describe: ({ tool, target, argumentsJson }) => {
      const { key, value, expiresAt } = (parseJson(argumentsJson) ?? {}) as Readonly<Record<string, Json>>;
      const what = tool === saveMemoryTool ? 'SAVE Memory' : 'LOAD Memory';
      const saved = value === undefined ? '' : `\nValue: ${spoken(JSON.stringify(value, null, 2))}`;
      const until = expiresAt === undefined ? '' : `\nExpires: ${JSON.stringify(expiresAt)}`;
      return `**${what} of Agent: ${quotedName(target)}**\n\nKey: ${quotedName(String(key))}${until}${saved}`;
    },
  },
  problemOf: (argumentsJson, _site, _before, tool) => {
    const asked = memoryRequestOf(tool, argumentsJson);
    if (asked.type !== 'malformed') return undefined;
    const nothing = tool === saveMemoryTool ? 'nothing was saved' : 'nothing was loaded';
    return { text: `The arguments are not what the tool takes: ${asked.problem}; ${nothing}.` };
  },
} as const satisfies CallKind;
