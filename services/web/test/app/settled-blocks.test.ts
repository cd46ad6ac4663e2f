import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown, settledBlocks } from '../../app/chat/markdown.tsx';

const shown = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text })).replace(/^<div class="md">|<\/div>$/g, '');

/** Lines that begin, go on with, or end what Markdown knows. */
const line = fc.constantFrom(
  ...[
    'words',
    '**bold** `code`',
    '# heading',
    '- one',
    '  deeper',
    '    much deeper',
    '1. first',
    '2) second',
    '> quoted',
  ],
  ...['| a | b |', '| - | - |', '```', '```ts', '~~~', '  ```', '```one``` more', '***', '', '', ''],
);

test('an answer in blocks is shown as it is in one', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const text = lines.join('\n');
      const blocks = settledBlocks(text);
      expect(blocks.join('')).toBe(text);
      expect(blocks.map(shown).join('\n').replace(/\n+/g, '\n').trim()).toBe(shown(text).replace(/\n+/g, '\n').trim());
    }),
    { numRuns: 300 },
  );
});

test('what is settled stays as it is when more is written', () => {
  const text = 'One.\n\n- two\n\n- three\n\nFour.\n\n```ts\nfive\n\nsix\n```\n\nSeven.\n\nEight';
  const whole = settledBlocks(text);
  expect(whole).toHaveLength(5);
  for (let end = 1; end < text.length; end += 1) {
    const settled = settledBlocks(text.slice(0, end)).slice(0, -1);
    expect(whole.slice(0, settled.length)).toEqual(settled);
  }
});
