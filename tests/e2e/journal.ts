import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { until } from './http.ts';
import { journaledServer, journalFile, type Workplace } from './platform.ts';

/** What the journaled tool server wrote down: what really ran, whatever the platform says. */
export type Journal = {
  /** Lines of configuration of the server, for the list `mcp_servers`; its tools' names begin with the prefix. */
  server(prefix?: string, more?: string): string;
  /** Everything in it. */
  text(): string;
  /** How often a tool has begun with this name. */
  began(tool: string, name: string): number;
  /** Waits until a tool has begun. */
  running(tool: string, name: string): Promise<void>;
  /** Lets a call of \`hold\` answer. */
  letGo(name: string): void;
};

/** The journal of a test, for one or more servers. */
export function journalOf(place: Pick<Workplace, 'folder'>): Journal {
  const file = journalFile(place);
  // In the composition it is the one of the test before.
  writeFileSync(file, '');
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(`${basename(file)}.`)) rmSync(join(dirname(file), name));
  const began = (tool: string, name: string): number =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"began":"${tool}","args":${JSON.stringify({ name })}`)).length;
  return {
    server: (prefix = '', more = '') => journaledServer(place, prefix, more),
    text: () => readFileSync(file, 'utf8'),
    began,
    running: async (tool, name) => {
      await until(`${tool} ${name} runs`, async () => (began(tool, name) > 0 ? true : undefined));
    },
    letGo: (name) => writeFileSync(`${file}.${name}`, ''),
  };
}
