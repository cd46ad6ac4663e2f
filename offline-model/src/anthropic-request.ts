import { isObject, type JsonObject } from './json.ts';
import { type Media, readMedia } from './media.ts';
import { Refusal } from './refusal.ts';
import { thinkingSignature, thoughtAboutMark } from './signatures.ts';
import type { DeclaredTool, ToolOutcome, Turn } from './turn.ts';

// What Anthropic's Messages API is sent.

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const toolUseId = /^[a-zA-Z0-9_-]+$/;

type Message = { readonly role: 'user' | 'assistant'; readonly blocks: readonly JsonObject[] };

/**
 * Reads a request body. Refuses (400) what the service refuses: no messages, roles that do not alternate, empty
 * content, tool uses and results that do not pair up, errors that hold more than text, bad or doubled tool names; with
 * `strictSignatures` also a tool use of the current turn that comes back without the thinking block before it.
 */
export function readAnthropicRequest(body: unknown, strictSignatures: boolean): Turn {
  if (!isObject(body)) throw new Refusal(400, 'The request body must be a JSON object.');
  const { model, max_tokens: maxTokens } = body;
  if (typeof model !== 'string' || model === '') throw new Refusal(400, 'model: field required');
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
    throw new Refusal(400, 'max_tokens: a positive integer is required');
  const messages = readMessages(body.messages);
  checkPairs(messages);
  checkThinking(messages, strictSignatures);
  const last = messages.at(-1);
  const at = `messages.${messages.length - 1}`;
  const end = last !== undefined && answersOnly(last) ? last : undefined;
  const results = end === undefined ? [] : ofType(end, 'tool_result');
  return {
    provider: 'anthropic',
    model,
    instructions: plainText(body.system),
    lastUserText: lastUserText(messages),
    results: results.map((block) => outcomeOf(block, messages)),
    media: [...results.map(({ content }) => content), end?.blocks.filter(isMedia)].flatMap((blocks) =>
      mediaOf(blocks, at),
    ),
    tools: readTools(body.tools),
    inputCharacters: JSON.stringify([body.messages, body.system, body.tools]).length,
  };
}

function readMessages(value: unknown): Message[] {
  if (!Array.isArray(value) || value.length === 0) throw new Refusal(400, 'messages: at least one message is required');
  return value.map((message: unknown, index) => {
    const at = `messages.${index}`;
    if (!isObject(message)) throw new Refusal(400, `${at}: must be an object`);
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant') throw new Refusal(400, `${at}.role: use "user" or "assistant"`);
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      throw new Refusal(400, `${at}: roles must alternate between "user" and "assistant", starting with "user"`);
    }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!Array.isArray(blocks) || blocks.length === 0) throw new Refusal(400, `${at}: content must not be empty`);
    return { role, blocks: blocks.map((block: unknown, at2) => readBlock(block, `${at}.content.${at2}`)) };
  });
}

function readBlock(block: unknown, at: string): JsonObject {
  if (!isObject(block)) throw new Refusal(400, `${at}: must be an object`);
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string' || block.text.trim() === '') {
        throw new Refusal(400, `${at}: text content blocks must hold some text`);
      }
      return block;
    case 'tool_use':
      if (typeof block.id !== 'string' || !toolUseId.test(block.id)) throw new Refusal(400, `${at}.id: invalid id`);
      if (typeof block.name !== 'string' || !toolName.test(block.name)) throw new Refusal(400, `${at}.name: invalid`);
      if (!isObject(block.input)) throw new Refusal(400, `${at}.input: must be an object`);
      return block;
    case 'tool_result':
      if (typeof block.tool_use_id !== 'string') throw new Refusal(400, `${at}.tool_use_id: field required`);
      if (block.is_error === true && !holdsTextOnly(block.content))
        throw new Refusal(400, `${at}: all content must be type \`text\` if \`is_error\` is true`);
      return block;
    case 'thinking':
      if (typeof block.signature !== 'string') throw new Refusal(400, `${at}.signature: field required`);
      return block;
    case 'redacted_thinking':
    case 'image':
    case 'document':
      return block;
    default:
      throw new Refusal(400, `${at}.type: unknown content block type`);
  }
}

/** Every tool use is answered at the start of the very next message, and nothing else is answered. */
function checkPairs(messages: readonly Message[]): void {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const uses = ofType(message, 'tool_use');
    const results = ofType(message, 'tool_result');
    if (uses.length > 0 && message.role !== 'assistant')
      throw new Refusal(400, `messages.${index}: tool_use in a user message`);
    if (results.length > 0 && message.role !== 'user')
      throw new Refusal(400, `messages.${index}: tool_result in an assistant message`);
    for (const { id } of uses) {
      if (seen.has(id)) throw new Refusal(400, `messages.${index}: tool_use ids must be unique, "${id}" is used twice`);
      seen.add(id);
    }
    const before = messages[index - 1];
    const asked = before ? ofType(before, 'tool_use').map((use) => use.id) : [];
    const answered = results.map((result) => result.tool_use_id);
    const stray = answered.find((id) => !asked.includes(id));
    if (stray !== undefined) {
      throw new Refusal(400, `messages.${index}: tool_result "${stray}" has no tool_use in the message before`);
    }
    if (new Set(answered).size !== answered.length)
      throw new Refusal(400, `messages.${index}: one tool_use answered twice`);
    const missing = asked.find((id) => !answered.includes(id));
    if (missing !== undefined) {
      throw new Refusal(400, `messages.${index - 1}: tool_use "${missing}" has no tool_result right after it`);
    }
    if (message.blocks.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
      throw new Refusal(400, `messages.${index}: tool_result blocks must come first`);
    }
  }
  const last = messages.at(-1);
  if (last && ofType(last, 'tool_use').length > 0) {
    throw new Refusal(400, 'The last message holds a tool_use without its tool_result');
  }
}

function checkThinking(messages: readonly Message[], strict: boolean): void {
  // A turn begins where the user last said something, be it after results.
  const lastUser = messages.findLastIndex((message) => message.role === 'user' && !answersOnly(message));
  for (const [index, message] of messages.entries()) {
    for (const { thinking, signature } of ofType(message, 'thinking')) {
      if (signature !== thinkingSignature(String(thinking))) {
        throw new Refusal(400, `messages.${index}: invalid signature in thinking block`);
      }
    }
    const thoughtAbout = ofType(message, 'tool_use').some(({ id }) => String(id).startsWith(thoughtAboutMark));
    if (strict && index > lastUser && thoughtAbout && message.blocks[0]?.type !== 'thinking') {
      throw new Refusal(
        400,
        `messages.${index}: a turn that began with thinking must be sent back with its thinking block first`,
      );
    }
  }
}

function readTools(value: unknown): DeclaredTool[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refusal(400, 'tools: must be a list');
  const seen = new Set<string>();
  return value.map((tool: unknown, index) => {
    const at = `tools.${index}`;
    if (!isObject(tool)) throw new Refusal(400, `${at}: must be an object`);
    const { name, input_schema: schema } = tool;
    if (typeof name !== 'string' || !toolName.test(name))
      throw new Refusal(400, `${at}.name: must match ${toolName.source}`);
    if (seen.has(name)) throw new Refusal(400, `${at}: tool names must be unique`);
    seen.add(name);
    if (!isObject(schema) || schema.type !== 'object')
      throw new Refusal(400, `${at}.input_schema.type: must be "object"`);
    return { name, description: String(tool.description ?? ''), parameters: schema };
  });
}

function ofType(message: Message, type: string): JsonObject[] {
  return message.blocks.filter((block) => block.type === type);
}

function isMedia({ type }: JsonObject): boolean {
  return type === 'image' || type === 'document';
}

function holdsTextOnly(content: unknown): boolean {
  return !Array.isArray(content) || content.every((block: unknown) => isObject(block) && block.type === 'text');
}

/** Whether a message says nothing but what tools returned. */
function answersOnly(message: Message): boolean {
  return ofType(message, 'tool_result').length > 0 && wordsOf(message).length === 0;
}

/** What a user said, as blocks of text. Media may come between results and that; one text right after them tells whose they are. */
function wordsOf(message: Message): JsonObject[] {
  const lastMedia = ofType(message, 'tool_result').length === 0 ? -1 : message.blocks.findLastIndex(isMedia);
  return message.blocks.slice(lastMedia < 0 ? 0 : lastMedia + 2).filter(({ type }) => type === 'text');
}

/** Images and documents among the blocks of a result, or beside results; what else is there beside text is refused. */
function mediaOf(content: unknown, at: string): Media[] {
  return (Array.isArray(content) ? content : []).flatMap((block: unknown): Media[] => {
    const { type, source } = isObject(block) ? block : {};
    if (type === 'text') return [];
    if ((type !== 'image' && type !== 'document') || !isObject(source) || source.type !== 'base64')
      throw new Refusal(400, `${at}.content: a tool_result holds text, images and documents`);
    const takes = type === 'image' ? /^image\/(png|jpeg|gif|webp)$/ : /^application\/pdf$/;
    if (!takes.test(String(source.media_type)))
      throw new Refusal(400, `${at}.content.source.media_type: not supported`);
    return [readMedia(source.media_type, source.data, at)];
  });
}

function outcomeOf(block: JsonObject, messages: readonly Message[]): ToolOutcome {
  const use = messages
    .flatMap((message) => ofType(message, 'tool_use'))
    .findLast((candidate) => candidate.id === block.tool_use_id);
  return { name: String(use?.name), content: plainText(block.content), isError: block.is_error === true };
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .flatMap(({ text }) => (text === undefined ? [] : [String(text)]))
    .join('\n');
}

function lastUserText(messages: readonly Message[]): string {
  for (const message of messages.toReversed()) {
    const texts = wordsOf(message).map((block) => String(block.text));
    if (message.role === 'user' && texts.length > 0) return texts.join('\n');
  }
  return '';
}
