import { type Agent, type AgentBehaviour, startAgent } from '@stopgo/a2a-agent/agent';
import { process, reply } from './script.ts';
import { REQUIRED_EXTENSION, type Settings } from './settings.ts';

const SKILL = { id: 'scenes', name: 'scenes', description: 'Does what the id of a message asks for.' };

/** What the scripted agent of the library does. */
export const behaviourOf = ({ streaming, extendedCard, requiredExtension }: Settings): AgentBehaviour => ({
  name: 'conformance',
  description: 'Does what the conformance kit asks for.',
  skills: [SKILL],
  process,
  reply,
  // A scene that is canceled, or that fails, is no news.
  onError: () => undefined,
  // The kit of version 0.3 takes nothing else.
  grpcAsUrl: true,
  streaming,
  ...(extendedCard ? { extendedSkills: [{ ...SKILL, id: 'more' }] } : {}),
  requiredExtensions: requiredExtension ? [REQUIRED_EXTENSION] : [],
});

/** An agent of the library, whole. */
export const startOverLibrary = (settings: Settings): Promise<Agent> =>
  startAgent({ ...behaviourOf(settings), port: settings.port, grpcPort: settings.grpcPort });
