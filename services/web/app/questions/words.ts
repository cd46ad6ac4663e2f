import { clockTime } from '../ui/time.tsx';
import type { Outcome, Question } from './question.ts';

/** Who asks, in a sentence. */
export const headlineOf = ({ by, name }: Pick<Question, 'by' | 'name'>): string =>
  by === 'agent' ? `The agent ${name} asks` : `The tool server ${name} asks`;

const summaryCharacters = 120;

/** The question in a few words, for a list; the card has all of it. */
export function summaryOf({ message }: Pick<Question, 'message'>): string {
  const text = message.trim().replace(/\s+/g, ' ');
  return text.length <= summaryCharacters
    ? text
    : `${text.slice(0, summaryCharacters).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What is to be done, in a word, for a list. */
export const modeWord = ({ mode }: Pick<Question, 'mode'>): string =>
  ({ form: 'Answer', url: 'Open an address', file: 'Give a file' })[mode];

/** What becomes of the call if nobody answers as asked, in a sentence. */
export function refusalMeans(
  { by, isOptional }: Pick<Question, 'by' | 'isOptional'>,
  action: 'decline' | 'cancel',
): string {
  if (by === 'agent')
    return isOptional
      ? 'The agent is told that this is left out, and goes on without it.'
      : 'The agent is told that you declined to answer. What it does then is its own affair.';
  return action === 'decline'
    ? 'The tool server is told that you do not want to answer. What its call does then is its own affair.'
    : 'The tool server is told that the question was closed without an answer. What its call does then is its own affair.';
}

/** What became of a question, in a sentence. */
export function outcomeWords({ how, by = 'somebody', at, why = '' }: Outcome): string {
  const when = at === null ? '' : ` at ${clockTime(at)}`;
  switch (how) {
    case 'accept':
      return `Answered by ${by}${when}`;
    case 'decline':
      return `Declined by ${by}${when}`;
    case 'cancel':
      return `Closed without an answer by ${by}${when}`;
    case 'withdrawn':
      return `Not asked any more${when}${why === '' ? '' : `: ${why}`}`;
  }
}
