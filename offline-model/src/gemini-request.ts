import { isObject, type JsonObject } from './json.ts';
import { readInlineData } from './media.ts';
import { Refusal } from './refusal.ts';
import { callSignature, skipSignatureCheck } from './signatures.ts';
import type { DeclaredTool, ToolOutcome, Turn } from './turn.ts';

// What Gemini's generateContent and streamGenerateContent (API version v1beta) are sent.

const toolName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;
const before3 = /^gemini-[12][.-]/;
const partKinds = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
];

type Content = { readonly role: 'user' | 'model'; readonly parts: readonly JsonObject[] };

/**
 * Reads a request body. Refuses (400) what the service refuses: no contents, unknown roles, parts without data, calls
 * without exactly their responses, bad or doubled tool names; with `strictSignatures` also calls of the current turn
 * that come back without the signature they were given.
 */
export function readGeminiRequest(body: unknown, model: string, strictSignatures: boolean): Turn {
  if (!isObject(body)) throw new Refusal(400, 'The request body must be a JSON object.');
  const contents = readContents(body.contents);
  if (before3.test(model) && contents.some((content) => responsesIn(content).some(({ parts }) => parts !== undefined)))
    throw new Refusal(400, `Multimodal function responses are not supported by ${model}.`);
  checkTurns(contents);
  if (strictSignatures) checkSignatures(contents);
  const last = contents.at(-1);
  return {
    provider: 'gemini',
    model,
    instructions: textsOf(body.systemInstruction).join('\n'),
    lastUserText: lastUserText(contents),
    ...(last === undefined ? { results: [], media: [] } : outcomesOf(last, contents.length - 1)),
    tools: readTools(body.tools),
    inputCharacters: JSON.stringify([body.contents, body.systemInstruction, body.tools]).length,
  };
}

function readContents(value: unknown): Content[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Refusal(400, 'contents: at least one content is required.');
  return value.map((content: unknown, index) => {
    const at = `contents[${index}]`;
    if (!isObject(content)) throw new Refusal(400, `${at}: must be an object.`);
    const role = content.role ?? 'user';
    if (role !== 'user' && role !== 'model') throw new Refusal(400, `${at}.role: use "user" or "model".`);
    const parts = content.parts;
    if (!Array.isArray(parts) || parts.length === 0) throw new Refusal(400, `${at}.parts: must not be empty.`);
    return { role, parts: parts.map((part: unknown, at2) => readPart(part, `${at}.parts[${at2}]`)) };
  });
}

function readPart(part: unknown, at: string): JsonObject {
  if (!isObject(part)) throw new Refusal(400, `${at}: must be an object.`);
  const kinds = partKinds.filter((kind) => part[kind] !== undefined);
  if (kinds.length !== 1) throw new Refusal(400, `${at}: exactly one data field must be set.`);
  if (part.text !== undefined && typeof part.text !== 'string') throw new Refusal(400, `${at}.text: not a string.`);
  const call = part.functionCall ?? part.functionResponse;
  if (call === undefined) return part;
  if (!isObject(call) || typeof call.name !== 'string' || !toolName.test(call.name)) {
    throw new Refusal(400, `${at}: a function name is required (letters, digits, "_.:-", at most 64).`);
  }
  const payload = part.functionCall === undefined ? call.response : (call.args ?? {});
  if (!isObject(payload)) throw new Refusal(400, `${at}: arguments and responses must be JSON objects.`);
  return part;
}

/** Every turn with function calls follows a user turn and is followed by exactly its responses. */
function checkTurns(contents: readonly Content[]): void {
  if (contents[0]?.role !== 'user') throw new Refusal(400, 'contents[0]: a conversation starts with a user turn.');
  for (const [index, content] of contents.entries()) {
    const calls = callsIn(content);
    const responses = responsesIn(content);
    const before = contents[index - 1];
    const pending = before ? callsIn(before) : [];
    if (calls.length > 0 && (content.role !== 'model' || before?.role !== 'user')) {
      throw new Refusal(400, `contents[${index}]: a function call must be a model turn right after a user turn.`);
    }
    if (responses.length > 0 && content.role !== 'user') {
      throw new Refusal(400, `contents[${index}]: function responses belong to a user turn.`);
    }
    if (responses.length !== pending.length) {
      throw new Refusal(
        400,
        `contents[${index}]: ${responses.length} function response parts for ${pending.length} function call parts ` +
          'of the turn before; the numbers must be equal.',
      );
    }
    if (!matches(pending, responses)) {
      throw new Refusal(400, `contents[${index}]: the function responses do not fit the calls of the turn before.`);
    }
  }
  const unanswered = contents.at(-1);
  if (unanswered && callsIn(unanswered).length > 0) {
    throw new Refusal(400, 'The last turn holds a function call without its response.');
  }
}

function matches(calls: readonly JsonObject[], responses: readonly JsonObject[]): boolean {
  // With ids any order will do; without them the names must come in the order of the calls.
  return responses.every((response, index) => {
    const id = response.id;
    const call = id === undefined ? calls[index] : calls.find((candidate) => candidate.id === id);
    return call !== undefined && call.name === response.name;
  });
}

function checkSignatures(contents: readonly Content[]): void {
  const lastUser = contents.findLastIndex((content) => content.role === 'user' && responsesIn(content).length === 0);
  for (const [index, content] of contents.entries()) {
    if (index < lastUser) continue;
    const first = content.parts.find((part) => part.functionCall !== undefined);
    if (!first || !isObject(first.functionCall)) continue;
    const { name, args } = first.functionCall;
    const expected = callSignature({ name: String(name), args: isObject(args) ? args : {} });
    const given = first.thoughtSignature;
    if (given === skipSignatureCheck) continue;
    if (given === undefined)
      throw new Refusal(400, `contents[${index}]: function call "${name}" lacks its thoughtSignature.`);
    if (given !== expected) throw new Refusal(400, `contents[${index}]: the thoughtSignature of "${name}" is corrupt.`);
  }
}

function readTools(value: unknown): DeclaredTool[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refusal(400, 'tools: must be a list.');
  const declarations = value.flatMap((tool: unknown) => (isObject(tool) ? (tool.functionDeclarations ?? []) : []));
  const seen = new Set<string>();
  return declarations.map((declaration: unknown, index) => {
    const at = `tools.function_declarations[${index}]`;
    if (!isObject(declaration)) throw new Refusal(400, `${at}: must be an object.`);
    const name = declaration.name;
    if (typeof name !== 'string' || !toolName.test(name)) throw new Refusal(400, `${at}.name: invalid function name.`);
    if (seen.has(name)) throw new Refusal(400, `${at}: duplicate function name "${name}".`);
    seen.add(name);
    const { parameters, parametersJsonSchema } = declaration;
    if (parameters !== undefined && parametersJsonSchema !== undefined) {
      throw new Refusal(400, `${at}: set parameters or parametersJsonSchema, not both.`);
    }
    const schema = parametersJsonSchema ?? parameters ?? {};
    if (!isObject(schema)) throw new Refusal(400, `${at}: the parameters must be a schema object.`);
    return { name, description: String(declaration.description ?? ''), parameters: schema };
  });
}

function callsIn(content: Content): JsonObject[] {
  return content.parts.map((part) => part.functionCall).filter(isObject);
}

function responsesIn(content: Content): JsonObject[] {
  return content.parts.map((part) => part.functionResponse).filter(isObject);
}

/** The results of the last content, and what they hold beside text: inside of each, and after them all. */
function outcomesOf(last: Content, index: number): Pick<Turn, 'results' | 'media'> {
  const responses = responsesIn(last);
  if (responses.length === 0 || last.parts.some((part) => part.text !== undefined)) return { results: [], media: [] };
  const at = `contents[${index}]`;
  const inside = responses.flatMap(({ parts }) => (Array.isArray(parts) ? parts : []));
  const media = [...inside, ...last.parts].map((part) => readInlineData(part, at)).filter((one) => one !== undefined);
  return { results: last.parts.flatMap(outcomeOf), media };
}

function outcomeOf(part: JsonObject): ToolOutcome[] {
  const answered = part.functionResponse;
  if (!isObject(answered) || !isObject(answered.response)) return [];
  const { response } = answered;
  const isError = 'error' in response;
  const body = isError ? response.error : 'output' in response ? response.output : response;
  return [{ name: String(answered.name), content: typeof body === 'string' ? body : JSON.stringify(body), isError }];
}

function lastUserText(contents: readonly Content[]): string {
  for (const content of contents.toReversed()) {
    const texts = textsOf(content);
    if (content.role === 'user' && texts.length > 0) return texts.join('\n');
  }
  return '';
}

function textsOf(content: unknown): string[] {
  if (!isObject(content) || !Array.isArray(content.parts)) return [];
  return content.parts
    .map((part: unknown) => (isObject(part) ? part.text : undefined))
    .filter((text) => typeof text === 'string');
}
