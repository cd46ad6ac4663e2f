import type { Json } from '@stopgo/core';
import type { Dialect } from './dialect.ts';
import {
  type A2AError,
  AgentCard,
  ExtendedAgentCardNotConfiguredError,
  UnsupportedOperationError,
} from './protocol.ts';

/** What an agent says of itself. */
export type AgentProfile = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where it is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Where gRPC is spoken, as `host:port`; undefined if it is not. */
  readonly grpcAddress?: string | undefined;
  /** True: readers of 0.3 are given it as a URL, as the text of that version has it. Its clients take an address only. */
  readonly grpcAsUrl?: boolean;
  readonly skills: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly streaming: boolean;
  /** Absent: nobody is told of tasks. */
  readonly pushNotifications?: boolean;
  readonly extensions: readonly string[];
  /** Those of the extensions that a peer must understand; absent: none. */
  readonly requiredExtensions?: readonly string[];
  /** True: callers have to sign in, with a bearer token or an API key. Absent: nobody does. */
  readonly signIn?: boolean;
  /** True if there is a card that says more, for who asks for it. */
  readonly extendedCard?: boolean;
};

type JsonObject = { readonly [key: string]: Json };

const textModes = ['text/plain', 'application/json'];

/** The card of version 1.0. */
export const cardOf = (profile: AgentProfile): JsonObject => ({
  ...shared(profile),
  ...(profile.signIn === true ? security : {}),
  supportedInterfaces: interfaces(profile),
  capabilities: {
    streaming: profile.streaming,
    pushNotifications: profile.pushNotifications === true,
    extendedAgentCard: profile.extendedCard === true,
    extensions: extensions(profile),
  },
});

/**
 * The card for a reader that does not say its version: that of 0.3, with the interfaces of 1.0 besides, which readers of
 * 1.0 look for and others pass over.
 */
export const compatibleCardOf = (profile: AgentProfile): JsonObject => ({
  ...shared(profile),
  ...(profile.signIn === true ? agedSecurity : {}),
  protocolVersion: '0.3.0',
  url: jsonRpcUrl(profile, '0.3'),
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: jsonRpcUrl(profile, '0.3'), transport: 'JSONRPC' },
    { url: profile.baseUrl, transport: 'HTTP+JSON' },
    ...grpcAddress(profile, '0.3').map((url) => ({ url, transport: 'GRPC' })),
  ],
  supportedInterfaces: interfaces(profile),
  supportsAuthenticatedExtendedCard: profile.extendedCard === true,
  capabilities: {
    streaming: profile.streaming,
    pushNotifications: profile.pushNotifications === true,
    stateTransitionHistory: false,
    extensions: extensions(profile),
  },
});

const apiKeyHeader = 'X-API-Key';

/** How callers sign in, as 1.0 says it: with the one or the other. */
const security: JsonObject = {
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'a token of this platform’s issuer' } },
    apiKey: { apiKeySecurityScheme: { location: 'header', name: apiKeyHeader } },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
};

/** The same as 0.3 says it. */
const agedSecurity: JsonObject = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: apiKeyHeader },
  },
  security: [{ bearer: [] }, { apiKey: [] }],
};

/** A card as readers of 0.3 expect it: their interfaces are those that it names for that version. */
export function agedCard(card: AgentCard): object {
  const [first, ...others] = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '0.3');
  return {
    ...(AgentCard.toJSON(card) as object),
    ...(Object.keys(card.securitySchemes).length === 0 ? {} : agedSecurity),
    protocolVersion: '0.3.0',
    url: first?.url ?? '',
    preferredTransport: first?.protocolBinding ?? '',
    additionalInterfaces: others.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    supportsAuthenticatedExtendedCard: card.capabilities?.extendedAgentCard === true,
  };
}

/** What who asks for an extended card is told where there is none: the two versions have different errors for that. */
export const noExtendedCard = (dialect: Dialect): A2AError =>
  dialect === '1.0'
    ? new UnsupportedOperationError('this agent has no extended card; its card says all there is')
    : new ExtendedAgentCardNotConfiguredError();

/** Every address answers every dialect; at this one who asks for a task that is not there is told so in the one of 0.3. */
const jsonRpcUrl = ({ baseUrl }: AgentProfile, version: Version): string =>
  version === '1.0' ? `${baseUrl}/a2a` : `${baseUrl}/a2a/v1`;

type Version = Exclude<Dialect, 'legacy'>;

const versions: readonly Version[] = ['1.0', '0.3'];

const grpcAddress = ({ grpcAddress: address, grpcAsUrl = false }: AgentProfile, version: Version): string[] =>
  address === undefined ? [] : [version === '0.3' && grpcAsUrl ? `http://${address}` : address];

const interfaces = (profile: AgentProfile): Json =>
  versions.flatMap((protocolVersion) => [
    { url: jsonRpcUrl(profile, protocolVersion), protocolBinding: 'JSONRPC', protocolVersion },
    { url: profile.baseUrl, protocolBinding: 'HTTP+JSON', protocolVersion },
    ...grpcAddress(profile, protocolVersion).map((url) => ({ url, protocolBinding: 'GRPC', protocolVersion })),
  ]);

const extensions = ({ extensions: all, requiredExtensions: required = [] }: AgentProfile): Json =>
  all.map((uri) => ({ uri, required: required.includes(uri) }));

const shared = ({ name, description, version, skills }: AgentProfile) => ({
  name,
  description: description === '' ? `${name}, an agent that asks before it changes anything` : description,
  version,
  defaultInputModes: textModes,
  defaultOutputModes: textModes,
  skills: skills.map((skill) => ({ ...skill, tags: ['tool'] })),
});
