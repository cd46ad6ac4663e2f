import { z } from 'zod';
import { fileSchema } from './schema.ts';

/** A JSON Schema (draft 7), as JSON. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The mappings of the file, each by the name of the key (or the list) that holds it; '' is the top level. */
export type Describe = (mapping: string, key: string) => string | undefined;

type Mutable = { [key: string]: unknown };

/**
 * The JSON Schema of the configuration file, made from the very schema that the parser checks files with: for editors, which then know
 * every key, its values and its default. It takes all files that the parser takes, but for keys without a value and an empty `type`; what several keys
 * must fulfil together (such as `auth: static` and `token_env`) only the parser knows. `describe`: what is shown of a key.
 */
export function configJsonSchema(describe: Describe): JsonSchema {
  const schema = z.toJSONSchema(fileSchema, {
    io: 'input',
    unrepresentable: 'any',
    // Editors know no newer one.
    target: 'draft-7',
  }) as Mutable;
  const defs = schema.definitions as Mutable | undefined;
  describeAll(schema, '', describe, defs);
  return {
    $schema: schema.$schema,
    title: 'Agent of Stop and Go',
    description: 'One agent: docs/configuration.md has every key.',
    ...schema,
  };
}

/** Puts descriptions to the keys of a mapping and of those below it. */
function describeAll(schema: Mutable, name: string, describe: Describe, defs: Mutable | undefined): void {
  const properties = (schema.properties ?? {}) as { readonly [key: string]: Mutable };
  for (const [key, child] of Object.entries(properties)) {
    const description = describe(name, key);
    if (description !== undefined) child.description = description;
    const reference = referenceOf(child);
    const inner = reference === undefined ? child : (defs?.[reference] as Mutable);
    const named = inner.additionalProperties;
    const values = typeof named === 'object' && named !== null ? (named as Mutable) : undefined;
    const below = ((inner.items as Mutable | undefined) ?? values ?? inner) as Mutable;
    // A node holds nodes: once is enough.
    if (below.properties !== undefined && key !== 'agents') describeAll(below, key, describe, defs);
  }
}

/** The name of the definition that a schema refers to. */
function referenceOf({ $ref, allOf }: Mutable): string | undefined {
  const reference = $ref ?? (Array.isArray(allOf) ? (allOf[0] as Mutable).$ref : undefined);
  return typeof reference === 'string' ? reference.replace('#/definitions/', '') : undefined;
}
