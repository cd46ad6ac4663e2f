import { canonicalJson, isExactNumber, type Json } from '@stopgo/core';
import { coercionStepsMax, referencesMax } from './bounds.ts';
import type { SchemaCheck } from './schema-checks.ts';

type ObjectSchema = { readonly [key: string]: Json };

/**
 * A value that fits a schema, or what is wrong with it. A value that fits is left as it is. One that does not is coerced where that
 * loses nothing (see {@link coerced}), and taken if it fits then.
 */
export async function fittedValue(
  schema: ObjectSchema,
  check: SchemaCheck,
  value: Json,
): Promise<{ readonly value: Json } | { readonly problem: string }> {
  const problem = await check(value);
  if (problem === undefined) return { value };
  const other = coerced(schema, value);
  if (other === value) return { problem };
  const left = await check(other);
  return left === undefined ? { value: other } : { problem: left };
}

/**
 * The value with each number and boolean as text where its schema wants a string, and each text that is exactly the canonical form of
 * a number as that number where its schema wants one. Nothing else changes: not where the schema also allows what is there, not where
 * it does not say which type it wants, or says it by a choice between schemas of objects. The very same value if nothing does.
 */
export function coerced(schema: ObjectSchema, value: Json): Json {
  const walk = new Coercion(schema);
  const result = walk.place([schema], value);
  return walk.stepsLeft < 0 ? value : result;
}

class Coercion {
  readonly #root: ObjectSchema;
  stepsLeft = coercionStepsMax;

  constructor(root: ObjectSchema) {
    this.#root = root;
  }

  /** A value at a place for which all of these schemas hold. */
  place(schemas: readonly Json[], value: Json): Json {
    this.stepsLeft -= 1;
    if (this.stepsLeft < 0) return value;
    const all = schemas.flatMap((one) => this.#facets(one, referencesMax));
    if (Array.isArray(value)) return this.#items(all, value);
    if (typeof value === 'object' && value !== null) return this.#members(all, value as ObjectSchema);
    return scalar(this.#typesOf(all), value);
  }

  #items(all: readonly ObjectSchema[], value: readonly Json[]): Json {
    const items = value.map((item, at) => {
      if (this.stepsLeft < 0) return item;
      return this.place(
        all.flatMap(({ prefixItems, items: rest }) => {
          const first: Json | undefined = Array.isArray(prefixItems) ? prefixItems[at] : undefined;
          return [first ?? rest ?? true];
        }),
        item,
      );
    });
    return items.every((item, at) => item === value[at]) ? value : items;
  }

  #members(all: readonly ObjectSchema[], value: ObjectSchema): Json {
    let isSame = true;
    const entries = Object.entries(value).map(([name, member]): [string, Json] => {
      if (this.stepsLeft < 0) return [name, member];
      const next = this.place(
        all.map((schema) => memberSchema(schema, name)),
        member,
      );
      isSame &&= next === member;
      return [name, next];
    });
    return isSame ? value : Object.fromEntries(entries);
  }

  /** The schemas that hold wherever this one does: itself, what it refers to, all parts of `allOf`, the only choice that there is. */
  #facets(schema: Json, referencesLeft: number): ObjectSchema[] {
    this.stepsLeft -= 1;
    if (this.stepsLeft < 0 || referencesLeft < 0 || !isObject(schema)) return [];
    const next = referencesLeft - 1;
    const referred = typeof schema.$ref === 'string' ? this.#at(schema.$ref) : undefined;
    const choices = [schema.anyOf, schema.oneOf].flatMap((list) => {
      const open = Array.isArray(list) ? list.filter((one) => !isNull(one)) : [];
      return open.length === 1 && Array.isArray(list) ? open : [];
    });
    const parts = [...(referred === undefined ? [] : [referred]), ...listOf(schema.allOf), ...choices];
    return [schema, ...parts.flatMap((part) => this.#facets(part, next))];
  }

  /** The types that all schemas allow; undefined if none of them says. */
  #typesOf(all: readonly ObjectSchema[], left = referencesMax): ReadonlySet<string> | undefined {
    const said = all
      .flatMap((schema) => [
        typesIn(schema),
        this.#chosenTypes(schema.anyOf, left - 1),
        this.#chosenTypes(schema.oneOf, left - 1),
      ])
      .filter((types) => types !== undefined);
    const [first, ...others] = said;
    return first && new Set([...first].filter((one) => others.every((types) => types.has(one))));
  }

  /** The types of all choices together; undefined if one of them does not say. */
  #chosenTypes(choices: Json | undefined, left: number): ReadonlySet<string> | undefined {
    if (!Array.isArray(choices) || left < 0) return undefined;
    const types = choices.map((one) => this.#typesOf(this.#facets(one, left), left));
    return types.includes(undefined) ? undefined : new Set(types.flatMap((some) => [...(some ?? [])]));
  }

  /** What a reference within the document leads to; undefined for any other. */
  #at(reference: string): Json | undefined {
    if (!/^#(\/|$)/.test(reference)) return undefined;
    let here: Json | undefined = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(here)) here = here[Number(name)];
      else here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
    }
    return here;
  }
}

function memberSchema({ properties, patternProperties, additionalProperties }: ObjectSchema, name: string): Json {
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name] ?? true;
  // Which names a pattern takes is not for us to find out: it is a stranger's regular expression.
  return patternProperties === undefined ? (additionalProperties ?? true) : true;
}

function typesIn({ type, enum: values, const: only, ...rest }: ObjectSchema): ReadonlySet<string> | undefined {
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  const known: readonly Json[] | undefined = Array.isArray(values) ? values : only === undefined ? undefined : [only];
  return rest.$ref !== undefined || known === undefined ? undefined : new Set(known.map(typeOf));
}

function scalar(types: ReadonlySet<string> | undefined, value: Json): Json {
  if (types === undefined) return value;
  const wantsNumber = types.has('number') || types.has('integer');
  if (typeof value === 'number' && types.has('string') && !wantsNumber) return canonicalJson(value);
  if (typeof value === 'boolean' && types.has('string') && !types.has('boolean')) return String(value);
  if (typeof value !== 'string' || !wantsNumber || types.has('string')) return value;
  const number = Number(value);
  const isWritten = Number.isFinite(number) && JSON.stringify(number) === value && isExactNumber(value);
  return isWritten && (types.has('number') || Number.isInteger(number)) ? number : value;
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isNull(schema: Json): boolean {
  return isObject(schema) && schema.type === 'null';
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: Json | undefined): value is ObjectSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
