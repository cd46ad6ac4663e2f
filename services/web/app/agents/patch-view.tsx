import { Marked } from '../ui/text.tsx';
import { type PatchPart, patchWords, readPatch } from './patch.ts';

const signs = { same: ' ', gone: '−', new: '+', note: ' ' } as const;
const words = { same: '', gone: 'gone: ', new: 'new: ', note: '' } as const;

/** What is different between two versions of a file, line by line. */
export function PatchView({ patch }: { readonly patch: string }) {
  const parts = readPatch(patch);
  if (parts.length === 0) return <p className="card-note">Nothing differs in its file.</p>;
  return (
    <>
      <p className="card-note">{patchWords(parts)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long comparison is scrolled with the keyboard */}
      <section className="patch" tabIndex={0} aria-label="What differs, line by line">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name than their place
          <Part key={index} part={part} isFirst={index === 0} />
        ))}
      </section>
    </>
  );
}

function Part({ part: { lines }, isFirst }: { readonly part: PatchPart; readonly isFirst: boolean }) {
  return (
    <>
      {isFirst ? null : <p className="patch-gap">What is between is the same</p>}
      <pre>
        {lines.map(({ kind, text, number }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
          <span key={index} className={`diff-line patch-line ${kind}`}>
            <span className="patch-number" aria-hidden="true">
              {number}
            </span>
            <span aria-hidden="true">{signs[kind]}</span>
            <span className="patch-text">
              <span className="visually-hidden">{words[kind]}</span>
              {kind === 'note' ? <em>{text}</em> : <Marked text={text} />}
              {'\n'}
            </span>
          </span>
        ))}
      </pre>
    </>
  );
}
