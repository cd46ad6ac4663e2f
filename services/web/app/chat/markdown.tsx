import { visibleText, visibleUrl } from '@stopgo/core/visible';
import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

// What models and tools write. It is never taken for HTML, loads nothing, and a link shows where it leads.

const plugins = [remarkGfm];

const textOf = (children: ReactNode): string =>
  typeof children === 'string' ? children : Array.isArray(children) ? children.map(textOf).join('') : '';

function Outside({ href = '', children }: { readonly href?: string | undefined; readonly children?: ReactNode }) {
  const shown = visibleUrl(href);
  const target = URL.canParse(href) ? new URL(href) : undefined;
  // Addresses below this page would be taken for places of the app.
  if (target === undefined || !/^(?:https?|mailto):$/.test(target.protocol)) return <span>{children}</span>;
  const where = target.protocol === 'mailto:' ? target.pathname : target.host;
  const says = textOf(children).toLowerCase();
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={shown}>
      {children}
      {says.includes(where.toLowerCase()) ? null : <span className="link-target"> ({where})</span>}
    </a>
  );
}

const components: Components = {
  a: ({ href, children }) => <Outside href={href}>{children}</Outside>,
  img: ({ src, alt }) => (
    <Outside href={typeof src === 'string' ? src : ''}>{`Image: ${alt || 'without a name'}`}</Outside>
  ),
  // Headings of an answer are none of the page.
  h1: ({ children }) => <p className="md-heading">{children}</p>,
  h2: ({ children }) => <p className="md-heading">{children}</p>,
  h3: ({ children }) => <p className="md-heading">{children}</p>,
  h4: ({ children }) => <p className="md-heading">{children}</p>,
  h5: ({ children }) => <p className="md-heading">{children}</p>,
  h6: ({ children }) => <p className="md-heading">{children}</p>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className="md-scroll" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the same of code
    <pre tabIndex={0}>{children}</pre>
  ),
  // A box that nobody can tick.
  input: ({ checked }) => <span>{checked ? '☑' : '☐'} </span>,
};

export const Markdown = memo(({ text }: { readonly text: string }) => (
  <div className="md">
    <ReactMarkdown remarkPlugins={plugins} components={components} skipHtml={false}>
      {visibleText(text)}
    </ReactMarkdown>
  </div>
));

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** A line that goes on with what stands before it, or may: indented, of a list, a quote, or a table. */
const goesOn = /^(?:\s|[-*+>|]|\d+[.)])/;

/**
 * The text in pieces that are shown one below the other as the whole is: all but the last stay as they are when more is written. So what an
 * answer says already is not read again for each word that is added.
 */
export function settledBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open = '';
  let block = '';
  let isAfterBlank = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (open === '' && isAfterBlank && line.trim() !== '' && !goesOn.test(line)) {
      blocks.push(block);
      block = '';
    }
    const mark = fence.exec(line)?.[1] ?? '';
    if (open === '') open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = '';
    isAfterBlank = line.trim() === '';
    block += line;
  }
  return [...blocks, block];
}
