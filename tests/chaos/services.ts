/** The services, in the order in which they are started. */
export const services = ['store', 'mcp-bridge', 'orchestrator', 'approvals', 'gateway'] as const;
export type Service = (typeof services)[number];

/** How many of each. */
export type ServiceReplicas = Readonly<Record<Service, number>>;
