import { checkEmail, type Policy } from '@stopgo/core';
import { carriesTokenInClear } from '@stopgo/security';
import { defaults } from './defaults.ts';
import { providersOf } from './providers.ts';
import { agentRepository } from './repositories.ts';
import { type FileShape, type McpServerShape, type NodeShape, type RemoteAgentShape, webhookEvents } from './schema.ts';
import type {
  AgentConfig,
  AgentNodeConfig,
  AuthConfig,
  ExtendedCardConfig,
  JwtConfig,
  LlmNodeConfig,
  McpQuestions,
  McpServerConfig,
  McpServerTools,
  PriceTable,
  RemoteAgentConfig,
  WebhookConfig,
} from './types.ts';

/** Turns a file that passed the schema and the rules into the frozen configuration the rest of the code works with; `policy`: its rules; `prices`: those of its file. */
export function normalise(file: FileShape, policy?: Policy, prices?: PriceTable): AgentConfig {
  const servers: readonly McpServerShape[] = file.mcp === undefined ? file.mcp_servers : [file.mcp];
  return deepFreeze({
    name: file.name,
    description: file.description,
    prompt: file.prompt,
    host: file.host,
    port: file.port,
    dataDir: file.data_dir,
    llm: { ...modelsIn(file.llm), timeoutMs: file.llm.timeout },
    ...(file.providers === undefined ? {} : { providers: providersOf(file.providers) }),
    ...(prices === undefined ? {} : { prices }),
    mcpServers: servers.map((server) => mcpServer(server, file)),
    a2a: file.a2a.map(remoteAgent),
    agent: agentNode(file.agent ?? { ...emptyLlmNode, a2a: file.a2a }, file, file.name, {
      approvalRequired: false,
      onReject: defaults.onReject,
    }),
    unannotated: file.unannotated,
    syncWaitMs: file.sync_wait,
    heartbeatTtlMs: file.heartbeat_ttl,
    maxTurns: file.max_turns,
    allowedOrigins: file.allowed_origins,
    allowedHosts: file.allowed_hosts,
    allowHttpTokensTo: file.allow_http_tokens_to,
    ...(file.public_url === undefined ? {} : { publicUrl: file.public_url.replace(/\/+$/, '') }),
    ...(file.a2a_grpc_port === undefined ? {} : { a2aGrpcPort: file.a2a_grpc_port }),
    ...(file.a2a_extended_card === undefined ? {} : { a2aExtendedCard: extendedCard(file.a2a_extended_card) }),
    a2aRequiredExtensions: file.a2a_required_extensions,
    logLevel: file.log_level,
    logFormat: file.log_format,
    limits: {
      concurrentRuns: file.limits.concurrent_runs,
      openStreams: file.limits.open_streams,
      bodyBytes: file.limits.body_bytes,
      messageBytes: file.limits.message_bytes,
    },
    nats: {
      stream: file.nats.stream,
      replicas: file.nats.replicas,
      acceptUnverifiedDurability: file.nats.accept_unverified_durability,
    },
    ...(policy === undefined ? {} : { policy }),
    push: { allowPrivate: file.push.allow_private },
    webhooks: file.webhooks.map(webhook),
    takesAgentsFromGit: file.agent_repositories !== undefined,
    agentRepositories: (file.agent_repositories ?? []).map(agentRepository),
    addedRepositories: { allowPrivate: file.added_repositories.allow_private },
    agentFolders: file.agent_folders,
    calling: {
      depthMax: file.agent_execution.max_call_depth,
      callsMax: file.agent_execution.max_agent_calls,
      circlesAllowed: !file.agent_execution.circular_call_prevention,
    },
    ...(file.auth === undefined ? {} : { auth: auth(file.auth) }),
    requireAuth: file.require_auth,
  });
}

function webhook(shape: FileShape['webhooks'][number]): WebhookConfig {
  const { name, url, secret_env: secretVariable, events = webhookEvents, allow_private: allowPrivate } = shape;
  const links = shape.link_for === undefined ? {} : { linkFor: checkEmail(shape.link_for) };
  return { name, url, secretVariable, events, allowPrivate, ...links };
}

function auth({ jwt, new_users: newUsers }: NonNullable<FileShape['auth']>): AuthConfig {
  return { newUsers, ...(jwt === undefined ? {} : { jwt: jwtOf(jwt) }) };
}

function jwtOf(jwt: NonNullable<NonNullable<FileShape['auth']>['jwt']>): JwtConfig {
  const { issuer, audience, secret_env, keys_url, keys_file, groups } = jwt;
  const keys: JwtConfig['keys'] =
    secret_env !== undefined
      ? { kind: 'secret', variable: secret_env }
      : keys_url === undefined
        ? { kind: 'file', path: keys_file ?? '' }
        : { kind: 'url', url: keys_url };
  return {
    ...{ issuer, audience, keys, clockSkewMs: jwt.clock_skew, emailClaim: jwt.email_claim },
    ...{ nameClaim: jwt.name_claim, groupsClaim: jwt.groups_claim, keyGroupsForMs: jwt.key_groups_for },
    ...(groups === undefined ? {} : { groups }),
  };
}

function extendedCard({ description, skills }: NonNullable<FileShape['a2a_extended_card']>): ExtendedCardConfig {
  return { skills, ...(description === undefined ? {} : { description }) };
}

/** What a file without `agent` means: one llm node that takes everything from the top level. */
const emptyLlmNode: NodeShape = {
  type: 'llm',
  can_exit_loop: false,
  on_error: defaults.onError,
  max_iterations: defaults.maxIterations,
  description: '',
  destructiveHint: false,
  token_origins: [],
  a2a: [],
};

function mcpServer(server: McpServerShape, file: FileShape): McpServerConfig {
  return {
    name: server.name,
    transport:
      server.url === undefined ? stdioTransport(server) : httpTransport(server.url, server, file.allow_http_tokens_to),
    era: server.era,
    unannotated: server.unannotated ?? file.unannotated,
    approvalRequired: server.approval === 'require',
    ...(server.approval_tools.length === 0 ? {} : { approvalTools: server.approval_tools }),
    ...(server.tools === undefined ? {} : { tools: serverTools(server.tools) }),
    ...((server.pins ?? file.pins) === 'strict' ? { pins: 'strict' } : {}),
    stateless: server.stateless,
    timeoutMs: server.timeout,
    totalTimeoutMs: Math.max(server.timeout, server.total_timeout),
    ...(server.start_timeout === undefined ? {} : { startTimeoutMs: server.start_timeout }),
    callsAtOnce:
      server.concurrency ?? (server.url === undefined ? defaults.stdioConcurrency : defaults.httpConcurrency),
    onStartFailure: server.on_start_failure,
    ...(server.elicitation.length === 0 ? {} : { questions: questions(server) }),
    ...(server.sampling === 'allow' ? { sampling: true } : {}),
  };
}

function stdioTransport(server: McpServerShape): McpServerConfig['transport'] {
  const {
    command = '',
    args = [],
    env = {},
    sandbox,
    folders = [],
    write_folders: writeFolders = [],
    network = 'none',
  } = server;
  const base = { kind: 'stdio', command, args, env } as const;
  return sandbox === 'required' ? { ...base, sandbox: { folders, writeFolders, network } } : base;
}

function httpTransport(url: string, server: McpServerShape, allowed: readonly string[]): McpServerConfig['transport'] {
  const { auth, token_env, client_id_env = '', client_secret_env = '', issuer, token_url, scope } = server;
  const base = { kind: 'http', url, auth: auth ?? 'forward' } as const;
  switch (auth) {
    case 'forward':
      return { ...base, forwardsInClear: true };
    case 'static':
      return { ...base, tokenVariable: token_env ?? '' };
    case 'oauth': {
      const accounts = {
        ...(client_id_env === '' ? {} : { idVariable: client_id_env }),
        ...(client_secret_env === '' ? {} : { secretVariable: client_secret_env }),
        ...(issuer === undefined ? {} : { issuer }),
        ...(scope === undefined ? {} : { scope }),
      };
      return { ...base, accounts };
    }
    case 'client_credentials': {
      const login = {
        idVariable: client_id_env,
        secretVariable: client_secret_env,
        ...(issuer === undefined ? {} : { issuer }),
        ...(token_url === undefined ? {} : { tokenUrl: token_url }),
        ...(scope === undefined ? {} : { scope }),
      };
      return { ...base, login };
    }
    case undefined:
      return carriesTokenInClear(url, allowed) ? { ...base, forwardsInClear: true } : base;
    default:
      return base;
  }
}

function serverTools({ allow, deny, prefix, definition_bytes }: NonNullable<McpServerShape['tools']>): McpServerTools {
  return {
    deny,
    ...(allow === undefined ? {} : { allow }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(definition_bytes === undefined ? {} : { definitionBytesMax: definition_bytes }),
  };
}

function questions({ elicitation, input_timeout: timeoutMs }: McpServerShape): McpQuestions {
  return { form: elicitation.includes('form'), url: elicitation.includes('url'), timeoutMs };
}

function remoteAgent(agent: RemoteAgentShape): RemoteAgentConfig {
  const { name, url, description, destructiveHint: destructive, token_origins: tokenOrigins } = agent;
  return { name, url, description, destructive, ...(tokenOrigins.length === 0 ? {} : { tokenOrigins }) };
}

/** The name of a child that has none of its own: its type and its place. */
export function nameByPlace(type: string, index: number): string {
  return `${type}_${index + 1}`;
}

/** The models that hold where nothing else is said. */
type UsualModels = { readonly model: string; readonly models?: readonly string[] | undefined };

/** The models that a node names itself. */
function ownModelsOf({ model, models }: NodeShape): UsualModels | undefined {
  const first = model ?? models?.[0];
  return first === undefined ? undefined : { model: first, models };
}

/** A list of models as the one that is asked, and those that are asked instead. */
function modelsIn({ model, models = [model] }: UsualModels): Pick<LlmNodeConfig, 'model' | 'fallbacks'> {
  const [first = model, ...fallbacks] = models;
  return { model: first, ...(fallbacks.length === 0 ? {} : { fallbacks }) };
}

/** What a node hands on to its children. */
type Inherited = Pick<AgentNodeConfig, 'approvalRequired' | 'onReject'>;

/** `fallbackName` names a node that has no name of its own: the agent for the root, type and place for the others. */
export function agentNode(
  node: NodeShape,
  file: { readonly prompt: string; readonly llm: UsualModels },
  fallbackName: string,
  above: Inherited,
): AgentNodeConfig {
  const inherited: Inherited = {
    approvalRequired: above.approvalRequired || node.approval === 'require',
    onReject: node.on_reject ?? above.onReject,
  };
  const base = {
    name: node.name ?? fallbackName,
    ...inherited,
    ...(node.output_key === undefined ? {} : { outputKey: node.output_key }),
  };
  const agents = () =>
    (node.agents ?? []).map((child, index) => agentNode(child, file, nameByPlace(child.type, index), inherited));
  switch (node.type) {
    case 'llm':
      return {
        ...base,
        type: 'llm',
        ...modelsIn(ownModelsOf(node) ?? file.llm),
        prompt: node.prompt ?? file.prompt,
        canExitLoop: node.can_exit_loop,
        a2a: node.a2a.map(remoteAgent),
        ...(node.mcp_servers === undefined ? {} : { toolServers: node.mcp_servers }),
        ...(node.tools === undefined ? {} : { tools: node.tools }),
      };
    case 'sequential':
      return { ...base, type: 'sequential', agents: agents() };
    case 'parallel':
      return { ...base, type: 'parallel', agents: agents(), onError: node.on_error };
    case 'loop':
      return {
        ...base,
        type: 'loop',
        agents: agents(),
        maxIterations: node.max_iterations === 0 ? defaults.maxIterations : node.max_iterations,
      };
    case 'a2a':
      return {
        ...base,
        type: 'a2a',
        url: node.url ?? '',
        description: node.description,
        prompt: node.prompt ?? '',
        destructive: node.destructiveHint,
        ...(node.token_origins.length === 0 ? {} : { tokenOrigins: node.token_origins }),
      };
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
