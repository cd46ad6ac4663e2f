import type { Json } from '@stopgo/core';
import type { Dialect } from './dialect.ts';

/** What an agent says of itself. */
export type AgentProfile = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where it is reached, without a slash at the end. */
  readonly baseUrl: string;
  readonly skills: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly streaming: boolean;
  readonly extensions: readonly string[];
};

type JsonObject = { readonly [key: string]: Json };

const TEXT_MODES = ['text/plain', 'application/json'];

/** The card of version 1.0. */
export const cardOf = (profile: AgentProfile): JsonObject => ({
  ...shared(profile),
  supportedInterfaces: interfaces(profile),
  capabilities: {
    streaming: profile.streaming,
    pushNotifications: false,
    extendedAgentCard: false,
    extensions: extensions(profile),
  },
});

/**
 * The card for a reader that does not say its version: that of 0.3, with the interfaces of 1.0 besides, which readers of
 * 1.0 look for and others pass over.
 */
export const compatibleCardOf = (profile: AgentProfile): JsonObject => ({
  ...shared(profile),
  protocolVersion: '0.3.0',
  url: `${profile.baseUrl}/a2a`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url: `${profile.baseUrl}/a2a`, transport: 'JSONRPC' }],
  supportedInterfaces: interfaces(profile),
  supportsAuthenticatedExtendedCard: false,
  capabilities: {
    streaming: profile.streaming,
    pushNotifications: false,
    stateTransitionHistory: false,
    extensions: extensions(profile),
  },
});

/** Where a dialect is spoken; both versions share an address. */
function interfaces({ baseUrl }: AgentProfile): Json {
  const versions: readonly Dialect[] = ['1.0', '0.3'];
  return versions.map((protocolVersion) => ({ url: `${baseUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion }));
}

const extensions = (profile: AgentProfile): Json => profile.extensions.map((uri) => ({ uri, required: false }));

const shared = ({ name, description, version, skills }: AgentProfile) => ({
  name,
  description: description === '' ? `${name}, an agent that asks before it changes anything` : description,
  version,
  defaultInputModes: TEXT_MODES,
  defaultOutputModes: TEXT_MODES,
  skills: skills.map((skill) => ({ ...skill, tags: ['tool'] })),
});
