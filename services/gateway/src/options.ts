import type { A2ARequestHandler } from '@stopgo/a2a-agent';
import type { RemoteAgent } from '@stopgo/core';
import type { approvals, health, mcp, memory, orchestrator, people, registry, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { LimitsConfig, Logger } from '@stopgo/runtime';
import type { A2ACall } from './a2a/call.ts';
import type { Authenticate, LinkUser } from './auth/authenticate.ts';
import type { Authorize } from './authorize.ts';

/** The services that the gateway translates to. */
export type GatewayClients = {
  readonly orchestrator: Client<typeof orchestrator.OrchestratorService>;
  readonly approvals: Client<typeof approvals.ApprovalsService>;
  readonly store: Client<typeof store.StoreService>;
  readonly bridge: Client<typeof mcp.McpBridgeService>;
  readonly accounts: Client<typeof mcp.AccountsService>;
  readonly people: Client<typeof people.PeopleService>;
  readonly memories: Client<typeof memory.MemoryService>;
  /** Absent: agents are taken from no repository. */
  readonly registry?: Client<typeof registry.RegistryService>;
};

/** One of the bridges that run. */
export type BridgeReplica = {
  /** Where it is called, `host:port`; empty if it is in this process. */
  readonly address: string;
  readonly client: GatewayClients['bridge'];
};

/** A process of the platform that tells what it has logged. */
export type AlarmSource = {
  /** The service that it is, `platform` where all are in one process. */
  readonly service: string;
  /** As of {@link BridgeReplica}. */
  readonly address: string;
  readonly client: Pick<Client<typeof health.AlarmService>, 'listAlarms'>;
};

/** Puts something before the handler of one request. */
export type InterceptA2A = (handler: A2ARequestHandler, call: A2ACall) => A2ARequestHandler;

/** What an extended card says: another description, more skills. */
export type ExtendedCard = {
  readonly description?: string;
  readonly skills: readonly { readonly id: string; readonly name: string; readonly description: string }[];
};

/** What the gateway needs. It holds no state of its own and decides nothing. */
export type GatewayOptions = {
  /** Where it listens. */
  readonly host: string;
  /** 0 lets the system pick a free port. */
  readonly port: number;
  readonly clients: GatewayClients;
  /** Every bridge that is known, for what each of them has to tell of itself; absent: there is the one of `clients`. */
  readonly bridges?: () => Promise<readonly BridgeReplica[]>;
  /** Every process that is known, for what each has logged; absent: none is asked. */
  readonly alarms?: () => Promise<readonly AlarmSource[]>;
  readonly log: Logger;
  /** How long a request waits for its run before it is answered with 202, in milliseconds. */
  readonly syncWaitMs: number;
  /** Origins (`https://app.example`) whose pages may call, besides the gateway's own. */
  readonly allowedOrigins: readonly string[];
  /** Names (`host` or `host:port`) that a Host header may carry, besides IP addresses, localhost and the host of `publicUrl`. */
  readonly allowedHosts: readonly string[];
  readonly limits: Pick<LimitsConfig, 'openStreams' | 'bodyBytes' | 'messageBytes'>;
  /** Name of the agent, for the documentation. */
  readonly agentName: string;
  /** Agents that it may delegate to: listed among its tools. */
  readonly remoteAgents: readonly RemoteAgent[];
  /** What the agent says of itself in its card; may be empty. */
  readonly agentDescription?: string;
  /** Where other agents reach the gateway, without a slash at the end; absent: wherever they asked for its card. */
  readonly publicUrl?: string;
  /** Port of A2A over gRPC; 0 lets the system pick a free one, absent: it is not spoken. */
  readonly a2aGrpcPort?: number;
  /** Extensions of A2A, by URI, that peers must name to be served; absent: none. */
  readonly a2aRequiredExtensions?: readonly string[];
  /** What the extended card of the agent says besides its card; absent: there is none. */
  readonly a2aExtendedCard?: ExtendedCard;
  /** True: readers of version 0.3 are given the address of gRPC as a URL. */
  readonly a2aGrpcAsUrl?: boolean;
  /** False: peers are refused event streams, as if the agent had none. */
  readonly a2aStreaming?: boolean;
  /** False: peers cannot have addresses told of tasks, as if the agent could tell none. */
  readonly a2aPush?: boolean;
  /** Stands between the A2A transports and the services, for tests that answer some messages themselves. */
  readonly interceptA2A?: InterceptA2A;
  /** A clock in milliseconds, for the times of the request log. */
  readonly now: () => number;
  /** Milliseconds since 1970, for times that answers show. */
  readonly wallClock: () => number;
  /** Makes a UUID (version 4): ids of conversations and of errors. */
  readonly newId: () => string;
  /** Makes a session id: eight hexadecimal digits. */
  readonly newSessionId: () => string;
  /** Told what the operator should know about how the gateway is exposed. */
  readonly onWarning: (text: string) => void;
  /** Finds out who sends a request; absent: nobody has to sign in, and everybody may do everything. */
  readonly authenticate?: Authenticate;
  /** Tells who the user of a link is that decides; absent: nobody signs in, so there are no such links. */
  readonly linkUser?: LinkUser;
  /** Asked before every action; unless given, by the table of actions and roles where people sign in, else everything is allowed. */
  readonly authorize?: Authorize;
  /** See `sseHeartbeatMs`, `recheckMs`, `readerStallMs` and `stopGraceMs`, the defaults. */
  readonly times?: {
    readonly heartbeatMs?: number;
    readonly recheckMs?: number;
    readonly readerStallMs?: number;
    readonly stopGraceMs?: number;
  };
};
