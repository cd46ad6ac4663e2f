import type { ModelCall, ModelMedia, ModelMessage } from './port.ts';

/** What the model is told of a call of which no result was recorded. */
export const noResultRecorded = 'No result of this call was recorded.';

/** An answer of a model in the transcript. */
export type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/** A call together with what came of it. */
type AnsweredCall = {
  readonly call: ModelCall;
  readonly content: string;
  readonly isError: boolean;
  readonly media?: readonly ModelMedia[];
};

/**
 * A stretch of the transcript as providers insist on it.
 * `results` always follows the assistant that asked, and answers each of its calls once, in their order.
 */
export type Turn =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly message: Assistant }
  | { readonly kind: 'results'; readonly of: Assistant; readonly results: readonly AnsweredCall[] };

/**
 * Puts a transcript into the shape that providers accept, so that one odd message cannot make a conversation unusable:
 * empty messages and results of unknown calls are left out, results are gathered in the order of their calls, a call
 * without a result gets an error result, and what stands before the first user message is dropped.
 */
export function turnsOf(messages: readonly ModelMessage[]): Turn[] {
  const turns: Turn[] = [];
  const from = messages.findIndex((message) => message.role === 'user' && message.text.trim() !== '');
  for (const [index, message] of messages.entries()) {
    if (from < 0 || index < from || message.role === 'tool') continue;
    if (message.role === 'user') {
      if (message.text.trim() !== '') turns.push({ kind: 'user', text: message.text });
      continue;
    }
    if (message.calls.length === 0 && message.text.trim() === '') continue;
    turns.push({ kind: 'assistant', message });
    if (message.calls.length > 0)
      turns.push({ kind: 'results', of: message, results: resultsOf(message, messages, index + 1) });
  }
  return turns;
}

/** Looks for the results of a message's calls in the tool messages that directly follow it. */
function resultsOf(message: Assistant, messages: readonly ModelMessage[], from: number): AnsweredCall[] {
  const byCall = new Map<string, Omit<AnsweredCall, 'call'>>();
  for (let next = from; next < messages.length; next += 1) {
    const following = messages[next];
    if (following?.role !== 'tool') break;
    for (const result of following.results) byCall.set(result.callId, result);
  }
  return message.calls.map((call) => {
    const result = byCall.get(call.callId);
    const media = result?.media === undefined ? {} : { media: result.media };
    return { call, content: result?.content ?? noResultRecorded, isError: result?.isError ?? true, ...media };
  });
}
