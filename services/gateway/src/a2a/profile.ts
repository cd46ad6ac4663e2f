import { type AgentProfile, type Dialect, noExtendedCard } from '@stopgo/a2a-agent';
import type { Request } from 'express';
import { delegationTools } from '../delegation-tools.ts';
import type { Frame } from '../frame.ts';
import type { RouteDependencies } from '../routes/route.ts';
import { extensionsOf } from './extensions.ts';

/** Of this program; an agent's own version is not configured. */
const agentVersion = '0.1.0';

/**
 * What the agent says of itself now: its skills are its tools, the agents that it delegates to among them.
 *
 * @param reachedAt - the address that the asker reached us at: behind a port mapping we know no better one.
 */
export async function profileOf(
  deps: RouteDependencies,
  reachedAt: string,
  { context }: Pick<Frame, 'context'>,
): Promise<AgentProfile> {
  const [{ tools }, agents] = await Promise.all([
    deps.clients.bridge.listTools({}, { context }),
    delegationTools(deps, context),
  ]);
  const baseUrl = deps.publicUrl ?? reachedAt;
  const port = deps.grpcPort();
  const { declared, required } = extensionsOf(deps);
  return {
    name: deps.agentName,
    description: deps.agentDescription ?? '',
    version: agentVersion,
    baseUrl,
    grpcAddress: port === undefined || !URL.canParse(baseUrl) ? undefined : `${new URL(baseUrl).hostname}:${port}`,
    grpcAsUrl: deps.a2aGrpcAsUrl === true,
    skills: [...tools, ...agents].map(({ name, description }) => ({ id: name, name, description })),
    streaming: deps.a2aStreaming !== false,
    signIn: deps.authenticate !== undefined,
    pushNotifications: deps.a2aPush !== false,
    extensions: declared,
    requiredExtensions: required,
    extendedCard: deps.a2aExtendedCard !== undefined,
  };
}

/**
 * What it says to who asks for the extended card: what is configured for that, besides.
 *
 * @throws A2AError if nothing is.
 */
export function extended(
  profile: AgentProfile,
  { a2aExtendedCard: more }: RouteDependencies,
  dialect: Dialect,
): AgentProfile {
  if (more === undefined) throw noExtendedCard(dialect);
  const { description = profile.description, skills } = more;
  return { ...profile, description, skills: [...profile.skills, ...skills] };
}

/** The address that an HTTP request was sent to. */
export const reachedAt = (req: Request): string => `${req.protocol}://${req.get('host') ?? 'localhost'}`;
