/** What agents of this platform ask people for. */
import type { InputType } from '../state/interrupt.ts';
import { inputMessageBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { canonicalJson, type Json, parseJson } from '../text/json.ts';
import { askedFields } from './asked-values.ts';
import type { CallKind } from './kind.ts';
import { ownTool } from './own-tool.ts';

/** Name of the tool with which an agent asks people. */
export const requestInputTool = 'request_user_input';

/** What people are asked for. */
export type InputRequest = {
  readonly type: InputType;
  readonly prompt: string;
  /** JSON Schema of the values of an answer; empty for a file. */
  readonly schemaJson: string;
  readonly isRequired: boolean;
  /** How long it is waited for, in milliseconds. */
  readonly waitMs: number;
};

const minutesDefault = 1440;
/** 30 days. */
const minutesMax = 43_200;
const choicesMax = 50;
const choiceBytesMax = 1_024;

const description = 'Request input from user - pauses execution until response received';
const inputSchemaJson = JSON.stringify({
  type: 'object',
  properties: {
    prompt: { type: 'string', description: 'Question or prompt to show the user' },
    inputType: {
      type: 'string',
      enum: ['text', 'choice', 'file', 'approval'],
      default: 'text',
      description: 'Type of input expected',
    },
    choices: { type: 'array', items: { type: 'string' }, description: "Available choices if inputType is 'choice'" },
    required: { type: 'boolean', default: true, description: 'Whether input is required to continue' },
    timeoutMinutes: {
      type: 'number',
      default: minutesDefault,
      description: 'Minutes to wait before timing out',
    },
  },
  required: ['prompt'],
});

const offer = ownTool(
  { target: { kind: 'people', agent: '' }, name: requestInputTool, description, inputSchemaJson },
  { readOnly: true },
);

/** What the arguments of a call ask for, or what is wrong with them, as a sentence without its end. */
export function inputRequestOf(argumentsJson: string): InputRequest | string {
  const given = (parseJson(argumentsJson) ?? {}) as { readonly [name: string]: Json | undefined };
  const { prompt } = given;
  if (typeof prompt !== 'string' || prompt.trim() === '') return 'prompt must be a text';
  if (byteLength(prompt) > inputMessageBytesMax) return `prompt has more than ${inputMessageBytesMax} bytes`;
  const required = given.required ?? true;
  if (typeof required !== 'boolean') return 'required must be true or false';
  const minutes = given.timeoutMinutes ?? minutesDefault;
  if (typeof minutes !== 'number' || minutes <= 0 || minutes > minutesMax)
    return `timeoutMinutes must be a number above 0, at most ${minutesMax}`;
  const asked = askedForm(given);
  if (typeof asked === 'string') return asked;
  return { ...asked, prompt, isRequired: required, waitMs: Math.ceil(minutes * 60_000) };
}

type Form = Pick<InputRequest, 'type' | 'schemaJson'>;

function askedForm({ inputType, choices, schema }: { readonly [name: string]: Json | undefined }): Form | string {
  switch (inputType ?? 'text') {
    case 'text':
      return { type: 'text', schemaJson: schemaOf({ answer: { type: 'string', minLength: 1 } }) };
    case 'approval':
      return { type: 'approval', schemaJson: schemaOf({ approved: { type: 'boolean' } }) };
    case 'choice': {
      const problem = choicesProblem(choices);
      if (problem !== undefined) return problem;
      return { type: 'choice', schemaJson: schemaOf({ answer: { type: 'string', enum: choices as Json } }) };
    }
    case 'structured_data': {
      const schemaJson = canonicalJson(schema ?? null);
      const fields = askedFields(schemaJson);
      return typeof fields === 'string' ? `schema: ${fields}` : { type: 'structured_data', schemaJson };
    }
    case 'file':
      return { type: 'file', schemaJson: '' };
    default:
      return 'inputType must be text, choice, file or approval';
  }
}

const schemaOf = (properties: { readonly [name: string]: Json }): string =>
  canonicalJson({ type: 'object', properties, required: Object.keys(properties) });

function choicesProblem(choices: Json | undefined): string | undefined {
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > choicesMax)
    return `choices must be a list of 1 to ${choicesMax} texts`;
  const isChoice = (one: Json) => typeof one === 'string' && one !== '' && byteLength(one) <= choiceBytesMax;
  if (!choices.every(isChoice)) return `each of choices must be a text of at most ${choiceBytesMax} bytes`;
  return new Set(choices).size === choices.length ? undefined : 'choices must differ from each other';
}

/** Done by people: they are asked once the call is on the record, and their answer is its result. */
export const peopleKind = {
  noun: 'the tool',
  offers: ({ node, platform }) => (node.type === 'llm' && platform !== undefined ? [offer] : []),
  addressed: (_, { agentName }) => ({ kind: 'people', agent: agentName }),
  problemOf: (argumentsJson) => {
    const asked = inputRequestOf(argumentsJson);
    return typeof asked === 'string' ? { text: `${asked}; nobody was asked.` } : undefined;
  },
} as const satisfies CallKind;
