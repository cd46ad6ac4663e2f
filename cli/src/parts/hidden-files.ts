import type { AgentConfig } from '@stopgo/runtime';

/** What no tool server in a sandbox is shown, whatever folders it is named: the data of the platform, and the private keys that it fetches agents with. */
export function hiddenFromToolServers({
  dataDir,
  agentRepositories,
}: Pick<AgentConfig, 'dataDir' | 'agentRepositories'>): string[] {
  return [dataDir, ...agentRepositories.flatMap(({ auth }) => (auth.type === 'ssh-key' ? [auth.keyPath] : []))];
}
