import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { stopFarewellMs } from './bounds.ts';

export type StopOptions = {
  readonly server: Server;
  /** The event streams that are open. */
  readonly streams: { endAll(): void };
  /** Aborted when running requests must be answered at once. */
  readonly giveUp: AbortController;
  /** How long running requests may take, in milliseconds. */
  readonly graceMs: number;
};

/**
 * How to stop a server: no new connections, event streams end (their clients connect elsewhere), running requests may
 * finish within `graceMs`, after which they are told that their outcome is unknown; then every connection is closed.
 * Calling it again gives the same stop.
 */
export function gracefulStop({ server, streams, giveUp, graceMs }: StopOptions): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (_req, res) => {
    // A connection that becomes idle during a stop would otherwise live on until its keep-alive time is over.
    res.once('close', () => {
      if (stopping !== undefined) setImmediate(() => server.closeIdleConnections());
    });
  });

  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Clients open connections ahead of their requests; the server does not count those as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    streams.endAll();
    if (await within(closed, graceMs)) return;
    giveUp.abort();
    if (await within(closed, stopFarewellMs)) return;
    server.closeAllConnections();
    await closed;
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

/** Whether `work` is done within some milliseconds. */
async function within(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
