import { createServer, type Server } from 'node:net';

/** Ports of loopback that were free a moment ago, open at the same time so that they differ. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map(opened));
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

function opened(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
}
