import type { Content, FunctionDeclaration, Part } from '@google/genai';
import { parseObject } from './json.ts';
import { base64Of, sortedMedia, withNotes } from './media.ts';
import { decodeOpaque, type Origin } from './opaque.ts';
import type { ModelMessage, ModelTool } from './port.ts';
import { providerToolName } from './tool-names.ts';
import { type Assistant, type Turn, turnsOf } from './transcript.ts';

// Gemini 3 and later refuse a call of the current turn without its signature; this value, given by Google for histories
// of other models, tells them not to look for one.
const skipSignatureCheck = 'skip_thought_signature_validator';
const modelBefore3 = /^(?:models\/)?gemini-[12][.-]/;

/** Media that a function response may hold. */
const takenInside: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf']);
/** Further media that stand beside it. */
const takenBeside: ReadonlySet<string> = new Set([
  ...['image/heic', 'image/heif', 'audio/wav', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
  ...['video/mp4', 'video/mpeg', 'video/webm', 'video/quicktime'],
]);

/** Whether Gemini can be given media of this type. */
export function geminiTakes(mediaType: string): boolean {
  return takenInside.has(mediaType) || takenBeside.has(mediaType);
}

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
      return resultParts(turn, model);
  }
}

/**
 * The results, with their media inside of them as far as that is possible. Models before Gemini 3, and all of them with sounds and
 * films, take media beside the results only, in the same content.
 */
function resultParts({ of, results }: Extract<Turn, { kind: 'results' }>, model: string): Part[] {
  const beside: Part[] = [];
  const responses = results.map(({ call, content, isError, media }): Part => {
    const { shown, notes } = sortedMedia(media);
    const text = withNotes(content, notes);
    const inside: { inlineData: { mimeType: string; data: string } }[] = [];
    for (const one of shown) {
      const part = { inlineData: { mimeType: one.mediaType, data: base64Of(one) } };
      if (takenInside.has(one.mediaType) && !modelBefore3.test(model)) inside.push(part);
      else beside.push(part);
    }
    return {
      functionResponse: {
        ...idOf(of, call.providerCallId),
        name: providerToolName(call.name),
        response: isError ? { error: text } : { output: text },
        ...(inside.length === 0 ? {} : { parts: inside }),
      },
    };
  });
  return [...responses, ...beside];
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
  const unsigned = modelBefore3.test(model) ? {} : { thoughtSignature: skipSignatureCheck };
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
