// What a tool server may have the agent's model asked in the midst of a call (MCP sampling): text alone. The model is offered no
// tools, is told nothing of the conversation, and its answer goes to that server and nowhere else.
import { samplingAnswerBytesMax, samplingBytesMax, samplingMessagesMax, samplingStopsMax } from '../text/bounds.ts';
import { byteLength, shortened } from '../text/cut.ts';

/** What a model is asked for a tool server. */
export type SamplingAsked = {
  readonly systemPrompt: string;
  /** The last one is not of the model. */
  readonly messages: readonly { readonly byModel: boolean; readonly text: string }[];
  /** Tokens that the answer may have. */
  readonly maxTokens: number;
  /** The answer ends before the first of these. */
  readonly stopSequences: readonly string[];
};

/** What a model made of it. */
export type SampledText = {
  readonly text: string;
  /** In the provider's words. */
  readonly stopReason: string;
  /** Who answered. */
  readonly model: string;
};

/** What is wrong with such a request, as a sentence; undefined if a model may be asked. */
export function samplingProblem({
  systemPrompt,
  messages,
  maxTokens,
  stopSequences,
}: SamplingAsked): string | undefined {
  if (messages.at(-1)?.byModel !== false) return 'the last message has to be one of the user';
  if (messages.length > samplingMessagesMax) return `there are more than ${samplingMessagesMax} messages`;
  if (!(maxTokens >= 1)) return 'maxTokens has to be 1 or more';
  if (stopSequences.length > samplingStopsMax) return `there are more than ${samplingStopsMax} stop sequences`;
  const texts = [systemPrompt, ...messages.map(({ text }) => text), ...stopSequences];
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0);
  if (bytes > samplingBytesMax) return `the texts have ${bytes} bytes; at most ${samplingBytesMax} are taken`;
  return undefined;
}

/** The answer as the server is given it: the JSON text of a `CreateMessageResult`. */
export function samplingResult({ stopSequences }: SamplingAsked, { text, stopReason, model }: SampledText): string {
  const stops = stopSequences.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
  const stopped = stops.length === 0 ? text : text.slice(0, Math.min(...stops));
  const kept = shortened(stopped, samplingAnswerBytesMax);
  const why = kept !== stopped ? 'maxTokens' : stops.length > 0 ? 'stopSequence' : wordOf(stopReason);
  return JSON.stringify({ role: 'assistant', content: { type: 'text', text: kept }, model, stopReason: why });
}

const words: Readonly<Record<string, string>> = {
  stop: 'endTurn',
  end_turn: 'endTurn',
  length: 'maxTokens',
  max_tokens: 'maxTokens',
  model_length: 'maxTokens',
};

/** The protocol's word for why a model ended; a provider's own where it has none. */
function wordOf(stopReason: string): string {
  return words[stopReason.toLowerCase()] ?? stopReason;
}
