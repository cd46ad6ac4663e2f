import { type AgentProfile, HITL_EXTENSION } from '@stopgo/a2a-agent';
import type { Request } from 'express';
import type { Frame } from '../frame.ts';
import type { RouteDependencies } from '../routes/route.ts';

/** Of this program; an agent's own version is not configured. */
const AGENT_VERSION = '0.1.0';

/** What the agent says of itself now: its skills are its tools. */
export async function profileOf(deps: RouteDependencies, req: Request, { context }: Frame): Promise<AgentProfile> {
  const { tools } = await deps.clients.bridge.listTools({}, { context });
  return {
    name: deps.agentName,
    description: deps.agentDescription ?? '',
    version: AGENT_VERSION,
    // Whoever asks is told the address that reached us: behind a port mapping we know no better one.
    baseUrl: deps.publicUrl ?? `${req.protocol}://${req.get('host') ?? 'localhost'}`,
    skills: tools.map(({ name, description }) => ({ id: name, name, description })),
    streaming: true,
    extensions: [HITL_EXTENSION],
  };
}
