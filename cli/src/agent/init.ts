import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeNamedDirectory } from '../made-directory.ts';
import { oneLine, shellWord } from '../shown.ts';

/** The tool server that comes along, wherever this program is. */
const resourcesServer = fileURLToPath(new URL('../../../mcp-servers/resources/bin/mcp-resources.mjs', import.meta.url));

const fileName = 'agent.yaml';

/**
 * `stopgo init`: writes a configuration to begin with into a folder, which is made if it is not there, and says what comes next. All of
 * its paths are absolute, so that it means the same from every working directory.
 *
 * @throws Error in one line if there is one already; nothing is changed then.
 */
export function init(folder: string, print: (line: string) => void): void {
  const file = join(folder, fileName);
  makeNamedDirectory(resolve(folder));
  try {
    writeFileSync(file, agentYaml(resolve(folder)), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(oneLine(`${file} is there already; it was left as it is`));
  }
  const shown = shellWord(file);
  for (const line of [
    `${shown} written. Next:`,
    '',
    `  npx stopgo check ${shown}`,
    `  npm start -- --demo --config ${shown}    # without a key the offline model answers`,
    '',
    'In another terminal, while it runs (the agent stops and asks, a yes lets it go on):',
    '',
    `  curl -s http://127.0.0.1:8080/conversations -d '{"message":"create a server my-test with value 42"}'`,
    '  npx stopgo approvals',
    '  npx stopgo approve UUID',
  ])
    print(oneLine(line));
}

function agentYaml(folder: string): string {
  const text = (path: string): string => JSON.stringify(path);
  return `# An agent of your own. docs/configuration.md has every key; \`npx stopgo check\` tells what is wrong.
name: my-agent
description: Lists, adds and removes named resources, and asks before it changes any.

# Only this machine can reach it: whoever reaches the port can approve.
host: 127.0.0.1
port: 8080

# The record of all that happens.
data_dir: ${text(join(folder, 'data'))}

llm:
  # gemini-… needs GEMINI_API_KEY, claude-… ANTHROPIC_API_KEY, openai:… OPENAI_API_KEY, ollama:… no key.
  model: gemini-2.5-flash

prompt: |
  You look after a list of resources. A resource has a name and a whole number as its value.
  Some tools need the approval of a human. That is arranged for you: call the tool, do not ask for permission in words.
  Never claim that something was changed unless a tool's result says so.

mcp_servers:
  # Its tools that only read run at once; those that add or remove wait for somebody's yes.
  - name: resources
    command: node
    args: [${text(resourcesServer)}, --db, ${text(join(folder, 'resources.db'))}]
  # Any MCP server takes its place, or stands beside it; this one reads and changes the files of a folder:
  # - name: files
  #   command: npx
  #   args: [-y, "@modelcontextprotocol/server-filesystem", ${text(join(folder, 'files'))}]
`;
}
