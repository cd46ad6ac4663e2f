// The pages of a link that decides. They have no script and load nothing; every text in them is escaped.
import { createHash } from 'node:crypto';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { approvalKindWord, visibleJson, visibleLine, visibleText } from '@stopgo/core';
import type { views } from '@stopgo/proto';
import { escaped } from '../html-text.ts';

const style = [
  'body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}',
  'pre,textarea{box-sizing:border-box;width:100%;white-space:pre-wrap;overflow-wrap:anywhere}',
  'dt{font-weight:600}dd{margin:0 0 .75rem}button{font:inherit;padding:.5rem 1.5rem;margin-right:1rem}',
].join('');

/** What a page may do: show its own style, and send its form to where it came from. */
export const linkPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page that says one thing. */
export const notePage = (title: string, text: string): string => page(title, `<p>${escaped(visibleText(text))}</p>`);

/** What is said by a button, and on it. */
const buttons: Readonly<Record<string, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  run_again: 'Run it again',
  give_up: 'Do not run it again',
};

/** The choices of an approval that the page offers; what needs more than a button is decided elsewhere. */
export const offeredChoices = ({ choices }: Pick<views.Approval, 'choices'>): readonly string[] =>
  choices.filter((choice) => choice in buttons);

/** The page that asks, of an approval as it stands. `email`: who decides with it. */
export function askingPage(approval: views.Approval, email: string, reasonCharactersMax: number): string {
  const { tool, server, argumentsJson, description, reason, requester, votes, expiresAt } = approval;
  const rows: readonly (readonly [string, string])[] = [
    ['Tool', line(server === '' ? tool : `${tool} of ${server}`)],
    ['Arguments', `<pre>${escaped(visibleText(visibleJson(argumentsJson === '' ? '{}' : argumentsJson)))}</pre>`],
    ['What it does', description === '' ? '' : `<pre>${escaped(visibleText(description))}</pre>`],
    ['Why you are asked', line(reason)],
    ['Kind', line(approvalKindWord(approval.kind))],
    ['Asked for by', line(requester)],
    ['Said yes so far', line(votes.map(({ voter }) => voter?.name ?? '').join(', '))],
    ['To be decided by', line(expiresAt === undefined ? '' : new Date(timestampMs(expiresAt)).toISOString())],
    ['You decide as', line(email)],
  ];
  const list = rows.filter(([, shown]) => shown !== '').map(([name, shown]) => `<dt>${name}</dt><dd>${shown}</dd>`);
  const offered = offeredChoices(approval).map(
    (choice) => `<button name="decision" value="${choice}">${buttons[choice]}</button>`,
  );
  const form =
    `<form method="post"><p><label>Reason (may be empty)<br><textarea name="reason" rows="3" maxlength="${reasonCharactersMax}">` +
    `</textarea></label></p><p>${offered.join('')}</p></form>`;
  return page('A call waits for your decision', `<dl>${list.join('')}</dl>${form}`);
}

const line = (text: string): string => (text === '' ? '' : escaped(visibleLine(text)));

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex">` +
  `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head>` +
  `<body><h1>${title}</h1>${body}</body></html>\n`;
