import { join } from 'node:path';
import { type AgentsInGit, agentsInGit } from '../e2e/git-agents.ts';
import { until } from '../e2e/http.ts';
import { resourcesConfig } from '../e2e/platform.ts';
import { openSite, type Site } from './browser.ts';

/** A site whose agents come from a repository that the test changes. */
export type AgentsSite = {
  readonly site: Site;
  readonly agents: AgentsInGit;
  /** The first two commits. */
  readonly first: string;
  readonly second: string;
};

const billing = (more: string, prompt: string) => `---
name: Billing desk
description: Answers questions about bills and refunds
version: "2.1"
tags: [support, bills]
mcpServers: [resources]
tools: ['resources_*']
allowedAgents: [support/nobody]
completion: optional
${more}---

You look after bills.
${prompt}
`;

const desk = `---
name: Writing desk
description: Writes a text, and reads it again
mcpServers: [resources]
agent:
  type: loop
  name: desk
  max_iterations: 2
  agents:
    - { name: draft, type: llm, mcp_servers: [], prompt: Write a draft. }
    - { name: review, type: llm, approval: require, mcp_servers: [resources] }
---
Read it again, word by word.
`;

/** What a file may hold to run something, to look like something else, or to break the page. */
const hostileName = '<img src=x onerror="window.__ran=1"><script>window.__ran=2</script> p\u0430ypal';
export const hostileText = `${hostileName} safe\u202egnp.exe\u200b`;
const hostile = `---
name: ${JSON.stringify(hostileName)}
description: ${JSON.stringify(`${hostileText} [click](javascript:window.__ran=3)`)}
tags: [${JSON.stringify('<b onmouseover="window.__ran=4">tag</b>')}]
examples: [${JSON.stringify('<svg onload="window.__ran=5"></svg>')}]
mcpServers: []
---
# A heading <style>body{display:none}</style>

${hostileText}

![pixel](http://tracker.example/x.png) ${'a'.repeat(20_000)}END
`;

/** Starts a platform with agents from a repository that is looked at each second, or as `more` says otherwise. */
export async function openAgentsSite(more = ''): Promise<AgentsSite> {
  let agents: AgentsInGit | undefined;
  let [first, second] = ['', ''];
  const site = await openSite({
    config: (place) => {
      agents = agentsInGit(join(place.folder, 'agents'));
      // The offline model does what follows on "Task:" in the instructions.
      agents.write('support/billing.md', billing('', 'Task: list all resources'));
      agents.write('team/desk.md', desk);
      agents.write('README.md', '# Our agents\n');
      first = agents.commit('Answer questions about bills');
      agents.write(
        'support/billing.md',
        billing('approvals: require\nmaxCost: 0.5\nmaxExecutionMinutes: 15\n', 'Call no tools.'),
      );
      agents.write('hostile.md', hostile);
      second = agents.commit(`Ask before each call ${hostileText}\n\nA refund went out twice.`);
      return resourcesConfig(
        place,
        `
added_repositories: { allow_private: true }
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1s }
${more}`,
      );
    },
  });
  if (agents === undefined) throw new Error('the platform was started without its configuration');
  return { site, agents, first, second };
}

/** Waits until the agents of a site are taken up. `key`: of who asks, where people sign in. */
export const areSynced = (site: Site, key = ''): Promise<true> =>
  until('the repository is synced', async () => {
    const headers: Record<string, string> = key === '' ? {} : { 'x-api-key': key };
    return (await fetch(`${site.platform.url}/agents/support/billing`, { headers })).ok || undefined;
  });
