import { ExactNumber, type ExactValue } from '@stopgo/client';
import type { Question } from './question.ts';

// The values that a schema asks for, as a form shows them. What it says beyond that part of JSON Schema is the server's to check.

export type Choice = { readonly value: string; readonly label: string };

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices';
  /** Of a number: it has no fraction. */
  readonly isWhole: boolean;
  readonly isRequired: boolean;
  /** Of a text: what it must look like. */
  readonly format: string;
  readonly choices: readonly Choice[];
  /** What it may be, in words; empty: whatever. */
  readonly bounds: string;
  /** The most characters that a text may have; undefined: nobody says. */
  readonly charactersMax?: number;
  readonly default: Value;
};

/** What is given for a field: a text, as it is written; of several choices those that are taken. Empty: nothing. */
export type Value = string | readonly string[];

type Schema = { readonly [name: string]: ExactValue };
const isMap = (value: ExactValue | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
const isText = (value: ExactValue | undefined): value is string => typeof value === 'string';
const textsIn = (value: ExactValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly ExactValue[]).filter(isText) : [];

/** The fields of a form, in the order of its schema. */
export function fieldsOf({ schema, type }: Pick<Question, 'schema' | 'type'>): readonly Field[] {
  if (!isMap(schema) || !isMap(schema.properties)) return [];
  const required = textsIn(schema.required);
  const isOfAgent = type === 'text' || type === 'choice';
  return Object.entries(schema.properties).flatMap(([name, property]) =>
    isMap(property) ? [fieldOf(name, property, required.includes(name), isOfAgent ? 'Your answer' : undefined)] : [],
  );
}

function fieldOf(name: string, property: Schema, isRequired: boolean, own?: string): Field {
  const { title, description, format } = property;
  const choices = choicesOf(property);
  const listed = isMap(property.items) ? choicesOf(property.items) : [];
  const base = {
    ...{ name, label: own ?? (isText(title) && title.trim() !== '' ? title : name) },
    ...{ description: isText(description) ? description : '', isRequired },
    ...{ isWhole: property.type === 'integer', format: isText(format) ? format : '', choices },
  };
  switch (property.type) {
    case 'boolean':
      return { ...base, kind: 'boolean', bounds: '', default: defaultText(property, ['true', 'false']) };
    case 'number':
    case 'integer':
      return { ...base, kind: 'number', bounds: numberBounds(property), default: defaultText(property) };
    case 'array': {
      const taken = textsIn(property.default).filter((one) => listed.some(({ value }) => value === one));
      const bounds = range(property.minItems, property.maxItems, 'choice');
      return {
        ...base,
        kind: 'choices',
        choices: listed,
        bounds: bounds === '' ? '' : `Take ${bounds}.`,
        default: taken,
      };
    }
    default: {
      if (choices.length > 0) {
        const values = choices.map(({ value }) => value);
        return { ...base, kind: 'choice', bounds: '', default: defaultText(property, values) };
      }
      const bounds = range(property.minLength, property.maxLength, 'character');
      const most = numberIn(property.maxLength);
      return {
        ...{ ...base, kind: 'text', bounds: textBounds(base.format, bounds), default: defaultText(property) },
        ...(most === undefined ? {} : { charactersMax: Number(most) }),
      };
    }
  }
}

/** `enum` with the titles of `enumNames`, or a list of values that are described one by one. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Schema): readonly Choice[] {
  const named = oneOf ?? anyOf;
  if (Array.isArray(named))
    return (named as readonly ExactValue[]).flatMap((one) =>
      isMap(one) && isText(one.const) ? [{ value: one.const, label: isText(one.title) ? one.title : one.const }] : [],
    );
  const names = textsIn(enumNames);
  return textsIn(values).map((value, index) => ({ value, label: names[index] ?? value }));
}

/** What stands in a field at first: as its schema says, if that is one of what may stand there. */
function defaultText({ default: value }: Schema, among?: readonly string[]): string {
  const given =
    value instanceof ExactNumber ? value.text : typeof value === 'object' || value === undefined ? '' : String(value);
  return among === undefined || among.includes(given) ? given : '';
}

const numberIn = (value: ExactValue | undefined): string | undefined =>
  value instanceof ExactNumber ? value.text : typeof value === 'number' ? String(value) : undefined;

function numberBounds({ minimum, maximum, type }: Schema): string {
  const [least, most] = [numberIn(minimum), numberIn(maximum)];
  const what = type === 'integer' ? 'A whole number' : 'A number';
  if (least !== undefined && most !== undefined) return `${what} from ${least} to ${most}.`;
  if (least !== undefined) return `${what}, at least ${least}.`;
  if (most !== undefined) return `${what}, at most ${most}.`;
  return type === 'integer' ? 'A whole number.' : '';
}

function range(min: ExactValue | undefined, max: ExactValue | undefined, what: string): string {
  const [least, most] = [numberIn(min), numberIn(max)];
  const last = most ?? least;
  const unit = `${what}${last === '1' ? '' : 's'}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `${least} ${unit}` : `${least} to ${most} ${unit}`;
  if (most !== undefined) return `at most ${most} ${unit}`;
  return least === undefined || least === '0' ? '' : `at least ${least} ${unit}`;
}

const formats: Readonly<Record<string, string>> = {
  email: 'An e-mail address.',
  uri: 'An address, such as https://example.com.',
  date: 'A date.',
  'date-time': 'A date and a time of day, by your clock.',
};

function textBounds(format: string, length: string): string {
  const long = length === '' ? '' : `${length.charAt(0).toUpperCase()}${length.slice(1)}.`;
  return [formats[format] ?? '', long].filter((one) => one !== '').join(' ');
}
