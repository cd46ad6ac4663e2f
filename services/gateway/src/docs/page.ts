// The page that shows the API to people. It is whole without its script, which only lets one try the routes out.
import { escaped } from '../html-text.ts';
import { type Answer, jsonText } from '../json-text.ts';
import type { Endpoint } from './endpoint.ts';
import { openApi, openPath } from './openapi.ts';

/** Where the parts of the page are. */
export const pageParts = { script: '/docs/page.js', style: '/docs/page.css' } as const;

/** What the page may do: load its own parts, and ask where it came from. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type About = { readonly title: string; readonly description: string; readonly version: string };
type Parameter = { readonly name: string; readonly in: string; readonly description?: string };
type Described = {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};
type Schema = {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly description?: string }>>;
  readonly required?: readonly string[];
};

const workflow = [
  'Send a message: POST /conversations.',
  'If "waiting_approval" is true, the agent has stopped before it does something: the answer shows what, and the approval.',
  'Look at it, and decide: POST /approvals/{uuid} with {"approved": true} or {"approved": false}.',
  'The agent goes on by itself. The answer has what it came to, or what it waits for now.',
  'Send the next message: POST /conversations/{id}/messages. To watch all of it: GET /conversations/{id}/events.',
];

/** The page, with a card for each operation. */
export function docsPage(about: About, endpoints: readonly Endpoint[]): string {
  const { paths } = openApi(about, endpoints) as { readonly paths: Record<string, Record<string, Described>> };
  const cardOf = (one: Endpoint): string => card(one, paths[openPath(one.path)]?.[one.method.toLowerCase()]);
  const cards = groupsOf(endpoints).map(
    ([name, ofGroup]) => `<section><h2>${escaped(name)}</h2>${ofGroup.map(cardOf).join('')}</section>`,
  );
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${escaped(about.title)} - API Documentation</title><link rel="stylesheet" href="${pageParts.style}">` +
    `<script src="${pageParts.script}" defer></script></head><body>` +
    `<header><h1>${escaped(about.title)}</h1><p>${escaped(about.description)}</p>` +
    `<p>Version ${escaped(about.version)} · <a href="/openapi.json">OpenAPI 3.1</a> · <a href="/docs/json">JSON</a></p>` +
    '<p><label>API key or token, where people sign in <input id="key" type="password" autocomplete="off"></label> ' +
    '<label>Find <input id="find" type="search"></label></p></header>' +
    `<main><section><h2>How it goes</h2><ol>${workflow.map((step) => `<li>${escaped(step)}</li>`).join('')}</ol></section>` +
    `${cards.join('')}</main></body></html>\n`
  );
}

/** The operations by the first word of their path, in their order. */
function groupsOf(endpoints: readonly Endpoint[]): readonly (readonly [string, readonly Endpoint[]])[] {
  const groups = new Map<string, Endpoint[]>();
  for (const one of endpoints) {
    const name = one.path.split('/')[1] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups];
}

function card(endpoint: Endpoint, described: Described | undefined): string {
  const { method, path, summary, description, request, responses } = endpoint;
  const { parameters = [], requestBody } = described ?? {};
  const schema = requestBody && Object.values(requestBody.content)[0]?.schema;
  const answers = Object.entries(responses).map(
    ([status, one]) =>
      `<dt><code>${status}</code> ${escaped(one.description)}</dt><dd><pre>${escaped(shown(one.example))}</pre></dd>`,
  );
  return (
    `<details><summary><b class="${method}">${method}</b> <code>${escaped(openPath(path))}</code> ${escaped(summary)}</summary>` +
    `<p>${escaped(description)}</p>` +
    (schema === undefined ? '' : `<h3>Body</h3>${fields(schema)}`) +
    tryOut(endpoint, parameters, request === undefined ? undefined : shown(request.example)) +
    `<h3>Answers</h3><dl>${answers.join('')}</dl></details>`
  );
}

function fields({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, { type, description = '' }]) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped([type ?? 'any'].flat().join(' or '))}</td>` +
      `<td>${required.includes(name) ? 'required' : ''}</td><td>${escaped(description)}</td></tr>`,
  );
  if (rows.length === 0) return '<p>An empty object, or nothing.</p>';
  return `<table><thead><tr><th>Member</th><th>Type</th><th></th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A form with a place for each parameter, which the script sends. */
function tryOut({ method, path }: Endpoint, parameters: readonly Parameter[], example: string | undefined): string {
  const places = parameters.map(
    ({ name, in: where, description = '' }) =>
      `<label><code>${escaped(name)}</code> <i>${where}</i> ${escaped(description)}` +
      `<input name="${escaped(name)}" data-in="${where}"></label>`,
  );
  const body =
    example === undefined ? '' : `<label>Body<textarea name="body" rows="6">${escaped(example)}</textarea></label>`;
  return (
    `<h3>Try it</h3><form data-method="${method}" data-path="${escaped(path)}">${places.join('')}${body}` +
    '<p><button>Send</button> <button type="button" hidden>Stop</button></p>' +
    '<pre class="answer" role="status" hidden></pre></form>'
  );
}

/** JSON with indents; a text as it is. */
const shown = (value: Answer): string =>
  typeof value === 'string' ? value : JSON.stringify(JSON.parse(jsonText(value)), undefined, 2);
