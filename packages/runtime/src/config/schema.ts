import { z } from 'zod';
import { bounds, defaults } from './defaults.ts';
import { approvalsJsonSchema } from './policy-schema.ts';
import { providersByName } from './providers.ts';
import { agentRepositorySchema } from './repositories.ts';
import {
  choice,
  duration,
  emailAddress,
  filledText,
  flag,
  globs,
  hostName,
  httpUrl,
  list,
  mapping,
  nameText,
  origin,
  streamName,
  text,
  textByName,
  toolPrefix,
  variableName,
  webhookName,
  wholeNumber,
} from './shapes.ts';

/*
 * The keys of the configuration file, their types and defaults. What several keys must fulfil together is in
 * rules.ts, what they mean in normalise.ts.
 */

const timeout = duration(bounds.timeoutMsMin, bounds.durationMsMax);
const unannotated = choice(['ask', 'run']);
const pins = choice(['first_use', 'strict']);

const toolServerUrl = httpUrl('http://127.0.0.1:8090/mcp');
const agentUrl = httpUrl('http://127.0.0.1:8081, where an A2A agent has its card');
const baseUrl = httpUrl('https://agent.example.com');

/** Models in the order in which they are asked. */
const modelList = () =>
  list(filledText())
    .refine((models) => models.length > 0, 'must name one model at least')
    .refine((models) => models.length <= bounds.modelsMax, `must not name more than ${bounds.modelsMax} models`)
    .meta({ minItems: 1, maxItems: bounds.modelsMax });

/** Which tools of a server are used. */
export const serverToolsSchema = mapping({
  allow: globs().optional(),
  deny: globs().default([]),
  prefix: toolPrefix().optional(),
  definition_bytes: wholeNumber(bounds.definitionBytesMin, bounds.definitionBytesMax).optional(),
});

const mcpServerKeys = {
  url: toolServerUrl.optional(),
  command: filledText().optional(),
  args: list(text()).optional(),
  env: textByName().optional(),
  sandbox: choice(['off', 'required']).optional(),
  folders: list(filledText()).optional(),
  write_folders: list(filledText()).optional(),
  network: choice(['none', 'all']).optional(),
  era: choice(['auto', 'legacy', 'modern']).default('auto'),
  unannotated: unannotated.optional(),
  pins: pins.optional(),
  approval: choice(['require']).optional(),
  approval_tools: list(filledText()).default([]),
  tools: serverToolsSchema.optional(),
  stateless: flag().default(false),
  timeout: timeout.prefault(defaults.mcpTimeout),
  total_timeout: timeout.prefault(defaults.mcpTotalTimeout),
  start_timeout: timeout.optional(),
  concurrency: wholeNumber(1, bounds.mcpConcurrencyMax).optional(),
  on_start_failure: choice(['fail', 'degrade']).default('fail'),
  auth: choice(['forward', 'oauth', 'none', 'static', 'client_credentials']).optional(),
  token_env: variableName().optional(),
  client_id_env: variableName().optional(),
  client_secret_env: variableName().optional(),
  issuer: httpUrl('https://auth.example.com').optional(),
  token_url: httpUrl('https://auth.example.com/token').optional(),
  scope: filledText().optional(),
  elicitation: list(choice(['form', 'url'])).default([]),
  sampling: choice(['refuse', 'allow']).default('refuse'),
  input_timeout: duration(bounds.timeoutMsMin, bounds.inputTimeoutMsMax).prefault(defaults.inputTimeout),
};

/** Told to editors; the parser's own words are in rules.ts. */
const oneTransport = { oneOf: [{ required: ['url'] }, { required: ['command'] }] };

/** One entry of `mcp_servers`. */
export const mcpServerSchema = mapping({ name: nameText(), ...mcpServerKeys }).meta(oneTransport);

/** The single server of the old key `mcp`, which needed no name. */
export const oldMcpSchema = mapping({ name: nameText().default('default'), ...mcpServerKeys }).meta(oneTransport);

/** One entry of an `a2a` list. */
export const remoteAgentSchema = mapping({
  name: nameText(),
  url: agentUrl,
  description: text().default(''),
  destructiveHint: flag().default(false),
  token_origins: list(origin()).default([]),
});

export const nodeTypes = ['llm', 'sequential', 'parallel', 'loop', 'a2a'] as const;

const nodeKeys = {
  name: nameText().optional(),
  // Files for older programs may leave it empty.
  type: z.preprocess((type) => (type === '' ? 'llm' : type), choice(nodeTypes)).prefault('llm'),
  model: filledText().optional(),
  models: modelList().optional(),
  prompt: text().optional(),
  output_key: filledText().pipe(nameText()).optional(),
  can_exit_loop: flag().default(false),
  max_iterations: wholeNumber(0, bounds.iterationsMax).default(defaults.maxIterations),
  approval: choice(['require']).optional(),
  on_reject: choice(['cancel', 'continue']).optional(),
  on_error: choice(['fail', 'continue']).default(defaults.onError),
  url: agentUrl.optional(),
  description: text().default(''),
  destructiveHint: flag().default(false),
  token_origins: list(origin()).default([]),
  a2a: list(remoteAgentSchema).default([]),
  mcp_servers: list(filledText()).optional(),
  tools: globs().optional(),
};

export type NodeShape = z.output<z.ZodObject<typeof nodeKeys>> & { agents?: NodeShape[] | undefined };

/** A node of the agent tree; which keys belong to which type is a rule, so that the error can name the type. */
export const nodeSchema = mapping({
  ...nodeKeys,
  agents: z.lazy((): z.ZodType<NodeShape[]> => list(nodeSchema)).optional(),
}).meta({ id: 'node' });

const count = wholeNumber(1, bounds.countMax);

export const limitsSchema = mapping({
  concurrent_runs: count.default(defaults.concurrentRuns),
  open_streams: count.default(defaults.openStreams),
  body_bytes: wholeNumber(bounds.bodyBytesMin, bounds.bodyBytesMax).default(defaults.bodyBytes),
  message_bytes: wholeNumber(1, bounds.messageBytesMax).default(defaults.messageBytes),
});

export const llmSchema = mapping({
  model: filledText().default(defaults.model),
  models: modelList().optional(),
  timeout: timeout.prefault(defaults.llmTimeout),
});

/** The event log in NATS. Where the servers are comes from the environment. */
export const natsSchema = mapping({
  stream: streamName().default(defaults.natsStream),
  replicas: wholeNumber(1, bounds.replicasMax).default(defaults.natsReplicas),
  accept_unverified_durability: flag().default(false),
});

/** What holds for agents that call each other. */
export const agentExecutionSchema = mapping({
  max_call_depth: wholeNumber(1, bounds.callDepthMax).default(defaults.callDepth),
  max_agent_calls: wholeNumber(1, bounds.agentCallsMax).default(defaults.agentCalls),
  circular_call_prevention: flag().default(true),
});

/** Who may be told of tasks. */
export const pushSchema = mapping({ allow_private: flag().default(false) });

/** Where repositories may be that people add. */
export const addedRepositoriesSchema = mapping({ allow_private: flag().default(false) });

export const webhookEvents = ['requested', 'voted', 'reminded', 'escalated', 'resolved'] as const;

/** Somebody who is told of approvals. */
export const webhookSchema = mapping({
  name: webhookName(),
  url: httpUrl('https://hooks.example.com/approvals'),
  secret_env: variableName(),
  events: list(choice(webhookEvents)).optional(),
  allow_private: flag().default(false),
  link_for: emailAddress().optional(),
});

/** Tokens of people: who issues them, for whom, and what they are checked with. */
export const jwtSchema = mapping({
  issuer: filledText(),
  audience: filledText(),
  secret_env: variableName().optional(),
  keys_url: httpUrl('https://id.example.com/.well-known/jwks.json').optional(),
  keys_file: filledText().optional(),
  clock_skew: duration(0, bounds.clockSkewMsMax).prefault(defaults.clockSkew),
  email_claim: filledText().default(defaults.emailClaim),
  name_claim: filledText().default(defaults.nameClaim),
  groups_claim: filledText().default(defaults.groupsClaim),
  groups: list(filledText()).optional(),
  key_groups_for: duration(0, bounds.keyGroupsMsMax).prefault(defaults.keyGroupsFor),
});

/** Who may use the platform. */
export const authSchema = mapping({
  jwt: jwtSchema.optional(),
  new_users: choice(['admin', 'first_login']).default('admin'),
});
/** What the extended card says besides. */
const extendedCardSchema = mapping({
  description: filledText().optional(),
  skills: list(mapping({ id: filledText(), name: filledText(), description: text().default('') })).default([]),
});

/** The whole file. */
export const fileSchema = mapping({
  name: nameText().default(defaults.name),
  description: text().default(defaults.description),
  prompt: text().default(defaults.prompt),
  host: filledText().default(defaults.host),
  port: wholeNumber(0, bounds.portMax).default(defaults.port),
  data_dir: filledText().default(defaults.dataDir),
  llm: llmSchema.prefault({}),
  providers: providersByName().optional(),
  prices_file: filledText().optional(),
  mcp_servers: list(mcpServerSchema).default([]),
  mcp: oldMcpSchema.optional(),
  a2a: list(remoteAgentSchema).default([]),
  agent: nodeSchema.optional(),
  unannotated: unannotated.default(defaults.unannotated),
  pins: pins.default(defaults.pins),
  max_turns: wholeNumber(1, bounds.turnsMax).default(defaults.maxTurns),
  sync_wait: duration(0, bounds.durationMsMax).prefault(defaults.syncWait),
  heartbeat_ttl: duration(bounds.heartbeatTtlMsMin, bounds.durationMsMax).prefault(defaults.heartbeatTtl),
  allowed_origins: list(origin()).default([]),
  allowed_hosts: list(hostName()).default([]),
  allow_http_tokens_to: list(hostName()).default([]),
  public_url: baseUrl.optional(),
  a2a_grpc_port: wholeNumber(0, bounds.portMax).optional(),
  a2a_extended_card: extendedCardSchema.optional(),
  a2a_required_extensions: list(filledText()).default([]),
  log_level: choice(['debug', 'info', 'warn', 'error']).default(defaults.logLevel),
  log_format: choice(['text', 'json']).default(defaults.logFormat),
  // What rules are is known to the core, which reads them.
  approvals: z.unknown().meta(approvalsJsonSchema).optional(),
  approvals_file: filledText().optional(),
  limits: limitsSchema.prefault({}),
  nats: natsSchema.prefault({}),
  push: pushSchema.prefault({}),
  webhooks: list(webhookSchema).default([]),
  agent_repositories: list(agentRepositorySchema).optional(),
  added_repositories: addedRepositoriesSchema.prefault({}),
  agent_folders: list(filledText()).default([]),
  agent_execution: agentExecutionSchema.prefault({}),
  auth: authSchema.optional(),
  require_auth: flag().default(false),
});

export type FileShape = z.output<typeof fileSchema>;
export type McpServerShape = z.output<typeof oldMcpSchema>;
export type RemoteAgentShape = z.output<typeof remoteAgentSchema>;
