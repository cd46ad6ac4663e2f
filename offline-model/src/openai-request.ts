import { isObject, type JsonObject } from './json.ts';
import { type Media, readDataUrl, readMedia } from './media.ts';
import { Refusal } from './refusal.ts';
import { callThoughtAbout, thinkingSignature } from './signatures.ts';
import type { DeclaredTool, ToolOutcome, Turn } from './turn.ts';

// What OpenAI's chat completions are sent. Of the services that speak it the strictest is followed.

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const errorResult = /^Error: /;

/**
 * Reads a request body. Refuses (400) what one service or another refuses: no messages, unknown roles, empty content, calls
 * without exactly their results right after them, a user right after results, bad or doubled tool names; with
 * `strictSignatures` also a call of the current turn that comes back without the reasoning before it.
 */
export function readOpenaiRequest(body: unknown, strictSignatures: boolean): Turn {
  if (!isObject(body)) throw new Refusal(400, 'The request body must be a JSON object.');
  const { model, stream_options: options } = body;
  if (typeof model !== 'string' || model === '') throw new Refusal(400, 'you must provide a model parameter');
  const messages = readMessages(body.messages);
  checkOrder(messages);
  checkReasoning(messages, strictSignatures);
  const end = messages.at(-1);
  const shown = end?.role === 'user' ? mediaOf(end, `messages[${messages.length - 1}]`) : [];
  // Media of results come after them, in a message of the user's role; between the two stands a word of the assistant.
  const said = shown.length > 0 && messages.at(-3)?.role === 'tool' ? messages.slice(0, -2) : messages;
  return {
    provider: 'openai',
    model,
    instructions: messages.filter(isInstruction).map(textOf).join('\n'),
    lastUserText: textOf(
      said.findLast((message) => message.role === 'user' && mediaOf(message, 'messages').length === 0),
    ),
    results: outcomesOf(said),
    media: said.length < messages.length ? shown : [],
    tools: readTools(body.tools),
    inputCharacters: JSON.stringify([messages, body.tools]).length,
    usageInStream: isObject(options) && options.include_usage === true,
  };
}

/** Images, sounds and files among the parts of a message. */
function mediaOf({ content }: JsonObject, at: string): Media[] {
  return (Array.isArray(content) ? content : []).flatMap((part: unknown): Media[] => {
    const { type, image_url: image, input_audio: audio, file } = isObject(part) ? part : {};
    switch (type) {
      case 'image_url':
        return [readDataUrl(isObject(image) ? image.url : undefined, at)];
      case 'input_audio':
        if (!isObject(audio)) throw new Refusal(400, `${at}: input_audio must be an object`);
        return [readMedia(audio.format === 'mp3' ? 'audio/mpeg' : 'audio/wav', audio.data, at)];
      case 'file':
        return [readDataUrl(isObject(file) ? file.file_data : undefined, at)];
      case 'document_url':
        return [readDataUrl(isObject(part) ? part.document_url : undefined, at)];
      case 'text':
        return [];
      default:
        throw new Refusal(400, `${at}.content: a part of type ${JSON.stringify(type)} is not supported`);
    }
  });
}

function readMessages(value: unknown): JsonObject[] {
  if (!Array.isArray(value) || value.length === 0) throw new Refusal(400, 'messages: at least one message is required');
  return value.map((message: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isObject(message)) throw new Refusal(400, `${at}: must be an object`);
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        if (textOf(message).trim() === '') throw new Refusal(400, `${at}.content: must hold some text`);
        return message;
      case 'assistant':
        if (message.content === null || message.content === undefined || message.content === '') {
          if (callsIn(message).length === 0) throw new Refusal(400, `${at}: content or tool_calls are required`);
        }
        for (const call of callsIn(message)) checkCall(call, `${at}.tool_calls`);
        return message;
      case 'tool':
        if (typeof message.tool_call_id !== 'string') throw new Refusal(400, `${at}.tool_call_id: required`);
        if (typeof message.content !== 'string') throw new Refusal(400, `${at}.content: required`);
        return message;
      default:
        throw new Refusal(400, `${at}.role: use "system", "developer", "user", "assistant" or "tool"`);
    }
  });
}

function checkCall(call: JsonObject, at: string): void {
  const { id, type, function: called } = call;
  if (typeof id !== 'string' || id === '') throw new Refusal(400, `${at}: every call needs an id`);
  if (type !== 'function' || !isObject(called)) throw new Refusal(400, `${at}: every call is of type "function"`);
  if (typeof called.name !== 'string' || !toolName.test(called.name)) throw new Refusal(400, `${at}: invalid name`);
  if (!isObject(parsed(called.arguments))) throw new Refusal(400, `${at}: the arguments must be a JSON object as text`);
}

/** Every call is answered once by the tool messages right after it, nothing else is; no role but "tool" follows itself. */
function checkOrder(messages: readonly JsonObject[]): void {
  let open: unknown[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    const before = messages[index - 1];
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) {
        throw new Refusal(
          400,
          `${at}: messages with role "tool" must answer a call of a preceding "tool_calls" message`,
        );
      }
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) {
      throw new Refusal(400, `${at}: "tool_calls" must be followed by tool messages for each id; missing: ${open}`);
    }
    if (message.role === before?.role || (message.role === 'user' && before?.role === 'tool'))
      throw new Refusal(400, `${at}: unexpected role "${message.role}" after role "${before?.role}"`);
    open = callsIn(message).map(({ id }) => id);
    if (new Set(open).size !== open.length) throw new Refusal(400, `${at}: the ids of calls must be unique`);
  }
  const last = messages.at(-1)?.role;
  if (open.length > 0 || (last !== 'user' && last !== 'tool'))
    throw new Refusal(400, 'the last message must be of role "user" or "tool"');
}

function checkReasoning(messages: readonly JsonObject[], strict: boolean): void {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    const { reasoning_details: given } = message;
    const details = Array.isArray(given) ? given.filter(isObject) : [];
    if (details.some(({ text, signature }) => signature !== thinkingSignature(String(text))))
      throw new Refusal(400, `messages[${index}].reasoning_details: invalid signature`);
    const thoughtAbout = callsIn(message).some(({ id }) => String(id).startsWith(callThoughtAbout));
    if (strict && index > lastUser && thoughtAbout && details.length === 0)
      throw new Refusal(400, `messages[${index}]: calls made after reasoning must be sent back with reasoning_details`);
  }
}

function readTools(value: unknown): DeclaredTool[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0) throw new Refusal(400, 'tools: must be a list that is not empty');
  const seen = new Set<string>();
  return value.map((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function))
      throw new Refusal(400, `${at}: must be of type "function"`);
    const { name, description, parameters = { type: 'object' } } = tool.function;
    if (typeof name !== 'string' || !toolName.test(name))
      throw new Refusal(400, `${at}.function.name: must match ${toolName.source}`);
    if (seen.has(name)) throw new Refusal(400, `${at}: tool names must be unique`);
    seen.add(name);
    if (!isObject(parameters) || parameters.type !== 'object')
      throw new Refusal(400, `${at}.function.parameters: must be a JSON Schema of type "object"`);
    return { name, description: String(description ?? ''), parameters };
  });
}

/** The results at the end of the messages. The protocol does not say which are errors; a word at the beginning does. */
function outcomesOf(messages: readonly JsonObject[]): ToolOutcome[] {
  const from = messages.findLastIndex(({ role }) => role !== 'tool');
  const calls = callsIn(messages[from] ?? {});
  return messages.slice(from + 1).map(({ tool_call_id: id, content }) => {
    const call = calls.find((candidate) => candidate.id === id)?.function;
    const text = String(content);
    return {
      name: isObject(call) ? String(call.name) : '',
      content: text.replace(errorResult, ''),
      isError: errorResult.test(text),
    };
  });
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function callsIn(message: JsonObject): JsonObject[] {
  return message.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
}

function textOf(message: JsonObject | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isObject(part) ? String(part.text ?? '') : '')).join('\n');
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
