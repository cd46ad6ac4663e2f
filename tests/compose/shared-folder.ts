import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const shipped = fileURLToPath(new URL('../../config/agent.compose.yaml', import.meta.url));
const toolServer = fileURLToPath(new URL('../e2e/fixtures/tools.mjs', import.meta.url));

/** A folder of this machine of which the containers see a part. */
export type Shared = {
  readonly folder: string;
  /** The shipped configuration with the prompt of the tests and one more tool server. */
  readonly configuration: string;
  remove(): void;
};

/** Makes the folder: the configuration, and in `tools` the journaled tool server and its journal. */
export function shareFolder(): Shared {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-compose-'));
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  copyFileSync(toolServer, join(tools, 'tools.mjs'));
  const journal = join(tools, 'journal');
  writeFileSync(journal, '');
  const configuration = join(folder, 'agent.yaml');
  writeFileSync(configuration, testedConfiguration());
  // The user of the containers is another one than ours.
  for (const path of [folder, tools, journal]) chmodSync(path, 0o777);
  for (const path of [configuration, join(tools, 'tools.mjs')]) chmodSync(path, 0o644);
  return { folder, configuration, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function testedConfiguration(): string {
  const server = 'mcp_servers:\n  - {name: journaled, command: node, args: [/test/tools.mjs, /test/journal]}\n';
  let replaced = 0;
  const replacing = (by: string) => () => {
    replaced += 1;
    return by;
  };
  const tested = readFileSync(shipped, 'utf8')
    .replace(/^prompt: \|\n(?: .*\n)+/m, replacing('prompt: You look after resources.\n'))
    .replace(/^mcp_servers:\n/m, replacing(server));
  if (replaced !== 2) throw new Error(`${shipped} has no longer the prompt and the servers where this looks for them`);
  return tested;
}
