import type { CallingLimits, Policy } from '@stopgo/core';
import type { AccountLogin } from './account-login.ts';

/**
 * The configuration of one agent, fully typed: every default is filled in, every duration is in milliseconds,
 * nothing is optional unless its absence means something. The objects are frozen.
 */

/** What a tool without any hint gets: run at once, or ask a human first. */
export type Unannotated = 'ask' | 'run';

/** Which MCP protocol a server is spoken to with; `auto` finds out on the first connection. */
export type McpEra = 'auto' | 'legacy' | 'modern';

/** How a tool server is reached: a child process that the bridge starts, or a URL (Streamable HTTP). */
export type McpTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the few variables that a child process inherits. May hold credentials: never log the values. */
      readonly env: Readonly<Record<string, string>>;
      /** Absent: it runs as any program of this user. */
      readonly sandbox?: McpSandbox;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Whose credentials requests bring: the caller's bearer token (`forward`), those of the account that they connected (`oauth`), none, or our own. */
      readonly auth: 'forward' | 'oauth' | 'none' | 'static' | 'client_credentials';
      /** Present if the file says `auth: forward` in so many words: then also over http to other machines. */
      readonly forwardsInClear?: true;
      /** For `static`: the environment variable that holds the token. */
      readonly tokenVariable?: string;
      /** For `client_credentials`. */
      readonly login?: ClientLogin;
      /** For `oauth`. */
      readonly accounts?: AccountLogin;
    };

/** What a tool server in a sandbox sees of this machine beside the programs of the system. */
export type McpSandbox = {
  /** Files and folders that it may read. */
  readonly folders: readonly string[];
  /** Files and folders that it may read and write. */
  readonly writeFolders: readonly string[];
  /** `all`: the network as this process has it, the ports on loopback included. */
  readonly network: 'none' | 'all';
};

/** How a token is had from an authorization server. Id and secret are never here, only the variables that hold them. */
export type ClientLogin = {
  readonly idVariable: string;
  readonly secretVariable: string;
  /** The one authorization server that may be shown the secret; it is looked up at the tool server and must be this one. */
  readonly issuer?: string;
  /** Where tokens are had, if nothing is to be looked up. */
  readonly tokenUrl?: string;
  readonly scope?: string;
};

/** What a tool server may ask people in the midst of a call. */
export type McpQuestions = {
  /** Values, by a form. */
  readonly form: boolean;
  /** To open an address. */
  readonly url: boolean;
  /** How long one call may wait for people in all, in milliseconds. */
  readonly timeoutMs: number;
};

/** Which tools of a server are used. Patterns are of the server's own names: `*` for any characters, `?` for one. */
export type McpServerTools = {
  /** Only these are used; absent: all. */
  readonly allow?: readonly string[];
  /** These are not, even if they are allowed. */
  readonly deny: readonly string[];
  /** Stands before the server's own names wherever models and people see them; absent: nothing does. */
  readonly prefix?: string;
  /** How large the definition of one tool may be, in bytes; absent: 64 KiB. */
  readonly definitionBytesMax?: number;
};

/** One entry of `mcp_servers`. */
export type McpServerConfig = {
  readonly name: string;
  readonly transport: McpTransport;
  readonly era: McpEra;
  /** The server's own setting, else the top-level one. */
  readonly unannotated: Unannotated;
  /** True when every call of this server needs an approval, whatever its hints say (`approval: require`). */
  readonly approvalRequired: boolean;
  /** Names of tools of which every call needs an approval all the same; absent: none. */
  readonly approvalTools?: readonly string[];
  /** Absent: all that it offers. */
  readonly tools?: McpServerTools;
  /** True when several copies of this server may run at once because it keeps nothing between calls. */
  readonly stateless: boolean;
  /** How long one call may take without a sign of progress, in milliseconds. */
  readonly timeoutMs: number;
  /** How long one call may take in all, whatever progress it tells, in milliseconds; at least `timeoutMs`. */
  readonly totalTimeoutMs: number;
  /**
   * How long its start may take, up to its list of tools, in milliseconds, each time that it is started or connected. Absent: 5 minutes
   * with a command, 10 seconds with a URL.
   */
  readonly startTimeoutMs?: number;
  /** Calls of this server that are made at the same time; further ones wait for their turn. */
  readonly callsAtOnce: number;
  /** `strict`: of this server nothing is accepted at first contact; absent: what it offers then is. */
  readonly pins?: 'strict';
  /** What it does to the agent's start when this server cannot be connected: end it, or go on and try again later. */
  readonly onStartFailure: 'fail' | 'degrade';
  /** Absent: it is told that it may ask people nothing. */
  readonly questions?: McpQuestions;
  /** Present: it may have the agent's model asked in the midst of a call; absent: it is told that it may not. */
  readonly sampling?: true;
};

/** Another agent that can be delegated to over A2A. */
export type RemoteAgentConfig = {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  /** True when delegating needs an approval (`destructiveHint`). */
  readonly destructive: boolean;
  /** Origins besides that of `url` at which it is shown tokens; absent: none. */
  readonly tokenOrigins?: readonly string[];
};

type NodeBase = {
  readonly name: string;
  /** Session-state key that receives the node's text; absent: it is not kept. */
  readonly outputKey?: string;
  /**
   * True when the gated calls of this node pause it even inside `parallel` and `loop` (`approval: require`, here or on a
   * node above).
   */
  readonly approvalRequired: boolean;
  /**
   * What happens when a human rejects all that a model asked for: the run ends, or the model is told. The node's own
   * setting, else that of the nearest node above that has one.
   */
  readonly onReject: 'cancel' | 'continue';
};

/** A model with tools. `model` and `prompt` fall back to the top-level ones. */
export type LlmNodeConfig = NodeBase & {
  readonly type: 'llm';
  readonly model: string;
  /** Models that are asked in this order where the one before cannot be reached; absent: none. */
  readonly fallbacks?: readonly string[];
  readonly prompt: string;
  readonly canExitLoop: boolean;
  readonly a2a: readonly RemoteAgentConfig[];
  /** Names of the tool servers whose tools it is offered; absent: of all. */
  readonly toolServers?: readonly string[];
  /** Patterns of the names under which tools are offered; absent: all are. */
  readonly tools?: readonly string[];
};

/** Runs its children one after the other. */
export type SequentialNodeConfig = NodeBase & {
  readonly type: 'sequential';
  readonly agents: readonly AgentNodeConfig[];
};

/** Runs its children at the same time. */
export type ParallelNodeConfig = NodeBase & {
  readonly type: 'parallel';
  readonly agents: readonly AgentNodeConfig[];
  /** What a failed child does to the node, once the others have settled. */
  readonly onError: 'fail' | 'continue';
};

/** Repeats its children until one exits the loop or `maxIterations` is reached. */
export type LoopNodeConfig = NodeBase & {
  readonly type: 'loop';
  readonly agents: readonly AgentNodeConfig[];
  readonly maxIterations: number;
};

/** Delegates to another agent. */
export type A2aNodeConfig = NodeBase & {
  readonly type: 'a2a';
  readonly url: string;
  readonly description: string;
  readonly prompt: string;
  readonly destructive: boolean;
  /** Origins besides that of `url` at which the agent is shown tokens; absent: none. */
  readonly tokenOrigins?: readonly string[];
};

/** A place in the agent tree. */
export type AgentNodeConfig =
  | LlmNodeConfig
  | SequentialNodeConfig
  | ParallelNodeConfig
  | LoopNodeConfig
  | A2aNodeConfig;

/** Named caps; reaching one is answered with 429 (counts) or 413 and 400 (sizes). */
export type LimitsConfig = {
  /** Runs being driven at the same time. */
  readonly concurrentRuns: number;
  /** Event streams open at the same time. */
  readonly openStreams: number;
  /** Largest request body, in bytes. */
  readonly bodyBytes: number;
  /** Largest user message, in bytes of UTF-8. */
  readonly messageBytes: number;
};

/** The event log in NATS, for a store that is given the address of a server. */
export type NatsConfig = {
  /** Name of the JetStream stream that holds it. */
  readonly stream: string;
  /** Copies of it that the servers keep. */
  readonly replicas: number;
  /** Start, with a warning, also where nothing shows that what is acknowledged is on disk. */
  readonly acceptUnverifiedDurability: boolean;
};

/** What a webhook is told of. */
export type WebhookEvent = 'requested' | 'voted' | 'reminded' | 'escalated' | 'resolved';

/** Somebody who is told of approvals. The secret is never here, only the variable that holds it. */
export type WebhookConfig = {
  readonly name: string;
  readonly url: string;
  readonly secretVariable: string;
  readonly events: readonly WebhookEvent[];
  /** The address may be one of a network of one's own, and over http. */
  readonly allowPrivate: boolean;
  /** E-mail address of the user as whom its links decide; absent: it is sent none. */
  readonly linkFor?: string;
};

/** A git repository that agents are taken from. Secrets are never here, only the variables that hold them. */
export type AgentRepositoryConfig = {
  readonly name: string;
  readonly gitUrl: string;
  readonly branch: string;
  /** Its agents have no namespace; else the name of the repository stands before theirs. */
  readonly isRoot: boolean;
  readonly isActive: boolean;
  /** Files are taken as they lie in its folder, committed or not. */
  readonly isWorkTree: boolean;
  readonly syncIntervalMs: number;
  readonly auth:
    | { readonly type: 'none' }
    | { readonly type: 'token'; readonly variable: string }
    /** Without known hosts a server is believed at first contact, and has to be the same from then on. */
    | { readonly type: 'ssh-key'; readonly keyPath: string; readonly knownHostsPath?: string };
  /** Holds the secret that webhooks of its host prove themselves with; absent: none are taken. */
  readonly webhookVariable?: string;
};

/** Who may be told of what becomes of a task. */
export type PushConfig = {
  /** Addresses that are not of the public network may be told too, and over http. */
  readonly allowPrivate: boolean;
};

/** What tokens of people are checked against. Secrets are never here, only the variables that hold them. */
export type JwtConfig = {
  readonly issuer: string;
  readonly audience: string;
  readonly keys:
    | { readonly kind: 'secret'; readonly variable: string }
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'file'; readonly path: string };
  /** By how much clocks may differ, in milliseconds. */
  readonly clockSkewMs: number;
  readonly emailClaim: string;
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** The groups that matter; absent: all that a token names. */
  readonly groups?: readonly string[];
  /** For how long the groups of a recorded sign-in count for the API keys of its user, in milliseconds. */
  readonly keyGroupsForMs: number;
};

/** Who may use the platform. */
export type AuthConfig = {
  /** Absent: only API keys are taken. */
  readonly jwt?: JwtConfig;
  /** Who makes users: an administrator, or the first sign-in as well. */
  readonly newUsers: 'admin' | 'first_login';
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFormat = 'text' | 'json';

/** What an extended A2A card says: another description, more skills. */
export type ExtendedCardConfig = {
  readonly description?: string;
  readonly skills: readonly { readonly id: string; readonly name: string; readonly description: string }[];
};

/** The protocol that a provider speaks, and whose models it has. */
export type ProviderType = 'openai' | 'anthropic' | 'gemini' | 'groq' | 'ollama' | 'mistral' | 'openrouter';

/** A provider of models that the configuration names. The key is never here, only the variable that holds it. */
export type ProviderConfig = {
  readonly type: ProviderType;
  /** Absent: with `url` no key is sent; without it, that of the type's usual variable. */
  readonly keyVariable?: string;
  /** Absent: where the type's usual settings say. */
  readonly url?: string;
};

/** What one token costs, in US dollars. */
export type TokenPrices = {
  readonly input: number;
  readonly output: number;
  /** Read from the provider's cache; absent: as any other of the input. */
  readonly cached?: number;
  /** Written to the provider's cache; absent: as any other of the input. */
  readonly cacheWritten?: number;
  /** Of thoughts; absent: as any other of the output. */
  readonly reasoning?: number;
};

/** What the tokens of one model cost. */
export type ModelPrices = TokenPrices & {
  /** Prices of a request whose input has more tokens than this, by rising numbers. All its tokens cost that much. */
  readonly above?: readonly (TokenPrices & { readonly inputTokens: number })[];
};

/** Prices by the names of models: `provider/model`, or the model alone. */
export type PriceTable = Readonly<Record<string, ModelPrices>>;

/** One agent, as its YAML file describes it. */
export type AgentConfig = {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly host: string;
  /** 0 lets the system pick a free port. */
  readonly port: number;
  /** As written: a relative path is meant from the working directory of the process. */
  readonly dataDir: string;
  readonly llm: { readonly model: string; readonly fallbacks?: readonly string[]; readonly timeoutMs: number };
  /** Providers by name, beside the usual ones; absent: none. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  /** Prices that win over those that come with the program; absent: none. */
  readonly prices?: PriceTable;
  readonly mcpServers: readonly McpServerConfig[];
  readonly a2a: readonly RemoteAgentConfig[];
  /** The agent tree; a file without `agent` gives one llm node made of the top-level fields. */
  readonly agent: AgentNodeConfig;
  readonly unannotated: Unannotated;
  /** How long a request waits for its run before it is answered with 202, in milliseconds. */
  readonly syncWaitMs: number;
  /** Time without a heartbeat after which an instance counts as gone, in milliseconds. */
  readonly heartbeatTtlMs: number;
  /** Model calls that one llm node may make in one step. */
  readonly maxTurns: number;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Hosts (`host` or `host:port`) that tokens go to over plain http. */
  readonly allowHttpTokensTo: readonly string[];
  /** Where clients reach the agent, without a trailing slash; absent: made from host and port. */
  readonly publicUrl?: string;
  readonly a2aGrpcPort?: number;
  /** What the extended A2A card says besides the card; absent: there is none. */
  readonly a2aExtendedCard?: ExtendedCardConfig;
  /** Extensions of A2A, by URI, that peers must name. */
  readonly a2aRequiredExtensions: readonly string[];
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly limits: LimitsConfig;
  readonly nats: NatsConfig;
  readonly push: PushConfig;
  readonly webhooks: readonly WebhookConfig[];
  /** The file has a list of repositories, be it empty: then people may add some. */
  readonly takesAgentsFromGit: boolean;
  readonly agentRepositories: readonly AgentRepositoryConfig[];
  /** Where repositories may be that people add: on this machine and in private networks too, or in the public one only. */
  readonly addedRepositories: { readonly allowPrivate: boolean };
  /** Folders of this machine at and below which repositories may be; as written. */
  readonly agentFolders: readonly string[];
  /** What holds for agents that call each other. */
  readonly calling: CallingLimits;
  /** What of calls needs a yes beside the defaults; absent: nothing else. */
  readonly policy?: Policy;
  /** Absent: nobody has to sign in. */
  readonly auth?: AuthConfig;
  /** True: a start without `auth` that listens beyond loopback is refused. */
  readonly requireAuth: boolean;
};
