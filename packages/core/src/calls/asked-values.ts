// What a tool server may ask a person in the midst of a call: an object of plain values (MCP elicitation), described by a small part
// of JSON Schema. What the schema says beyond that part is the server's to check.
import {
  argumentsBytesMax,
  inputFieldsMax,
  inputMessageBytesMax,
  inputSchemaBytesMax,
  inputUrlBytesMax,
} from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { type Json, parseJson } from '../text/json.ts';

type JsonObject = { readonly [key: string]: Json };

/** A value that is asked for. */
export type AskedField = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  readonly required: boolean;
  /** The values that there are to choose from; absent: any. */
  readonly choices?: readonly string[];
  /** Of a string its length in characters, of a number its value, of an array how many. */
  readonly min?: number;
  readonly max?: number;
  /** Of a string: what it must look like. */
  readonly format?: string;
};

/** What is wrong with a question, as a sentence; undefined if it may be asked. */
export function questionProblem(asked: {
  readonly message: string;
  readonly schemaJson: string;
  readonly url: string;
}): string | undefined {
  if (byteLength(asked.message) > inputMessageBytesMax)
    return `the message is longer than ${inputMessageBytesMax} bytes`;
  if (asked.url !== '') return urlProblem(asked.url);
  const bytes = byteLength(asked.schemaJson);
  if (bytes > inputSchemaBytesMax) return `the schema has ${bytes} bytes; at most ${inputSchemaBytesMax} are taken`;
  const fields = askedFields(asked.schemaJson);
  return typeof fields === 'string' ? fields : undefined;
}

function urlProblem(text: string): string | undefined {
  if (byteLength(text) > inputUrlBytesMax) return `the address is longer than ${inputUrlBytesMax} bytes`;
  if (!/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/u.test(text))
    return 'the address is no http or https URL, or holds a user name';
  return undefined;
}

/** The values that a schema asks for, in its order; or why it is none that a person can be asked with. */
export function askedFields(schemaJson: string): readonly AskedField[] | string {
  const schema = parseJson(schemaJson);
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties ?? {}))
    return 'the schema is not that of an object';
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > inputFieldsMax) return `the schema asks for more than ${inputFieldsMax} values`;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields: AskedField[] = [];
  for (const [name, property] of properties) {
    const field = fieldOf(name, property, required.includes(name));
    if (field === undefined) return `the schema asks for "${name}" as no plain value, which nobody can be asked for`;
    fields.push(field);
  }
  const unknown = required.find((name) => !fields.some((field) => field.name === name));
  return unknown === undefined ? fields : `the schema requires "${String(unknown)}", which it does not describe`;
}

function fieldOf(name: string, property: Json, required: boolean): AskedField | undefined {
  if (!isObject(property)) return undefined;
  const { title = name, description = '' } = property;
  if (typeof title !== 'string' || typeof description !== 'string') return undefined;
  const base = { name, title, description, required };
  switch (property.type) {
    case 'boolean':
      return { ...base, type: 'boolean' };
    case 'number':
    case 'integer':
      return { ...base, type: property.type, ...range(property.minimum, property.maximum) };
    case 'string': {
      const choices = choicesOf(property);
      const format = typeof property.format === 'string' ? { format: property.format } : {};
      const length = range(property.minLength, property.maxLength);
      return { ...base, type: 'string', ...(choices === undefined ? {} : { choices }), ...length, ...format };
    }
    case 'array': {
      const choices = isObject(property.items) ? choicesOf(property.items) : undefined;
      const count = range(property.minItems, property.maxItems);
      return choices === undefined ? undefined : { ...base, type: 'array', choices, ...count };
    }
    default:
      return undefined;
  }
}

function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): readonly string[] | undefined {
  if (isList(values)) return values.every(isText) ? values : undefined;
  const titled = oneOf ?? anyOf;
  if (!isList(titled)) return undefined;
  const texts = titled.map((one) => (isObject(one) ? one.const : undefined));
  return texts.every(isText) ? texts : undefined;
}

function range(min: Json | undefined, max: Json | undefined): { readonly min?: number; readonly max?: number } {
  return { ...(typeof min === 'number' ? { min } : {}), ...(typeof max === 'number' ? { max } : {}) };
}

/** What is wrong with the values that somebody gives, by what is asked for, as a sentence; undefined if nothing is. */
export function answerProblem(schemaJson: string, contentJson: string): string | undefined {
  const bytes = byteLength(contentJson);
  if (bytes > argumentsBytesMax) return `content has ${bytes} bytes; at most ${argumentsBytesMax} are taken`;
  const content = parseJson(contentJson);
  if (!isObject(content)) return 'content: expected an object with the values that are asked for';
  const fields = askedFields(schemaJson);
  if (typeof fields === 'string') return fields;
  for (const name of Object.keys(content))
    if (!fields.some((field) => field.name === name)) return `content: "${name.slice(0, 100)}" is not asked for`;
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (value === undefined) {
      if (field.required) return `content.${field.name} is required`;
      continue;
    }
    const wanted = mismatch(field, value);
    if (wanted !== undefined) return `content.${field.name}: expected ${wanted}`;
  }
  return undefined;
}

/** What the value should have been; undefined if it is. */
function mismatch(field: AskedField, value: Json): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'number':
    case 'integer': {
      const fits = typeof value === 'number' && (field.type === 'number' || Number.isInteger(value));
      return fits && isWithin(value, field)
        ? undefined
        : `${field.type === 'number' ? 'a' : 'a whole'} number${told(field)}`;
    }
    case 'string': {
      const { choices } = field;
      if (choices !== undefined)
        return isText(value) && choices.includes(value) ? undefined : `one of ${quoted(choices)}`;
      if (!isText(value) || !isWithin([...value].length, field)) return `a text${told(field, ' characters')}`;
      return hasFormat(value, field.format) ? undefined : `a text of the form ${field.format}`;
    }
    case 'array': {
      const { choices = [] } = field;
      const fits = isList(value) && value.every((one) => isText(one) && choices.includes(one));
      return fits && isWithin(value.length, field)
        ? undefined
        : `a list${told(field, ' values')} out of ${quoted(choices)}`;
    }
  }
}

const formats: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/u,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/iu,
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u,
  'date-time':
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})$/u,
};

function hasFormat(text: string, format = ''): boolean {
  return formats[format]?.test(text) ?? true;
}

function isWithin(value: number, { min, max }: AskedField): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

function told({ min, max }: AskedField, unit = ''): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return ` of at least ${min}${unit}`;
  return min === undefined ? ` of at most ${max}${unit}` : ` from ${min} to ${max}${unit}`;
}

function quoted(choices: readonly string[]): string {
  return choices.map((one) => `"${one}"`).join(', ');
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}
