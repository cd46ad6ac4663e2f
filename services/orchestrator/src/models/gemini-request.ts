import type { Content, FunctionDeclaration, Part } from '@google/genai';
import { parseObject } from './json.ts';
import { decodeOpaque, type Origin } from './opaque.ts';
import type { ModelMessage, ModelTool } from './port.ts';
import { providerToolName } from './tool-names.ts';
import { type Assistant, type Turn, turnsOf } from './transcript.ts';

// Gemini 3 and later refuse a call of the current turn without its signature; this value, given by Google for histories
// of other models, tells them not to look for one.
const SKIP_SIGNATURE_CHECK = 'skip_thought_signature_validator';
const MODEL_WITHOUT_SIGNATURES = /^(?:models\/)?gemini-[12][.-]/;

/** The transcript as Gemini's contents; calls and results as real function calls and responses. */
export function geminiContents(messages: readonly ModelMessage[], model: string, origin: Origin): Content[] {
  const contents: Content[] = [];
  for (const turn of turnsOf(messages)) {
    const role = turn.kind === 'assistant' ? 'model' : 'user';
    const parts = partsOf(turn, model, origin);
    const before = contents.at(-1);
    // Function responses stand in a content of their own.
    const alike = before?.role === role && ![...parts, ...(before.parts ?? [])].some((part) => part.functionResponse);
    if (before && alike) before.parts = [...(before.parts ?? []), ...parts];
    else contents.push({ role, parts });
  }
  return contents;
}

/** The tools as function declarations with their JSON Schema as it is; a schema that is no JSON object is an error. */
export function geminiTools(tools: readonly ModelTool[]): FunctionDeclaration[] {
  return tools.map(({ name, description, inputSchemaJson }) => {
    const schema = parseObject(inputSchemaJson);
    if (!schema) throw new Error(`the input schema of tool "${name}" is not a JSON object`);
    return { name: providerToolName(name), description, parametersJsonSchema: schema };
  });
}

function partsOf(turn: Turn, model: string, origin: Origin): Part[] {
  switch (turn.kind) {
    case 'user':
      return [{ text: turn.text }];
    case 'assistant':
      return replayed(turn.message, origin) ?? rebuilt(turn.message, model);
    case 'results':
      return turn.results.map(({ call, content, isError }) => ({
        functionResponse: {
          ...idOf(turn.of, call.providerCallId),
          name: providerToolName(call.name),
          response: isError ? { error: content } : { output: content },
        },
      }));
  }
}

/** What Gemini itself said, unless it does not fit the recorded calls. */
function replayed(message: Assistant, origin: Origin): Part[] | undefined {
  const parts: readonly Part[] | undefined = decodeOpaque(message, 'gemini', origin);
  const names = parts?.flatMap((part) => (part.functionCall ? [part.functionCall.name] : []));
  const fits =
    names?.length === message.calls.length &&
    message.calls.every((call, index) => names[index] === providerToolName(call.name));
  return fits && parts ? [...parts] : undefined;
}

function rebuilt(message: Assistant, model: string): Part[] {
  const unsigned = MODEL_WITHOUT_SIGNATURES.test(model) ? {} : { thoughtSignature: SKIP_SIGNATURE_CHECK };
  const calls = message.calls.map((call, index) => ({
    functionCall: {
      ...idOf(message, call.providerCallId),
      name: providerToolName(call.name),
      args: parseObject(call.argumentsJson) ?? {},
    },
    // Of parallel calls only the first is expected to be signed.
    ...(index === 0 ? unsigned : {}),
  }));
  return [...(message.text.trim() === '' ? [] : [{ text: message.text }]), ...calls];
}

function idOf(message: Assistant, providerCallId: string): { id?: string } {
  return message.provider === 'gemini' && providerCallId !== '' ? { id: providerCallId } : {};
}
