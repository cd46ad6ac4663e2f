import { createHash } from 'node:crypto';
import type { Anthropic } from '@anthropic-ai/sdk';
import { parseObject } from './json.ts';
import { base64Of, type LoadedMedia, sortedMedia, withNotes } from './media.ts';
import { decodeOpaque, type Origin } from './opaque.ts';
import type { ModelCall, ModelMessage, ModelTool } from './port.ts';
import { providerToolName } from './tool-names.ts';
import { type Assistant, type Turn, turnsOf } from './transcript.ts';

const toolUseId = /^[a-zA-Z0-9_-]+$/;
const derivedIdLength = 24;

type Block = Anthropic.ContentBlockParam;
type ResultBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

/** Stands after media of errors, and not before them: what the user says next may follow in the same message. */
const mediaOfErrors =
  'What stands before this is what failed tools returned beside text, in their order. It comes from the tools, not from the user.';

const mebibyte = 1024 * 1024;
/** The API takes 5 MiB of base64 of an image, which is three quarters of that in bytes. */
const imageBytesMax = (5 * mebibyte * 3) / 4;
/** What the API takes, and how large it may be, in bytes. */
const bytesMax: Readonly<Record<string, number>> = {
  'image/png': imageBytesMax,
  'image/jpeg': imageBytesMax,
  'image/gif': imageBytesMax,
  'image/webp': imageBytesMax,
  'application/pdf': 12 * mebibyte,
};

/** Whether Claude can be given media of this type and of so many bytes. */
export function anthropicTakes(mediaType: string, bytes: number): boolean {
  return bytes <= (bytesMax[mediaType] ?? 0);
}

/** The transcript as messages with alternating roles; calls and results as real tool_use and tool_result blocks. */
export function anthropicMessages(messages: readonly ModelMessage[], origin: Origin): Anthropic.MessageParam[] {
  const merged: { role: 'user' | 'assistant'; content: Block[] }[] = [];
  for (const turn of turnsOf(messages)) {
    const role = turn.kind === 'assistant' ? 'assistant' : 'user';
    const before = merged.at(-1);
    if (before?.role === role) before.content.push(...blocksOf(turn, origin));
    else merged.push({ role, content: blocksOf(turn, origin) });
  }
  return merged;
}

/** The tools with their JSON Schema as it is; a schema that is no JSON object is an error. */
export function anthropicTools(tools: readonly ModelTool[]): Anthropic.Tool[] {
  return tools.map(({ name, description, inputSchemaJson }) => {
    const schema = parseObject(inputSchemaJson);
    if (!schema) throw new Error(`the input schema of tool "${name}" is not a JSON object`);
    return { name: providerToolName(name), description, input_schema: { ...schema, type: 'object' } };
  });
}

function blocksOf(turn: Turn, origin: Origin): Block[] {
  switch (turn.kind) {
    case 'user':
      return [{ type: 'text', text: turn.text }];
    case 'assistant':
      return replayed(turn.message, origin) ?? rebuilt(turn.message);
    case 'results':
      return resultBlocks(turn);
  }
}

/** The results, with their images and documents inside; those of errors stand after all of them: an error may hold text only. */
function resultBlocks({ of, results }: Extract<Turn, { kind: 'results' }>): Block[] {
  const beside: Block[] = [];
  const blocks = results.map(({ call, content, isError, media }): Block => {
    const { shown, notes } = sortedMedia(media);
    const inside = isError ? [] : shown.map(mediaBlock);
    if (isError) beside.push(...shown.map(mediaBlock));
    return {
      type: 'tool_result',
      tool_use_id: idOf(of, call),
      content: resultContent(withNotes(content, notes), inside),
      is_error: isError,
    };
  });
  return beside.length === 0 ? blocks : [...blocks, ...beside, { type: 'text', text: mediaOfErrors }];
}

/** A text alone, or with images and documents as blocks of their own. */
function resultContent(text: string, inside: readonly ResultBlock[]): string | ResultBlock[] {
  if (inside.length === 0) return text;
  const told: ResultBlock[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  return [...told, ...inside];
}

function mediaBlock(media: LoadedMedia): ResultBlock {
  const data = base64Of(media);
  if (media.mediaType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
  const type = media.mediaType as Anthropic.Base64ImageSource['media_type'];
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

/** What Claude itself said, unless it does not fit the recorded calls. */
function replayed(message: Assistant, origin: Origin): Block[] | undefined {
  const blocks = decodeOpaque(message, 'anthropic', origin) as readonly Block[] | undefined;
  const ids = blocks?.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  const fits =
    ids?.length === message.calls.length && message.calls.every((call, at) => ids[at] === call.providerCallId);
  return fits && blocks ? [...blocks] : undefined;
}

function rebuilt(message: Assistant): Block[] {
  const uses = message.calls.map((call) => ({
    type: 'tool_use' as const,
    id: idOf(message, call),
    name: providerToolName(call.name),
    input: parseObject(call.argumentsJson) ?? {},
  }));
  return [...(message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }]), ...uses];
}

/** Claude's own id of a call; for a call of another model one made from our id, the same in every request. */
function idOf(message: Assistant, call: ModelCall): string {
  if (message.provider === 'anthropic' && toolUseId.test(call.providerCallId)) return call.providerCallId;
  return `toolu_${createHash('sha256').update(call.callId).digest('hex').slice(0, derivedIdLength)}`;
}
