import { createServer } from 'node:net';

/** Below the ports that the system gives to clients: one of those could be taken while its owner is dead. */
const portMin = 20_000;
const portMax = 32_000;

/** Ports of loopback that nobody listens on, for servers that must come back where they were. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
