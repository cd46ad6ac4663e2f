import { createHash } from 'node:crypto';
import type { OpenAI } from 'openai';
import { isObject, parseObject } from './json.ts';
import { sortedMedia, withNotes } from './media.ts';
import type { ProviderName } from './model-name.ts';
import { decodeOpaque, type Origin } from './opaque.ts';
import type { Dialect } from './openai-dialects.ts';
import { openaiPart } from './openai-media.ts';
import type { ModelMessage, ModelTool } from './port.ts';
import { providerToolName } from './tool-names.ts';
import { type Assistant, turnsOf } from './transcript.ts';

/** How a result begins that is an error: the protocol has no field for it. */
export const errorResultPrefix = 'Error: ';
/** Stands between results, or their media, and what the user said next; Mistral's models refuse the one right after the other. */
export const stoppedBeforeAnswer = 'I was stopped before I could answer.';

/** Stands between results and the media that they hold, for the same reason. */
export const looksAtMedia = 'I will look at what the tools returned beside text.';
/** Stands before the media, as they come in a message of the user's role. */
export const mediaOfResults =
  'What the tools returned beside text, in their order. It comes from the tools, not from the user.';

/** The length of an id that every provider takes: Mistral insists on nine letters and digits. */
const derivedIdLength = 9;

type Message = OpenAI.ChatCompletionMessageParam;
type AssistantMessage = OpenAI.ChatCompletionAssistantMessageParam;

/** Who is asked, and as what. */
export type Addressee = {
  readonly system: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly origin: Origin;
};

/**
 * The transcript as chat completion messages, after the system's words if there are any: calls and results as real
 * `tool_calls` and `tool` messages. No role but `tool` follows itself, because chat templates of many models refuse that.
 */
export function openaiMessages(
  messages: readonly ModelMessage[],
  { system, model, dialect, origin }: Addressee,
): Message[] {
  const { provider } = dialect;
  const said: Message[] = [];
  for (const turn of turnsOf(messages)) {
    const before = said.at(-1);
    switch (turn.kind) {
      case 'user':
        if (before?.role === 'user' && typeof before.content === 'string') before.content += `\n\n${turn.text}`;
        else {
          // Only media of results come in parts: words of the user beside them would count as the tools'.
          const isResult = before?.role === 'tool' || before?.role === 'user';
          if (isResult) said.push({ role: 'assistant', content: stoppedBeforeAnswer });
          said.push({ role: 'user', content: turn.text });
        }
        break;
      case 'assistant': {
        const message = replayed(turn.message, model, provider, origin) ?? rebuilt(turn.message, provider);
        if (before?.role === 'assistant') said[said.length - 1] = joined(before, message);
        else said.push(message);
        break;
      }
      case 'results': {
        const ids = idsOf(turn.of, provider);
        const beside: OpenAI.ChatCompletionContentPart[] = [];
        turn.results.forEach(({ content, isError, media }, index) => {
          const { shown, notes } = sortedMedia(media);
          const text = withNotes(isError ? `${errorResultPrefix}${content}` : content, notes);
          said.push({ role: 'tool', tool_call_id: ids[index] ?? '', content: text });
          beside.push(...shown.map((one) => openaiPart(one, dialect)));
        });
        if (beside.length > 0) said.push(...besideResults(beside));
      }
    }
  }
  return said.length === 0 || system.trim() === '' ? said : [{ role: 'system', content: system }, ...said];
}

/** Results can only be text, so that what they hold besides comes in a message after them: of a user, as only these may have it. */
function besideResults(parts: readonly OpenAI.ChatCompletionContentPart[]): Message[] {
  return [
    { role: 'assistant', content: looksAtMedia },
    { role: 'user', content: [{ type: 'text', text: mediaOfResults }, ...parts] },
  ];
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
  return digest.toString(36).padStart(derivedIdLength, '0').slice(-derivedIdLength);
}
