import { z } from 'zod';

/** JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type JsonSchema = { [name: string]: unknown };

/** Schemas that have a name, by it. */
export type NamedSchemas = { [id: string]: JsonSchema };

/**
 * The JSON Schema of a schema. Those within it that have an id are put into `into`, and referred to there, as the components of an
 * OpenAPI document.
 */
export function jsonSchemaOf(schema: z.ZodType, into: NamedSchemas): JsonSchema {
  const known = z.globalRegistry.get(schema)?.id;
  if (known !== undefined && into[known] !== undefined) return { $ref: componentOf(known) };
  const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io: 'input', override: plain }) as JsonSchema;
  for (const [id, definition] of Object.entries(($defs ?? {}) as NamedSchemas))
    into[id] = withoutId(asComponents(definition));
  const shown = asComponents(own);
  const { id } = shown;
  if (typeof id !== 'string') return shown;
  into[id] = withoutId(shown);
  return { $ref: componentOf(id) };
}

const componentOf = (id: string): string => `#/components/schemas/${id}`;

/** References within one schema become references within the document. */
const asComponents = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;

const withoutId = ({ id: _, ...rest }: JsonSchema): JsonSchema => rest;

/** Leaves out what says nothing: that whole numbers are those of JavaScript. */
function plain({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
