import { join } from 'node:path';
import { serversIn } from '../e2e/asking-servers.ts';
import { agentsInGit } from '../e2e/git-agents.ts';
import { until } from '../e2e/http.ts';
import type { Workplace } from '../e2e/platform.ts';
import { openSite, type Site } from './site.ts';

/** A platform whose tool servers ask people, and whose agents from git do, and call each other. `port`: where the gateway listens; 0: anywhere. */
export async function openAskingSite(port = 0): Promise<Site> {
  const site = await openSite({ config: (place) => askingConfig(place, port) });
  await until('the agents are synced', async () => {
    const answer = await fetch(`${site.platform.url}/agents/office/clerk`);
    return answer.status === 200 || undefined;
  });
  return site;
}

const agent = (name: string, more = '') => `---
name: ${name}
description: Works in the office
${more}---
You are ${name}. Your task: {{prompt}}
`;

/** The configuration; the agents stand in the folder from the first call on. `port`: where the gateway listens; 0: anywhere. */
export function askingConfig(place: Workplace, port = 0): string {
  const folder = join(place.folder, 'agents');
  const agents = agentsInGit(folder);
  agents.write('office/clerk/prompt.md', agent('Clerk', 'allowedAgents: [office/cashier]\n'));
  agents.write('office/cashier/prompt.md', agent('Cashier', 'mcpServers: [resources]\n'));
  agents.git('add', '--all');
  agents.git('commit', '--quiet', '--allow-empty', '--message', 'Agents');
  const servers = serversIn(place)
    // Several calls of one server wait for people at once, and people take their time.
    .replace('era: modern', 'era: modern\n    concurrency: 8')
    .replaceAll('timeout: 2s', 'timeout: 60s')
    .replaceAll('input_timeout: 60s', 'input_timeout: 1h')
    .replace('port: 0', `port: ${port}`);
  return `${servers}  - name: resources
    command: node
    args: [mcp-servers/resources/dist/main.js, --db, ${JSON.stringify(place.database)}]
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: office-agents, git_url: ${JSON.stringify(folder)}, is_root: true, sync_interval: 1h }
`;
}

/** What a conversation asks people, as the platform shows it. */
export type AskedHere = { readonly id: string; readonly input: string; readonly commit: string };

/** Begins a conversation in which people are asked something. */
export async function begin(site: Pick<Site, 'platform'>, body: object): Promise<AskedHere> {
  const response = await fetch(`${site.platform.url}/conversations`, { method: 'POST', body: JSON.stringify(body) });
  const { conversation } = (await response.json()) as {
    conversation: {
      id: string;
      pending_inputs?: readonly { id: string }[];
      run?: { agent_source?: { git_commit: string } };
    };
  };
  return {
    ...{ id: conversation.id, input: conversation.pending_inputs?.[0]?.id ?? '' },
    commit: conversation.run?.agent_source?.git_commit ?? '',
  };
}

/** A message that has a tool server ask: values of a schema, or an address. */
export const asks = (args: {
  readonly name: string;
  readonly message?: string;
  readonly schema?: object;
  readonly url?: string;
}) => ({ message: `call new_ask ${JSON.stringify(args)}` });

/** What an agent says that it has done. */
export const completes = (result: string) => ({
  calls: [{ name: 'complete_agent_execution', args: { result, status: 'SUCCESS', confidence: 1 } }],
});
