import { createServer } from 'node:net';

/** Told before anything is started: a port that somebody listens on. Port 0 is always free. */
export function checkPort(host: string, port: number): Promise<void> {
  if (port === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'the port is in use; stop what listens there, or set another "port", or give one with --port'
          : error.message;
      reject(new Error(`cannot listen on ${host}:${port}: ${why}`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
