import { createServer } from 'node:net';

/** Below the ports that the system gives to whoever asks for any, and to clients: nobody is given one of these by chance. */
const portMin = 20_000;
const portMax = 32_000;

/** A port of loopback that nobody listens on, for a server that is started later or comes back where it was. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    if (await isFree(port)) return port;
  }
}

/** So many of them, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) found.add(await freePort());
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
