import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '@stopgo/runtime';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the schema is, from there. */
export const schemaFile = 'config/agent.schema.json';

/** Under which heading the page of the configuration has the keys of a mapping, where its name is another one. */
const headings: Readonly<Record<string, string>> = {
  '': 'Top level',
  mcp: 'mcp_servers',
  tools: 'tools of a server',
  skills: 'skills of the extended card',
  jwt: 'auth.jwt',
};

/** The text of the schema file: made from what the parser goes by, with the words of docs/configuration.md. */
export function schemaText(): string {
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
  const tables = new Map<string, ReadonlyMap<string, string>>();
  const described = (mapping: string, key: string) => {
    const heading = headings[mapping] ?? mapping;
    const table = tables.get(heading) ?? meanings(page, heading);
    tables.set(heading, table);
    return table.get(key);
  };
  return `${JSON.stringify(configJsonSchema(described), null, 2)}\n`;
}

/** What each key of the first table below a heading means: its first cell, and its last one without the signs of Markdown. */
function meanings(page: string, heading: string): ReadonlyMap<string, string> {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const table = section.split('\n\n').find((part) => part.startsWith('| ')) ?? '';
  const rows = table.split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const cells = row.slice(1, -1).split('|');
      return [plain(cells[0] ?? '').replaceAll('`', ''), plain(cells.slice(3).join('|'))];
    }),
  );
}

function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
}
