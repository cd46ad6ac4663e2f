// What becomes of the calls of a model's answer before the answer goes on the record: each has its arguments in canonical form, or the
// reason why it must not be made. Both are recorded, so that whoever replays the record decides the same. The rules are applied in
// their order; the first that refuses a call is the last for it.
import {
  argumentsBytesMax,
  byteLength,
  callsPerAnswerMax,
  canonicalArguments,
  canonicalJson,
  type Json,
  type LlmNode,
  nameOfTarget,
  type OfferedTool,
  type RequestedCall,
  type Toolset,
  takenSchemaJson,
  takesTool,
  toolHeld,
} from '@stopgo/core';
import { fittedValue, processSchemaChecks, type SchemaCheck, shownProblem } from '@stopgo/json-schema';
import type { HeldTools, ToolPort } from '../../tool-port.ts';

/** One rule: the call as it is, with other arguments, or with a refusal. `tool` is undefined if no tool of that name was offered. */
type CallRule = (call: RequestedCall, tool: OfferedTool | undefined) => RequestedCall | Promise<RequestedCall>;

const rules: readonly CallRule[] = [inCanonicalForm, asItsToolTakesIt];

/**
 * Applies all rules to all calls of an answer. An answer with more calls than are taken is left alone: it is none. Never rejects. `held`:
 * tools that were not offered as nobody has accepted them.
 */
export async function checkCalls(
  calls: readonly RequestedCall[],
  offered: Toolset,
  held: HeldTools = new Map(),
): Promise<readonly RequestedCall[]> {
  if (calls.length > callsPerAnswerMax) return calls;
  return Promise.all(
    calls.map(async (call) => {
      const tool = offered.get(call.name);
      const checked = await checkCall(call, tool);
      return tool === undefined ? heldBack(checked, held) : checked;
    }),
  );
}

/** The tools that are held now; none if no bridge has told its tools yet. */
export function heldNow(tools: Pick<ToolPort, 'catalogue'>): HeldTools {
  try {
    return tools.catalogue().held ?? new Map();
  } catch {
    return new Map();
  }
}

/** Those of them that a node would be offered if somebody accepted them. */
export function heldFor(node: LlmNode, held: HeldTools): HeldTools {
  return new Map([...held].filter(([name, { server }]) => takesTool(node, { target: { kind: 'tool', server }, name })));
}

/** A model that knows a tool from before is told that it waits for a person, and not that there is none. */
function heldBack(call: RequestedCall, held: HeldTools): RequestedCall {
  const tool = held.get(call.name);
  if (tool === undefined || call.refusal !== undefined) return call;
  return { ...call, refusal: `The call was not run: ${toolHeld(call.name, tool.server, tool.isNew)}` };
}

async function checkCall(call: RequestedCall, tool: OfferedTool | undefined): Promise<RequestedCall> {
  let checked = call;
  for (const rule of rules) {
    checked = await rule(checked, tool);
    if (checked.refusal !== undefined) break;
  }
  return checked;
}

function inCanonicalForm(call: RequestedCall): RequestedCall {
  const read = canonicalArguments(call.argumentsJson);
  return 'json' in read ? { ...call, argumentsJson: read.json } : { ...call, refusal: read.problem };
}

/** The schema of a tool, and the check of values against it: made once for each tool of a run. */
type Shape = { readonly schema: { readonly [key: string]: Json }; readonly check: SchemaCheck };
const shapes = new WeakMap<OfferedTool, Shape>();

/** Checked against the tool's schema before people are asked, and coerced where that loses nothing. The bridge checks again. */
async function asItsToolTakesIt(call: RequestedCall, tool: OfferedTool | undefined): Promise<RequestedCall> {
  // What is too long is refused for that, however it looks.
  if (tool === undefined || byteLength(call.argumentsJson) > argumentsBytesMax) return call;
  const { schema, check } = shapeOf(tool);
  const fitted = await fittedValue(schema, check, JSON.parse(call.argumentsJson) as Json);
  if ('value' in fitted) return { ...call, argumentsJson: canonicalJson(fitted.value) };
  const problem = shownProblem(fitted.problem);
  return {
    ...call,
    refusal: `The arguments are not what the tool takes: ${problem.replace(/\.$/, '')}; the call was not run.`,
  };
}

function shapeOf(tool: OfferedTool): Shape {
  const known = shapes.get(tool);
  if (known !== undefined) return known;
  // A definition that was taken has the schema of an object.
  const schema = JSON.parse(takenSchemaJson(tool)) as Shape['schema'];
  const owner = { owner: nameOfTarget(tool.target), key: `${tool.pin} input` };
  const shape = { schema, check: processSchemaChecks().checkOf(schema, owner) };
  shapes.set(tool, shape);
  return shape;
}
