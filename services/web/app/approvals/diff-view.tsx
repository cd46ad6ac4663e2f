import { type ExactValue, exactText } from '@stopgo/client';
import { Marked } from '../ui/text.tsx';
import { diffLines } from './diff.ts';

const signs = { same: ' ', gone: '−', new: '+' } as const;
const words = { same: '', gone: 'gone: ', new: 'new: ' } as const;

/** What is different between two values, line by line of their JSON. */
export const Diff = ({ before, after }: { readonly before: ExactValue; readonly after: ExactValue }) => (
  <TextDiff before={exactText(before)} after={exactText(after)} />
);

/** What is different between two texts, line by line; undefined: there is none. */
export function TextDiff(given: { readonly before: string | undefined; readonly after: string | undefined }) {
  const lines = diffLines(given.before, given.after);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: lines that are wider than the page are scrolled with the keyboard
    <pre className="diff" tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
        <span key={index} className={`diff-line ${kind}`}>
          <span aria-hidden="true">{signs[kind]} </span>
          <span className="visually-hidden">{words[kind]}</span>
          <Marked text={text} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
