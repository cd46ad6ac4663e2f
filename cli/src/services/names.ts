/** The services that can run as a process of their own, in the order in which they are started. */
export const serviceNames = ['store', 'mcp-bridge', 'orchestrator', 'approvals', 'gateway'] as const;

export type ServiceName = (typeof serviceNames)[number];

export function isServiceName(text: string): text is ServiceName {
  return serviceNames.some((name) => name === text);
}
