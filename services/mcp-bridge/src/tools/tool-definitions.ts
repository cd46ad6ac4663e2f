import {
  byteLength,
  canonicalJson,
  controlTools,
  effectiveHints,
  type HintOrigins,
  type HintSource,
  type Hints,
  hintOrigins,
  instructionsName,
  type Json,
  saysBoth,
  toolPin,
} from '@stopgo/core';
import { processSchemaChecks, type SchemaCheck, schemaProblem } from '@stopgo/json-schema';
import { hiddenText } from '../hidden-text.ts';
import { contradictions, hintProblem } from './hint-problems.ts';
import { LookAlikes, looksLike } from './look-alikes.ts';
import { leftOut, namelessLeftOut, shownName, shownText, type ToolProblem } from './tool-problem.ts';
import { isSelected, offeredName, type ToolSelection } from './tool-selection.ts';

/** A tool of one server, with what the platform makes of its definition. */
export type DefinedTool = {
  readonly server: string;
  /** What models and people know it by. */
  readonly name: string;
  /** What its server knows it by: what it is called under there, and pinned under. */
  readonly ownName: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
  readonly inputSchemaJson: string;
  /** As declared; empty if there are none. */
  readonly annotationsJson: string;
  readonly definitionJson: string;
  readonly pin: string;
  readonly hints: Hints;
  readonly hintOrigins: HintOrigins;
  readonly approvalRequired: boolean;
  readonly forwardsBearer: boolean;
  /** Calls of its server that are made at the same time. */
  readonly callsAtOnce: number;
  /** What is wrong with arguments. */
  readonly inputCheck: SchemaCheck;
  /** What is wrong with a structured result; absent if the tool promises nothing, or nothing that can be understood. */
  readonly outputCheck?: SchemaCheck;
};

/** What the configuration of its server says about each tool. */
export type ToolPlace = ToolSelection & {
  readonly server: string;
  readonly unannotated: 'ask' | 'run';
  readonly approvalRequired: boolean;
  /** Tools of which every call needs an approval all the same. */
  readonly approvalTools: readonly string[];
  readonly forwardsBearer: boolean;
  readonly callsAtOnce: number;
};

/** The tools that can be used, those that the configuration leaves out, and why others cannot be used. */
export type DefinedTools = {
  readonly tools: readonly DefinedTool[];
  readonly deselected: readonly DefinedTool[];
  readonly problems: readonly ToolProblem[];
};

/** How large one definition may be. */
export type DefinitionBounds = {
  readonly definitionBytesMax: number;
  readonly definitionDepthMax: number;
  readonly definitionValuesMax: number;
};

/** Longest name of a tool: those of a whole server are recorded in one append. */
const nameCharactersMax = 256;

/**
 * Reads the definitions of a server. One that cannot be used is left out and told, so that it does not take the others
 * with it: no name, one given twice or the platform's own, a schema that is none, a definition beyond the bounds, text that nobody
 * sees, calls that only a client with MCP tasks can make. Of what the configuration leaves out, nothing is told.
 */
export function defineTools(
  definitions: readonly Json[],
  place: ToolPlace,
  bounds: DefinitionBounds & { readonly toolsPerServerMax: number },
): DefinedTools {
  const tools = new Map<string, DefinedTool>();
  const deselected = new Map<string, DefinedTool>();
  const lookAlikes = new LookAlikes<string>();
  const problems: ToolProblem[] = [];
  const contradictory: string[] = [];
  for (const definition of definitions) {
    if (tools.size === bounds.toolsPerServerMax) {
      problems.push({ line: `it has more than ${bounds.toolsPerServerMax} tools; the others are left out` });
      break;
    }
    const result = defineTool(definition, place, bounds);
    if (!isSelected(place, listedName(definition))) {
      if (!('line' in result) && deselected.size < bounds.toolsPerServerMax) deselected.set(result.ownName, result);
      continue;
    }
    if ('line' in result) problems.push(result);
    else if (tools.has(result.name)) problems.push(leftOut(result.ownName, 'defined twice', 'the second is left out'));
    else {
      const like = lookAlikes.find(result.name);
      if (like !== undefined) {
        problems.push(leftOut(result.ownName, looksLike(result.name, like), 'the second is left out'));
        continue;
      }
      tools.set(result.name, result);
      lookAlikes.add(result.name, result.name);
      const declared = hintSource(definition, place);
      const wrong = hintProblem(result.name, declared, result.hints);
      if (wrong !== undefined) problems.push(wrong);
      if (saysBoth(declared)) contradictory.push(result.name);
      const problem = outputProblem(definition);
      if (problem !== undefined)
        problems.push({
          line: `tool ${shownName(result.name)}: its outputSchema is not valid (${problem}); results are not checked`,
        });
    }
  }
  // A tool that the configuration leaves out may be named all the same. A name of no tool is a slip: what was meant runs unasked.
  const listed = new Set(definitions.map(listedName).flatMap((name) => [name, offeredName(place, name)]));
  for (const name of place.approvalTools)
    if (!listed.has(name) || (!tools.has(name) && !tools.has(offeredName(place, name)) && isSelected(place, name)))
      problems.push({ line: `approval_tools names ${shownName(name)}, which it does not offer` });
  return {
    tools: [...tools.values()],
    deselected: [...deselected.values()],
    problems: [...problems, ...contradictions(contradictory)],
  };
}

/** The name that a definition gives; empty if it gives none. */
export function listedName(definition: Json): string {
  return isObject(definition) && typeof definition.name === 'string' ? definition.name : '';
}

function defineTool(definition: Json, place: ToolPlace, bounds: DefinitionBounds): DefinedTool | ToolProblem {
  if (!isObject(definition)) return namelessLeftOut('a tool that is no JSON object', 'it is no JSON object');
  const { name: ownName, inputSchema, outputSchema, annotations } = definition;
  if (typeof ownName !== 'string' || ownName === '') return namelessLeftOut('a tool without a name', 'it has no name');
  if (!isObject(inputSchema) || inputSchema.type !== 'object')
    return leftOut(ownName, 'its inputSchema is not the schema of an object');
  if (ownName === instructionsName) return leftOut(ownName, 'what servers say of their tools is kept under that name');
  const name = offeredName(place, ownName);
  const own = controlTools.get(name);
  if (own !== undefined) return leftOut(ownName, `the platform has a tool of that name, which ${own.purpose}`);
  if (isObject(definition.execution) && definition.execution.taskSupport === 'required')
    return leftOut(ownName, 'it can only be called as an MCP task (execution.taskSupport), which are not supported');
  const problem = definitionProblem(definition, inputSchema, bounds);
  if (problem !== undefined) return leftOut(ownName, problem);
  try {
    const { pin, definitionJson } = toolPin(pinned(definition));
    const declared = hintSource(definition, place);
    return {
      server: place.server,
      name,
      ownName,
      description: typeof definition.description === 'string' ? definition.description : '',
      inputSchema,
      inputSchemaJson: canonicalJson(inputSchema),
      annotationsJson: annotations === undefined ? '' : canonicalJson(annotations),
      definitionJson,
      pin,
      hints: effectiveHints(declared),
      hintOrigins: hintOrigins(declared),
      approvalRequired: place.approvalRequired || place.approvalTools.some((one) => one === ownName || one === name),
      forwardsBearer: place.forwardsBearer,
      callsAtOnce: place.callsAtOnce,
      inputCheck: processSchemaChecks().checkOf(inputSchema, { owner: place.server, key: `${pin} input` }),
      ...(isObject(outputSchema) && outputProblem(definition) === undefined
        ? {
            outputCheck: processSchemaChecks().checkOf(
              outputSchema,
              { owner: place.server, key: `${pin} output` },
              'structuredContent',
            ),
          }
        : {}),
    };
  } catch {
    return leftOut(ownName, 'its definition cannot be written as canonical JSON');
  }
}

/** What a tool says of itself, wherever it says it. */
function hintSource(definition: Json, { unannotated }: ToolPlace): HintSource {
  const { annotations, destructiveHint } = isObject(definition) ? definition : {};
  return {
    unannotated,
    ...(annotations === undefined ? {} : { annotations }),
    ...(destructiveHint === undefined ? {} : { topLevelDestructive: destructiveHint }),
  };
}

/** Why a definition is not taken, if it is not. The size first: what follows walks through all of it. */
function definitionProblem(
  definition: { readonly [key: string]: Json },
  inputSchema: Json,
  bounds: DefinitionBounds,
): string | undefined {
  const size = sizeProblem(definition, bounds);
  if (size !== undefined) return size;
  const schema = schemaProblem(inputSchema);
  if (schema !== undefined) return `its inputSchema is not valid (${shownText(schema)})`;
  const hidden = hiddenText(pinned(definition));
  return hidden === undefined
    ? undefined
    : `its definition holds a character that a person does not see (${shownText(hidden)})`;
}

/** What is too large in a definition, if anything. */
export function sizeProblem(definition: Json, bounds: DefinitionBounds): string | undefined {
  const size = definitionSize(definition, bounds);
  return typeof size === 'string' ? size : undefined;
}

/** How many bytes a definition has, or what is too large in it. */
export function definitionSize(definition: Json, bounds: DefinitionBounds): number | string {
  // The depth first: writing it out would exhaust the stack.
  if (!isWithinDepth(definition, bounds.definitionDepthMax)) {
    return `its definition is nested deeper than ${bounds.definitionDepthMax} levels`;
  }
  if (valuesIn(definition, bounds.definitionValuesMax) > bounds.definitionValuesMax) {
    return `its definition holds more than ${bounds.definitionValuesMax} values`;
  }
  const name = isObject(definition) ? definition.name : undefined;
  if (typeof name === 'string' && name.length > nameCharactersMax)
    return `its name is longer than ${nameCharactersMax} characters`;
  const bytes = byteLength(JSON.stringify(definition));
  return bytes > bounds.definitionBytesMax
    ? `its definition has ${bytes} bytes (at most ${bounds.definitionBytesMax}; tools.definition_bytes of the server raises that)`
    : bytes;
}

function isWithinDepth(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner: Json) => isWithinDepth(inner, levels - 1));
}

/** Values within a value; counts no further than a few more than `enough`. */
function valuesIn(value: Json, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    if (count > enough) break;
    count += valuesIn(inner as Json, enough - count);
  }
  return count;
}

/** What makes no sense in the schema of its results; undefined if nothing does, or there is none. */
function outputProblem(definition: Json): string | undefined {
  const schema = isObject(definition) ? definition.outputSchema : undefined;
  const problem = schema === undefined ? undefined : schemaProblem(schema);
  return problem === undefined ? undefined : shownText(problem);
}

const pinnedKeys = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'destructiveHint',
] as const;

/** What the pin covers: everything that tells a model or a person what the tool is, and nothing else. */
function pinned(definition: { readonly [key: string]: Json }): Json {
  const kept: Record<string, Json> = {};
  for (const key of pinnedKeys) {
    const value = definition[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
