import type { AgentConfig } from '@stopgo/runtime';

/** Whether users connect accounts at some of these servers. */
export const hasAccounts = (servers: AgentConfig['mcpServers']): boolean =>
  servers.some(({ transport }) => transport.kind === 'http' && transport.auth === 'oauth');
