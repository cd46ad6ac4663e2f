import { create, facts, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { askingPage, linkPagePolicy, notePage, offeredChoices } from '../src/render/link-page.ts';

/** What closes tags and attributes, runs, loads, hides, and turns the order of letters around. */
const hostile = `"'></title></textarea></form><script>alert(1)</script><img src=x onerror=alert(2)>&lt;b&gt;\u202e\u0000\u001b[2J`;

/** The tags of a page, each with its attributes. */
const tagsOf = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];

const page = (text: string) =>
  askingPage(
    create(views.ApprovalSchema, {
      ...{ tool: text, server: text, description: text, reason: text, requester: text },
      argumentsJson: JSON.stringify({ [text]: [text] }),
      votes: [{ voter: { name: text } }],
      kind: facts.ApprovalKind.TOOL,
      choices: ['approve', 'reject', text, 'happened'],
    }),
    text,
    1_000,
  );

test('whatever a tool, a server or somebody is called, the page has the same tags and sends the same form', () => {
  const [plain, attacked] = [page('pay'), page(hostile)];
  expect(tagsOf(attacked)).toEqual(tagsOf(plain));
  for (const character of ['\u0000', '\u001b', '\u202e']) expect(attacked).not.toContain(character);
  expect(attacked).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  // What was written as an entity is shown as it was written.
  expect(attacked).toContain('&amp;lt;b&amp;gt;');
  expect(tagsOf(attacked).filter((tag) => /^<(form|button|textarea|script|img|a|meta|link)\b/.test(tag))).toEqual([
    '<meta charset="utf-8">',
    '<meta name="robots" content="noindex">',
    '<meta name="viewport" content="width=device-width">',
    '<form method="post">',
    '<textarea name="reason" rows="3" maxlength="1000">',
    '<button name="decision" value="approve">',
    '<button name="decision" value="reject">',
  ]);
  expect(tagsOf(notePage('Settled', hostile))).toEqual(tagsOf(notePage('Settled', 'by bob')));
});

test('the page offers what a button can say, and nothing by its policy runs or is loaded', () => {
  expect(offeredChoices({ choices: ['run_again', 'happened', 'give_up', hostile] })).toEqual(['run_again', 'give_up']);
  expect(linkPagePolicy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
});
