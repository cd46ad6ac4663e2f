// gRPC in both versions. The SDK's services take one handler for all calls: ours looks up who called, which the SDK asks for
// before every call, and hands the call on to the handler of that caller.

import { isIPv6 } from 'node:net';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { listenError } from '@stopgo/http';
import { isObject } from './dialect.ts';
import type { A2ARequestHandler, AgentCard, Role } from './protocol.ts';
import { requireUserRole } from './role.ts';

export { asGrpcError } from './grpc-error.ts';

/** Who makes a call. */
export type GrpcCaller = {
  /** What the call carries under a name; undefined if nothing. */
  header(name: string): string | undefined;
  /** Where the call comes from. */
  readonly peer: string;
  readonly version: '1.0' | '0.3';
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
};

/** An agent that is called over gRPC. */
export type GrpcAgent = {
  readonly host: string;
  /** 0 lets the system pick a free port. */
  readonly port: number;
  /** What the port is called where it is set, for the error if it cannot be listened on. */
  readonly portName: string;
  /** Bytes of a message that is received. */
  readonly messageBytesMax: number;
  readonly card: () => Promise<AgentCard>;
  /** The handler of one call. It throws nothing but what a peer may read. */
  readonly handlerFor: (caller: GrpcCaller) => Promise<A2ARequestHandler>;
  /** The extensions that a caller has named and the agent has: it is told them. Absent: none. */
  readonly activatedFor?: (caller: GrpcCaller) => readonly string[];
};

/** A listening agent. `stop` lets running calls finish for a while, then cuts them off. */
export type GrpcListener = { readonly port: number; readonly stop: (graceMs: number) => Promise<void> };

/** Listens for calls. @throws Error in one line, with what to do, if it cannot listen. */
export async function listenGrpc(agent: GrpcAgent): Promise<GrpcListener> {
  const server = new Server({ 'grpc.max_receive_message_length': agent.messageBytesMax });
  server.addService(A2AService, grpcService(serviceOf(agent, '1.0')));
  server.addService(LegacyA2AService, legacyGrpcService(serviceOf(agent, '0.3')));
  const port = await new Promise<number>((resolve, reject) => {
    const place = `${isIPv6(agent.host) ? `[${agent.host}]` : agent.host}:${agent.port}`;
    server.bindAsync(place, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(listenError(error, agent.host, agent.port, agent.portName)),
    );
  });
  return {
    port,
    stop: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.forceShutdown(), graceMs);
        server.tryShutdown(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

/** A caller in the place that the SDK has for a user. */
class Caller implements User {
  readonly isAuthenticated = false;
  readonly userName = '';
  readonly handler: A2ARequestHandler;
  readonly activated: readonly string[];

  constructor(handler: A2ARequestHandler, activated: readonly string[]) {
    this.handler = handler;
    this.activated = activated;
  }
}

type Call = {
  readonly metadata: Metadata;
  readonly request?: unknown;
  getPeer(): string;
  on(event: 'cancelled', listener: () => void): unknown;
};

const serviceOf = (agent: GrpcAgent, version: GrpcCaller['version']) => ({
  requestHandler: handedOn(agent),
  userBuilder: async (call: Call) => {
    if (version === '0.3') requireRole(call.request);
    const left = new AbortController();
    call.on('cancelled', () => left.abort());
    const header = (name: string) => call.metadata.get(name)[0]?.toString();
    const caller = { header, peer: call.getPeer(), version, signal: left.signal };
    return new Caller(await agent.handlerFor(caller), agent.activatedFor?.(caller) ?? []);
  },
});

/** The SDK's reading of 0.3 refuses a message without a role, too, but does not name it. */
function requireRole(request: unknown): void {
  const message = isObject(request) ? request.request : undefined;
  if (isObject(message)) requireUserRole({ role: message.role as Role });
}

function handedOn(agent: GrpcAgent): A2ARequestHandler {
  const of = (context: ServerCallContext): A2ARequestHandler => {
    const { user } = context;
    if (!(user instanceof Caller)) throw new Error('a call came without its caller');
    for (const uri of user.activated) context.addActivatedExtension(uri);
    return user.handler;
  };
  return {
    getAgentCard: agent.card,
    getAuthenticatedExtendedAgentCard: async (params, context) =>
      of(context).getAuthenticatedExtendedAgentCard(params, context),
    sendMessage: async (params, context) => of(context).sendMessage(params, context),
    sendMessageStream: (params, context) => of(context).sendMessageStream(params, context),
    resubscribe: (params, context) => of(context).resubscribe(params, context),
    getTask: async (params, context) => of(context).getTask(params, context),
    listTasks: async (params, context) => of(context).listTasks(params, context),
    cancelTask: async (params, context) => of(context).cancelTask(params, context),
    createTaskPushNotificationConfig: async (params, context) =>
      of(context).createTaskPushNotificationConfig(params, context),
    getTaskPushNotificationConfig: async (params, context) =>
      of(context).getTaskPushNotificationConfig(params, context),
    listTaskPushNotificationConfigs: async (params, context) =>
      of(context).listTaskPushNotificationConfigs(params, context),
    deleteTaskPushNotificationConfig: async (params, context) =>
      of(context).deleteTaskPushNotificationConfig(params, context),
  };
}
