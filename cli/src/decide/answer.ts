import { block, oneLine } from '../shown.ts';

/** What a decision or an answer came to, as the gateway says it. */
export type RunAnswer = {
  readonly result?: { readonly response?: string };
  readonly run?: { readonly status?: string };
  readonly conversation?: { readonly waiting_for?: readonly { readonly text: string }[] };
};

/** Prints what the run said, as a block: words of a model must not look like lines of ours. `recorded`: what is said if it goes on. */
export function printAnswer(answer: RunAnswer, recorded: string, print: (line: string) => void): void {
  const { result, run, conversation: { waiting_for: waits = [] } = {} } = answer;
  const said = result?.response;
  const lines =
    said === undefined
      ? [run === undefined ? recorded : oneLine(`${recorded}; the run is ${run.status}`)]
      : block(said, '');
  for (const line of lines) print(line);
  if (said === undefined) for (const { text } of waits) print(oneLine(`it waits: ${text}`));
}
