import { createHash } from 'node:crypto';
import type { OpenAI } from 'openai';
import { isObject, parseObject } from './json.ts';
import type { ProviderName } from './model-name.ts';
import { decodeOpaque, type Origin } from './opaque.ts';
import type { ModelMessage, ModelTool } from './port.ts';
import { providerToolName } from './tool-names.ts';
import { type Assistant, turnsOf } from './transcript.ts';

/** How a result begins that is an error: the protocol has no field for it. */
export const ERROR_RESULT_PREFIX = 'Error: ';
/** Stands between results and what the user said next; Mistral's models refuse the one right after the other. */
export const STOPPED_BEFORE_ANSWER = 'I was stopped before I could answer.';

/** The length of an id that every provider takes: Mistral insists on nine letters and digits. */
const DERIVED_ID_LENGTH = 9;

type Message = OpenAI.ChatCompletionMessageParam;
type AssistantMessage = OpenAI.ChatCompletionAssistantMessageParam;

/** Who is asked, and as what. */
export type Addressee = {
  readonly system: string;
  readonly model: string;
  readonly provider: ProviderName;
  readonly origin: Origin;
};

/**
 * The transcript as chat completion messages, after the system's words if there are any: calls and results as real
 * `tool_calls` and `tool` messages. No role but `tool` follows itself, because chat templates of many models refuse that.
 */
export function openaiMessages(
  messages: readonly ModelMessage[],
  { system, model, provider, origin }: Addressee,
): Message[] {
  const said: Message[] = [];
  for (const turn of turnsOf(messages)) {
    const before = said.at(-1);
    switch (turn.kind) {
      case 'user':
        if (before?.role === 'tool') said.push({ role: 'assistant', content: STOPPED_BEFORE_ANSWER });
        if (before?.role === 'user') before.content = `${before.content}\n\n${turn.text}`;
        else said.push({ role: 'user', content: turn.text });
        break;
      case 'assistant': {
        const message = replayed(turn.message, model, provider, origin) ?? rebuilt(turn.message, provider);
        if (before?.role === 'assistant') said[said.length - 1] = joined(before, message);
        else said.push(message);
        break;
      }
      case 'results': {
        const ids = idsOf(turn.of, provider);
        turn.results.forEach(({ content, isError }, index) => {
          const text = isError ? `${ERROR_RESULT_PREFIX}${content}` : content;
          said.push({ role: 'tool', tool_call_id: ids[index] ?? '', content: text });
        });
      }
    }
  }
  return said.length === 0 || system.trim() === '' ? said : [{ role: 'system', content: system }, ...said];
}

/** The tools with their JSON Schema as it is; a schema that is no JSON object is an error. */
export function openaiTools(tools: readonly ModelTool[]): OpenAI.ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, inputSchemaJson }) => {
    const schema = parseObject(inputSchemaJson);
    if (!schema) throw new Error(`the input schema of tool "${name}" is not a JSON object`);
    const parameters = { ...schema, type: 'object' };
    return { type: 'function', function: { name: providerToolName(name), description, parameters } };
  });
}

/** What the same model itself said, unless it does not fit the recorded calls. */
function replayed(
  message: Assistant,
  model: string,
  provider: ProviderName,
  origin: Origin,
): AssistantMessage | undefined {
  const [wrapped] = decodeOpaque(message, provider, origin) ?? [];
  const kept = isObject(wrapped) && wrapped.model === model && isObject(wrapped.message) ? wrapped.message : undefined;
  const calls = Array.isArray(kept?.tool_calls) ? kept.tool_calls.filter(isObject) : [];
  const ids = idsOf(message, provider);
  const fits = calls.length === ids.length && calls.every(({ id }, index) => id === ids[index]);
  return kept && fits ? (kept as unknown as AssistantMessage) : undefined;
}

function rebuilt(message: Assistant, provider: ProviderName): AssistantMessage {
  const content = message.text.trim() === '' ? null : message.text;
  if (message.calls.length === 0) return { role: 'assistant', content };
  const ids = idsOf(message, provider);
  const toolCalls = message.calls.map(({ name, argumentsJson }, index) => ({
    id: ids[index] ?? '',
    type: 'function' as const,
    function: { name: providerToolName(name), arguments: parseObject(argumentsJson) ? argumentsJson : '{}' },
  }));
  return { role: 'assistant', content, tool_calls: toolCalls };
}

/** An answer without calls and the one that follows it, as one. */
function joined(before: AssistantMessage, message: AssistantMessage): AssistantMessage {
  const text = typeof before.content === 'string' ? before.content : '';
  if (Array.isArray(message.content))
    return { ...message, content: [{ type: 'text', text: `${text}\n\n` }, ...message.content] };
  return { ...message, content: [text, message.content ?? ''].filter((part) => part !== '').join('\n\n') };
}

/** The provider's own ids of the calls; ids made from ours where it gave none, or one twice, and for another's calls. */
function idsOf({ provider: by, calls }: Assistant, provider: ProviderName): string[] {
  const given = calls.map(({ providerCallId }) => (by === provider ? providerCallId : ''));
  return calls.map(({ callId }, index) => {
    const own = given[index] ?? '';
    return own !== '' && given.indexOf(own) === given.lastIndexOf(own) ? own : derivedId(callId);
  });
}

/** The same in every request. */
function derivedId(callId: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(callId).digest('hex')}`);
  return digest.toString(36).padStart(DERIVED_ID_LENGTH, '0').slice(-DERIVED_ID_LENGTH);
}
