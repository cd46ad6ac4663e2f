import type { AnswerOf } from '@stopgo/client';

/** What the platform says of a record that it has checked. */
export type Verification = AnswerOf<'GET /conversations/{id}/verification'>;

export type Verdict = {
  readonly isSound: boolean;
  readonly title: string;
  /** What was found, a sentence each; what the platform says of a problem stands as it says it. */
  readonly lines: readonly string[];
  readonly head?: Verification['head'];
};

/** A check in plain words. `seen`: as many events this page was shown before it: fewer in the record would be gone. */
export function verdictOf({ sound, events, problems, head }: Verification, seen: number): Verdict {
  const missing =
    events < seen
      ? [`This page was shown ${seen} events, and the record holds ${events} now: what came after is gone.`]
      : [];
  if (sound && missing.length === 0)
    return {
      isSound: true,
      title: 'The record is sound',
      lines: [
        `${events === 1 ? 'One event was' : `${events.toLocaleString('en')} events were`} checked. None is altered, and none is missing between them.`,
        'What the platform shows of the conversation is what its events say.',
      ],
      head,
    };
  return {
    isSound: false,
    title: 'The record is not sound',
    lines: [...missing, ...problems, `${events.toLocaleString('en')} events were checked.`],
  };
}

const kib = 1024;

/** How large something is, in the unit that suits it. */
export function sizeWords(bytes: number): string {
  if (bytes < kib) return `${bytes} bytes`;
  if (bytes < kib * kib) return `${(bytes / kib).toFixed(1)} KiB`;
  return `${(bytes / kib / kib).toFixed(1)} MiB`;
}
