import { visibleLine, visibleText } from '@stopgo/core/visible';
import { Fragment, useState } from 'react';
import { Button } from 'react-aria-components';
import { piecesOf } from './shown.ts';

/** Text from outside of one line, with nothing hidden in it. */
export const Line = ({ text }: { readonly text: string }) => <bdi>{visibleLine(text)}</bdi>;

/** The same of any number of lines. */
export const Block = ({ text }: { readonly text: string }) => <span className="block-text">{visibleText(text)}</span>;

/** How much of a long text is shown before somebody asks for all of it. */
type Fold = { readonly characters: number; readonly lines: number };

const usualFold: Fold = { characters: 600, lines: 12 };

/** Text that somebody decides on: hidden characters and look-alikes stand out, and what is folded away says how much it is. */
export function Exact({
  text,
  label,
  fold = usualFold,
}: {
  readonly text: string;
  readonly label: string;
  readonly fold?: Fold;
}) {
  const [isOpen, setOpen] = useState(false);
  const short = beginningOf(text, fold);
  const isLong = short.length < text.length;
  return (
    <>
      <span className="exact">
        <Marked text={isOpen ? text : short} />
        {isLong && !isOpen ? <span aria-hidden="true">…</span> : null}
      </span>
      {isLong ? (
        <Button className="link-button fold" onPress={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen
            ? `Show less of ${label}`
            : `Show all of ${label}: ${count(text.length - short.length, 'more character')}`}
        </Button>
      ) : null}
    </>
  );
}

function beginningOf(text: string, { characters, lines: linesMax }: Fold): string {
  const lines = text.split('\n', linesMax + 1);
  const byLines = lines.length > linesMax ? lines.slice(0, linesMax).join('\n') : text;
  // A character of two halves is not cut between them.
  return byLines.length <= characters ? byLines : byLines.slice(0, characters).replace(/[\ud800-\udbff]$/, '');
}

/** The text with marks on what would not be seen for what it is. */
export function Marked({ text }: { readonly text: string }) {
  let offset = 0;
  return (
    <bdi>
      {piecesOf(text).map((piece) => {
        const key = offset;
        offset += piece.text.length;
        if (piece.kind === 'plain') return <Fragment key={key}>{piece.text}</Fragment>;
        if (piece.kind === 'hidden')
          return (
            <mark key={key} className="hidden-mark" title={`a character that is not seen: ${piece.code}`}>
              {piece.code}
            </mark>
          );
        return (
          <mark key={key} className="twin-mark" title={`${piece.code}: looks like another letter`}>
            {piece.text}
            <span className="visually-hidden"> ({piece.code}, looks like another letter)</span>
          </mark>
        );
      })}
    </bdi>
  );
}

/** A number of things in words: `1 vote`, `3 votes`; `more` follows on the word. */
export const count = (number: number, what: string, more = ''): string =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}${more}`;
