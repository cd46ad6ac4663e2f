import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { GrpcListener } from '@stopgo/a2a-agent/grpc';
import { gracefulStop, listen, OpenStreams } from '@stopgo/http';
import { describeError, type Started } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { createApp, dependenciesOf } from './app.ts';
import {
  connectionsCheckMs,
  connectionsMax,
  headerBytesMax,
  headersTimeoutMs,
  keepAliveTimeoutMs,
  requestTimeoutMs,
  stopGraceMs,
} from './bounds.ts';
import { answerClientErrors } from './client-errors.ts';
import type { GatewayOptions } from './options.ts';

/**
 * Starts the HTTP gateway: REST in, typed calls out. `address` is its URL; `stop` lets running requests finish.
 *
 * @throws Error in one line if it cannot listen; nothing is left behind then.
 */
export async function startGateway(options: GatewayOptions): Promise<Started> {
  const streams = new OpenStreams(options.limits.openStreams);
  const giveUp = new AbortController();
  // Every running request listens: their number is no leak.
  setMaxListeners(0, giveUp.signal);
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: connectionsCheckMs,
    noDelay: true,
  });
  server.maxConnections = connectionsMax;
  const stop = gracefulStop({
    server,
    streams,
    giveUp,
    graceMs: options.times?.stopGraceMs ?? stopGraceMs,
  });
  answerClientErrors(server, options.log, options.newSessionId);
  let grpc: GrpcListener | undefined;
  const deps = dependenciesOf(options, { streams, grpcPort: () => grpc?.port });
  server.on('request', createApp(options, deps, giveUp.signal));
  const address = await listen(server, options.host, options.port, (error) =>
    options.log.error('a connection could not be accepted', { error: describeError(error) }),
  );
  if (options.authenticate === undefined && !isLoopback(options.host)) {
    options.onWarning(
      `listening on ${address} without authentication: whoever reaches this port can read every conversation, have the agent work and approve every call; set "auth", or "host" to 127.0.0.1 to keep it to this machine`,
    );
  }
  if (options.a2aGrpcPort !== undefined) {
    // Loaded by who needs it: most do not.
    const { startGrpc } = await import('./a2a/grpc.ts');
    grpc = await startGrpc(deps, { ...options, port: options.a2aGrpcPort }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  }
  return {
    address,
    stop: async () => {
      await Promise.all([stop(), grpc?.stop(options.times?.stopGraceMs ?? stopGraceMs)]);
    },
  };
}
