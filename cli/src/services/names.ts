import type { Callers, PeerName } from '@stopgo/rpc';

/** The services that can run as a process of their own, in the order in which they are started. */
export const serviceNames = [
  'store',
  'mcp-bridge',
  'registry',
  'orchestrator',
  'approvals',
  'gateway',
] as const satisfies readonly PeerName[];

export type ServiceName = (typeof serviceNames)[number];

/** Who calls what of a service. The store looks at its callers more closely itself. */
export const callersOf: Readonly<Record<ServiceName, Callers>> = {
  store: {
    'mcp-bridge': 'all',
    orchestrator: 'all',
    approvals: 'all',
    registry: 'all',
    gateway: 'all',
    operator: 'all',
    store: 'all',
  },
  'mcp-bridge': {
    orchestrator: ['ListTools', 'Execute', 'FenceCall', 'CancelCall', 'AnswerCall'],
    // What people say of tools comes from here alone.
    gateway: [
      ...['ListTools', 'ListServers', 'ListHeldTools', 'AcceptTools', 'DefineTools', 'LearnAccepted', 'ListAlarms'],
      ...['ListConnections', 'BeginConnection', 'FinishConnection', 'Disconnect'],
    ],
  },
  orchestrator: { gateway: 'all', approvals: ['ResumeRun'] },
  // Decisions of people come from here alone.
  approvals: { gateway: 'all', orchestrator: ['MakeLink'] },
  registry: { gateway: 'all', orchestrator: ['ListAgents', 'ResolveAgent'] },
  gateway: {},
};

export function isServiceName(text: string): text is ServiceName {
  return serviceNames.some((name) => name === text);
}
