import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Answer } from './http.ts';
import { root, type Workplace } from './platform.ts';

/** Tool servers that ask people in the midst of calls, written with the official SDKs of both eras. */
const asking = join(root, 'services/mcp-bridge/test/fixtures/asking-server.mjs');
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

type Input = {
  readonly id: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly message: string;
  readonly requested_schema?: { readonly required?: readonly string[]; readonly properties: object };
  readonly url?: string;
};
type Line = { readonly done?: string; readonly name: string; readonly action?: string; readonly content?: unknown };

/** What an answer shows as asked. */
export const inputsOf = ({ body }: Answer): readonly Input[] =>
  (body.conversation as unknown as { readonly pending_inputs?: readonly Input[] }).pending_inputs ?? [];
/** The details of a refusal. */
export const detailsOf = ({ body }: Answer) => body as unknown as Readonly<Record<string, string>>;

/** A configuration with three servers whose tools ask: `old` and `new`, each in one of the two protocols, and `everything`. */
export function serversIn(place: Workplace): string {
  const server = (name: string, era: string) => `
  - name: ${name}
    command: node
    args: [${JSON.stringify(asking)}, ${JSON.stringify(join(place.folder, `${name}.journal`))}, stdio, ${name}_]
    era: ${era}
    elicitation: [form, url]
    timeout: 2s
    input_timeout: 60s`;
  return `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${server('old', 'legacy')}${server('new', 'modern')}
  - name: everything
    command: node
    args: [${JSON.stringify(everything)}]
    elicitation: [form]
`;
}

function journalOf(place: Workplace, server: string): readonly Line[] {
  const lines = readFileSync(join(place.folder, `${server}.journal`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** What a server did with the answers to calls of that name. */
export const doneIn = (place: Workplace, server: string, name: string) =>
  journalOf(place, server).filter((line) => line.done !== undefined && line.name === name);

/** A message that has the model call a tool. */
export const call = (tool: string, args: object) => ({ message: `call ${tool} ${JSON.stringify(args)}` });
/** A call that asks for one of two words. */
export const surveyAt = (server: string, name: string) => ({ name: `${server}_survey`, args: { name } });
export const conversationOf = ({ body }: Answer): string => body.conversation.id;
