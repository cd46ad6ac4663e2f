import { visibleText } from '@stopgo/core';

/** Where a text may be cut: what comes after a whole word changes nothing of how the word is made visible. */
const wordEnds = [' ', '\n', '\t'];

/** A piece of an answer that a model is giving. */
export type Delta = {
  readonly run_id: string;
  readonly step_id: string;
  readonly turn: number;
  readonly attempt: number;
  readonly offset: number;
  readonly text: string;
};

/**
 * What has come of the answer that is shown while it comes: what is shown of it, and the beginning of a word that is not yet. Pieces are only
 * ever added, and looked at alone: an answer of many of them costs no more for each than one of few.
 */
type Spoken = {
  readonly key: string;
  attempt: number;
  shown: string;
  pending: string;
  /** Nothing but white space has come. */
  isBlank: boolean;
};

/**
 * Shows a model's answer while it comes, as a block behind `| `, word by word. What is on the record is the truth: an answer that
 * came otherwise is shown again, whole. Of answers that come at the same time only the one that began first is shown before it
 * is complete.
 */
export class Speech {
  readonly #heading: (stepId: string) => string;
  #spoken: Spoken | undefined;

  /** `heading`: what is written before what the model of a step says; empty or whole lines. */
  constructor(heading: (stepId: string) => string) {
    this.#heading = heading;
  }

  /** What is to be written for a piece; empty if nothing yet. */
  delta({ run_id, step_id, turn, attempt, offset, text }: Delta): string {
    const key = keyOf(run_id, step_id, turn);
    this.#spoken ??= { key, attempt, shown: '', pending: '', isBlank: true };
    const spoken = this.#spoken;
    // A piece was lost, or the model was asked again: the record will tell.
    const came = spoken.shown.length + spoken.pending.length;
    if (spoken.key !== key || spoken.attempt !== attempt || came !== offset) return '';
    const end = Math.max(...wordEnds.map((mark) => text.lastIndexOf(mark)));
    // With white space alone nothing begins: an answer that is only a call may come with some, which is not on the record.
    if (end < 0 || (spoken.isBlank && text.slice(0, end).trim() === '')) {
      spoken.pending += text;
      spoken.isBlank &&= text.trim() === '';
      return '';
    }
    const part = spoken.pending + text.slice(0, end);
    spoken.pending = text.slice(end);
    spoken.isBlank = false;
    return this.#show(step_id, spoken, part);
  }

  /** What is to be written when the answer is on the record; ends with a line break unless it is empty. */
  whole(runId: string, stepId: string, turn: number, text: string): string {
    const spoken = this.#spoken;
    const isThis = spoken?.key === keyOf(runId, stepId, turn);
    if (spoken === undefined || !isThis || spoken.shown === '') {
      // Another answer stands half shown: this one must not run into it.
      const broken = isThis ? '' : this.interrupt();
      if (isThis) this.#spoken = undefined;
      return text === '' ? broken : `${broken}${this.#heading(stepId)}${shownBlock(text)}\n`;
    }
    if (text === '') return this.end();
    this.#spoken = undefined;
    if (text.startsWith(spoken.shown)) return `${shownPart(text.slice(spoken.shown.length))}\n`;
    return `\n(on the record it says:)\n${shownBlock(text)}\n`;
  }

  /** What is to be written before a line of ours. What is half shown is shown whole later. */
  interrupt(): string {
    const spoken = this.#spoken;
    if (spoken === undefined || spoken.shown === '') return '';
    spoken.attempt = noAttempt;
    spoken.shown = '';
    return ' …\n';
  }

  /** Nobody goes on with what is half shown: its run has ended, or its model has failed. */
  end(): string {
    const broken = this.interrupt();
    this.#spoken = undefined;
    return broken;
  }

  #show(stepId: string, spoken: Spoken, part: string): string {
    const isFirst = spoken.shown === '';
    spoken.shown += part;
    return isFirst ? `${this.#heading(stepId)}${shownBlock(part)}` : shownPart(part);
  }
}

/** No further piece belongs to it. */
const noAttempt = -1;

const keyOf = (runId: string, stepId: string, turn: number): string => `${runId} ${stepId}#${turn}`;

function shownBlock(text: string): string {
  return `| ${inBlock(visibleText(text))}`;
}

/** A later part of a text, from the end of a word on. That end is shown as it is, and tells what follows it apart. */
function shownPart(part: string): string {
  return inBlock(visibleText(part));
}

function inBlock(text: string): string {
  return text.replaceAll('\n', '\n| ');
}
