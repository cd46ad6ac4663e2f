import { rootStep } from '@stopgo/core';
import { block, inPassing, oneLine, shownName } from '../shown.ts';
import type { SentEvent } from './follow.ts';
import { type Delta, Speech } from './speech.ts';

type Payload = NonNullable<SentEvent['payload']>;
type Call = { readonly tool?: string; readonly agent?: string; readonly arguments_json?: string };

/** What a chat shows of a run: what its models say, what they call, and what that came to. Gives the text to write. */
export class Report {
  readonly #nodes = new Map<string, string>();
  readonly #speech = new Speech((stepId) => {
    const node = this.#nodes.get(stepId);
    return node === undefined ? '' : `${shownName(node)}:\n`;
  });

  delta(delta: Delta): string {
    return this.#speech.delta(delta);
  }

  event({ type, payload }: SentEvent): string {
    if (payload === null) return '';
    if (type === 'step_started') this.#name(payload);
    if (type === 'model_responded') return this.#answer(payload);
    const ended = /^(model_failed|run_(completed|failed|canceled))$/.test(type) ? this.#speech.end() : '';
    const lines = linesOf(type, payload);
    return `${ended}${lines.length === 0 ? '' : this.lines(lines)}`;
  }

  /** Lines of ours, between what models say. */
  lines(lines: readonly string[]): string {
    return `${this.#speech.interrupt()}${lines.map((line) => `${line}\n`).join('')}`;
  }

  /** An agent of one node speaks for itself. */
  #name({ step_id, node }: Payload): void {
    if (step_id !== rootStep) this.#nodes.set(textOf(step_id), textOf(node));
  }

  #answer({ run_id, step_id, turn, text, node, calls }: Payload): string {
    if (textOf(node) !== '') this.#nodes.set(textOf(step_id), textOf(node));
    const said = this.#speech.whole(textOf(run_id), textOf(step_id), Number(turn ?? 0), textOf(text));
    const called = (Array.isArray(calls) ? (calls as Call[]) : []).map(callLine);
    return `${said}${called.map((line) => `${line}\n`).join('')}`;
  }
}

function callLine({ tool = '', agent = '', arguments_json: args = '' }: Call): string {
  const name = agent === '' ? `calls ${shownName(tool)}` : `asks the agent ${shownName(agent)}`;
  return `  ${name} ${inPassing(args)}`.trimEnd();
}

function linesOf(type: string, payload: Payload): readonly string[] {
  const { tool, agent, content, is_error, reason, message, text, call, node, output } = payload;
  switch (type) {
    case 'delegation_requested':
      return [callLine((call ?? {}) as Call)];
    case 'tool_call_finished':
    case 'delegation_finished': {
      const name = shownName(textOf(agent) || textOf(tool));
      // The answer of a node that stands for another agent is what the user is told, not something in passing.
      if (textOf(node) !== '' && is_error !== true)
        return [`${shownName(textOf(node))}:`, ...block(textOf(content), '')];
      return [`  ${name} ${is_error === true ? 'failed' : 'gave'}: ${inPassing(textOf(content))}`];
    }
    case 'tool_call_in_doubt':
      return [`  nobody knows whether the call ran: ${inPassing(textOf(reason))}`];
    case 'tool_call_refused':
      return [`  the call was refused: ${inPassing(textOf(message))}`];
    case 'model_failed':
      return [`  the model failed: ${inPassing(textOf(message))}`];
    case 'run_completed':
      return ownWords(output).flatMap((words) => block(words, ''));
    case 'run_failed':
      return ['the run failed:', ...block(textOf(text), '')];
    case 'run_canceled':
      return [oneLine(`the run was canceled${textOf(reason) === '' ? '' : `: ${textOf(reason)}`}`)];
    default:
      return [];
  }
}

/** What the platform itself says at the end of a run; what a model said was shown when it came. */
function ownWords(output: unknown): string[] {
  const { parts = [] } = (output ?? {}) as { readonly parts?: readonly { readonly text?: string }[] };
  return parts.flatMap(({ text = '' }) => (text === '' ? [] : [text]));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
