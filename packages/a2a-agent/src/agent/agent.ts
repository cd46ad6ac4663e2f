import { createServer } from 'node:http';
import { gracefulStop, listen, OpenStreams } from '@stopgo/http';
import type { Request } from 'express';
import {
  agentStopGraceMs,
  bodyBytesMaxDefault,
  openStreamsMax,
  streamHeartbeatMs,
  streamStallMs,
  waitingLookMs,
} from '../bounds.ts';
import { type AgentProfile, cardOf } from '../card.ts';
import { activatedOf, extensionsNamed } from '../extensions.ts';
import type { GrpcListener } from '../grpc.ts';
import type { HttpAgent } from '../http/index.ts';
import { AgentCard } from '../protocol.ts';
import { type AgentBehaviour, AgentCore } from './agent-core.ts';
import { agentApp } from './app.ts';
import type { TaskStore } from './task-store.ts';

/** What an agent does, and where it is reached. */
export type AgentOptions = AgentBehaviour & {
  /** By default this machine only. */
  readonly host?: string;
  /** By default the system picks a free one. */
  readonly port?: number;
  /** Speaks gRPC too, at this port; 0 lets the system pick one. */
  readonly grpcPort?: number;
  /** Where others reach it, without a slash at the end; by default wherever they asked for its card. */
  readonly publicUrl?: string;
  /** Names that it may be called by besides IP addresses, localhost and the host of `publicUrl`: `host` or `host:port`. */
  readonly allowedHosts?: readonly string[];
  /** Bytes of a request. */
  readonly bodyBytesMax?: number;
};

/** An agent that listens. */
export type Agent = {
  /** Its URL. */
  readonly address: string;
  /** The port that gRPC is spoken on, if it is. */
  readonly grpcPort: number | undefined;
  readonly card: AgentCard;
  readonly store: TaskStore;
  /** Takes no new requests, lets running ones finish for a while, then tells the processes to stop, and ends. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts a whole A2A agent around a function: JSON-RPC, HTTP+JSON and gRPC, versions 1.0, 0.3 and the dialect before.
 * Tasks are kept in memory and end with it, unless another store is given.
 *
 * @throws Error in one line if it cannot listen; nothing is left behind then.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { host = '127.0.0.1', allowedHosts = [], bodyBytesMax = bodyBytesMaxDefault, publicUrl } = options;
  const core = new AgentCore(options);
  let grpc: GrpcListener | undefined;
  const profileAt = (reachedAt: string): AgentProfile => {
    const baseUrl = publicUrl ?? reachedAt;
    if (grpc === undefined || !URL.canParse(baseUrl)) return core.profileAt(baseUrl);
    return core.profileAt(baseUrl, `${new URL(baseUrl).hostname}:${grpc.port}`);
  };
  const streams = new OpenStreams(openStreamsMax);
  const server = createServer();
  const stopHttp = gracefulStop({
    server,
    streams,
    giveUp: new AbortController(),
    graceMs: agentStopGraceMs,
  });
  server.on(
    'request',
    agentApp(surfaceOf(core, streams, profileAt), {
      allowedHosts,
      publicUrl,
      bodyBytesMax,
      readable: (error) => core.readable(error),
    }),
  );
  const address = await listen(server, host, options.port ?? 0, (error) => core.report(error, 'a connection'));
  const looks = setInterval(() => core.tasks.expire(), waitingLookMs).unref();
  const stop = async () => {
    clearInterval(looks);
    await Promise.all([stopHttp(), grpc?.stop(agentStopGraceMs)]);
    core.tasks.stop();
  };
  if (options.grpcPort !== undefined) {
    grpc = await startGrpc(core, {
      host,
      port: options.grpcPort,
      messageBytesMax: bodyBytesMax,
      profile: () => profileAt(address),
    }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  }
  return {
    address,
    grpcPort: grpc?.port,
    get card() {
      return AgentCard.fromJSON(cardOf(profileAt(address)));
    },
    store: core.store,
    stop,
  };
}

/** There is nothing that a server knows of a request beforehand. */
type NoFrame = undefined;

function surfaceOf(
  core: AgentCore,
  streams: OpenStreams,
  profileAt: (url: string) => AgentProfile,
): HttpAgent<NoFrame> {
  const reachedAt = (req: Request): string => `${req.protocol}://${req.get('host') ?? 'localhost'}`;
  return {
    extensions: core.extensions,
    handlerFor: ({ req, dialect, named, cursor, signal }) =>
      core.handlerFor({ dialect, header: (name) => req.get(name), cursor, signal }, named, profileAt(reachedAt(req))),
    profileOf: async (req) => profileAt(reachedAt(req)),
    startedIn: async (_frame, taskId) => core.tasks.startedIn(taskId),
    readable: (error) => core.readable(error),
    streams,
    heartbeatMs: streamHeartbeatMs,
    readerStallMs: streamStallMs,
  };
}

type GrpcPlace = {
  readonly host: string;
  readonly port: number;
  readonly messageBytesMax: number;
  readonly profile: () => AgentProfile;
};

async function startGrpc(core: AgentCore, { profile, ...place }: GrpcPlace): Promise<GrpcListener> {
  // Loaded by who needs it: most do not.
  const { listenGrpc } = await import('../grpc.ts');
  return listenGrpc({
    ...place,
    portName: 'grpcPort',
    card: async () => AgentCard.fromJSON(cardOf(profile())),
    handlerFor: async ({ header, version: dialect, signal }) =>
      core.handlerFor({ dialect, header, cursor: { revision: undefined }, signal }, extensionsNamed(header), profile()),
    activatedFor: ({ header }) => activatedOf(core.extensions, extensionsNamed(header)),
  });
}
