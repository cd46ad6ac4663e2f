import type { facts } from '@stopgo/proto';
import type { Output } from './state.ts';

/** The output made of one text; nothing for an empty one. */
export function textOutput(text: string): Output {
  return text === '' ? [] : [{ text }];
}

/** The output that is the text of a recorded answer; nothing for revision 0. */
export function answerOutput(revision: number): Output {
  return revision === 0 ? [] : [{ revision }];
}

/** The output that is the result of a recorded call. */
export function resultOutput(revision: number): Output {
  return [{ result: revision }];
}

/** True if something was said: a result of a call alone is no text. */
export function hasText(output: Output): boolean {
  return output.some((part) => !('result' in part));
}

/**
 * What a node that runs its children in order has come to, after one more of them: what was said last. A child that only
 * leaves the loop, with no text of its own, takes nothing back of what was said before.
 */
export function laterOutput(before: Output, end: { readonly output: Output; readonly exitLoop: boolean }): Output {
  if (end.output.length === 0) return before;
  return end.exitLoop && before.length > 0 && !hasText(end.output) ? before : end.output;
}

/** The text that an output stands for; empty parts are left out. */
export function outputText(output: Output, textAt: (revision: number) => string): string {
  return output
    .map((part) => {
      if ('text' in part) return part.text;
      return textAt('result' in part ? part.result : part.revision);
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** An output from its wire form; an absent one is empty. */
export function outputFromWire(output: facts.Output | undefined): Output {
  return (output?.parts ?? []).map((part) => {
    if (part.resultRevision !== 0) return { result: part.resultRevision };
    return part.answerRevision === 0 ? { text: part.text } : { revision: part.answerRevision };
  });
}

/** The wire form of an output. */
export function outputToWire(output: Output): { parts: OutputPartInit[] } {
  return {
    parts: output.map((part) => {
      if ('result' in part) return { resultRevision: part.result };
      return 'revision' in part ? { answerRevision: part.revision } : { text: part.text };
    }),
  };
}

type OutputPartInit = { answerRevision?: number; text?: string; resultRevision?: number };
