import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';

/**
 * Listens, and gives the URL under which the server is reached. What goes wrong with accepting connections afterwards is
 * told to `onError`; the server goes on.
 *
 * @throws Error in one line that says what is in the way and what to do.
 */
export async function listen(
  server: Server,
  host: string,
  port: number,
  onError: (error: Error) => void,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once('error', refused);
    server.listen({ host, port }, () => {
      // Left in place, it would swallow the next error, and the one after that would end the process.
      server.off('error', refused);
      server.on('error', onError);
      resolve();
    });
  });
  return httpUrl(host, (server.address() as AddressInfo).port);
}

/** The URL of a host, which may be an IPv6 address, and a port. */
export const httpUrl = (host: string, port: number): string => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;

const reasons: Readonly<Record<string, (portName: string) => string>> = {
  EADDRINUSE: (portName) => `the port is in use; stop the process that has it, or set another "${portName}"`,
  EACCES: (portName) => `this user may not use the port; set a "${portName}" above 1023`,
  EADDRNOTAVAIL: () => 'this machine has no such address; set another "host"',
  ENOTFOUND: () => 'the name of the host is unknown; set another "host"',
};

/** Why nobody can listen there, in one line, and what to do. `portName`: what the port is called where it is set. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number, portName = 'port'): Error {
  const reason = reasons[error.code ?? codeIn(error.message)]?.(portName) ?? error.message.split('\n')[0];
  return new Error(`cannot listen on ${httpUrl(host, port)}: ${reason}`, { cause: error });
}

/** The code that a library has put into words. */
function codeIn(message: string): string {
  if (message.startsWith('Name resolution failed')) return 'ENOTFOUND';
  return Object.keys(reasons).find((code) => message.includes(code)) ?? '';
}
