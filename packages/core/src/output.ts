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

/** An output from its wire form; an absent one is empty. */
export function outputFromWire(output: facts.Output | undefined): Output {
  return (output?.parts ?? []).map((part) =>
    part.answerRevision === 0 ? { text: part.text } : { revision: part.answerRevision },
  );
}

/** The wire form of an output. */
export function outputToWire(output: Output): { parts: { answerRevision: number; text: string }[] } {
  return {
    parts: output.map((part) =>
      'revision' in part ? { answerRevision: part.revision, text: '' } : { answerRevision: 0, text: part.text },
    ),
  };
}
