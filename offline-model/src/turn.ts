import type { Media } from './media.ts';

/** What a request of any provider comes down to: the last thing said, what the tools answered, what may be called. */
export type Turn = {
  readonly provider: 'gemini' | 'anthropic' | 'openai';
  readonly model: string;
  /** What the model was told to be and to do before the conversation; empty without. */
  readonly instructions: string;
  /** The newest text that a user wrote, however many tool results came after it. */
  readonly lastUserText: string;
  /** The tool results in the last message; empty when that message does not end with results. */
  readonly results: readonly ToolOutcome[];
  /** What those results hold beside text, in order. */
  readonly media: readonly Media[];
  readonly tools: readonly DeclaredTool[];
  /** Size of everything that was sent, in characters; the token count is derived from it. */
  readonly inputCharacters: number;
  /** Whether a stream is to end with the usage; not everybody's needs to be asked. */
  readonly usageInStream?: boolean;
};

/** The outcome of one tool call, as the client reported it. */
export type ToolOutcome = { readonly name: string; readonly content: string; readonly isError: boolean };

/** A tool that the request offers. `parameters` is its JSON Schema. */
export type DeclaredTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** A call that the model asks for. */
export type Call = { readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/** An answer in words every provider can carry. `withoutIds` leaves out the ids of calls, where a wire format can do without. */
export type Answer = {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly thinking?: string;
  readonly withoutIds?: boolean;
};

const charactersPerToken = 4;

/** A deterministic token count: characters divided by four, rounded up. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** The token count of an answer: its texts and its calls as JSON. */
export function outputTokens(answer: Answer): number {
  const calls = answer.calls.reduce((sum, call) => sum + call.name.length + JSON.stringify(call.args).length, 0);
  return tokensOf(answer.text.length + (answer.thinking?.length ?? 0) + calls);
}

const chunksMax = 4;

/** Cuts a text into up to four pieces of about the same length, never inside a code point; an empty text has none. */
export function chunksOf(text: string): string[] {
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / chunksMax));
  const chunks: string[] = [];
  for (let from = 0; from < points.length; from += size) chunks.push(points.slice(from, from + size).join(''));
  return chunks;
}

/** What the instructions call the task, to their end. */
const task = /^Task:\s*(.*)$/ms;
const noTools = /\b(?:(?:call|use)\s+no|(?:do\s+not|don't|never)\s+(?:call|use)(?:\s+any)?)\s+tools?\b/i;

/** What is to be done: what follows `Task:` at the beginning of a line of the instructions; without it, what the user said last. */
export function taskOf({ instructions, lastUserText }: Turn): string {
  return task.exec(instructions)?.[1]?.trim() ?? lastUserText;
}

/** True if the instructions, up to their task, want an answer in words. */
export function wantsWords({ instructions }: Turn): boolean {
  return noTools.test(instructions.replace(task, ''));
}
