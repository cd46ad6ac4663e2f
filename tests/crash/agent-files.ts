import { agentsInGit } from '../e2e/git-agents.ts';

/** The agent that is talked to, and the one that it calls. What a message says is told to the first node. */
export const front = 'first';
export const keeper = 'keeper';
export const agentCount = 2;

const file = (more: string) =>
  `---\ndescription: Looks after resources\ncompletion: optional\n${more}\n---\nDo what you are told.\n`;

/** Makes a git repository of both; gives its folder. */
export function agentsRepository(folder: string): string {
  const agents = agentsInGit(folder);
  agents.write(`${front}/prompt.md`, file(`allowedAgents: [${keeper}]\nmcpServers: [resources]`));
  agents.write(`${keeper}/prompt.md`, file('mcpServers: [ledger, resources]'));
  agents.commit('Agents');
  return folder;
}
