// `stopgo connect`: the browser comes back to an address of this machine (RFC 8252), so that whoever began is the one who finishes, with the
// credentials of this command.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oneLine } from '../shown.ts';
import { listIn } from './answered.ts';
import { askGateway } from './gateway.ts';

/** How long somebody has to log in, in milliseconds: as long as what they began is taken. */
const waitMs = 600_000;

type ShownConnection = {
  readonly server: string;
  readonly connected: boolean;
  readonly issuer?: string;
  readonly problem?: string;
};

type Print = (line: string) => void;

/** Lists the servers at which accounts are connected, and how one's own is there. */
export async function printConnections(url: string, print: Print): Promise<void> {
  const all = listIn<ShownConnection>(url, await askGateway(url, '/connections'), 'connections');
  if (all.length === 0) return print('no server wants an account: none has auth: oauth');
  for (const { server, connected, issuer = '', problem } of all)
    print(
      oneLine(
        connected ? `${server}  connected (${issuer})` : `${server}  not connected${problem ? `: ${problem}` : ''}`,
      ),
    );
}

/**
 * Connects an account: prints the address to open, and waits until the browser comes back. `open` shows it the address.
 *
 * @throws Error in one line if it is not connected.
 */
export async function connectAccount(
  url: string,
  server: string,
  {
    print,
    open,
    signal = AbortSignal.timeout(waitMs),
  }: { readonly print: Print; readonly open: (address: string) => void; readonly signal?: AbortSignal },
): Promise<void> {
  const here = createServer();
  await once(here.listen(0, '127.0.0.1'), 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(here.address() as AddressInfo).port}/callback`;
    const begun = await askGateway(url, pathOf(server), { body: { redirect_uri: redirectUri } });
    const address = 'url' in begun && typeof begun.url === 'string' ? begun.url : '';
    print('Open this address, and log in:');
    print(oneLine(address));
    open(address);
    const { query, say } = await cameBack(here, signal);
    const brought = Object.fromEntries(['state', 'code', 'iss', 'error'].map((name) => [name, query.get(name) ?? '']));
    try {
      await askGateway(url, '/connections', { body: brought });
    } catch (error) {
      say('Your account is not connected. The terminal says why.');
      throw error;
    }
    say('Your account is connected. You can close this page.');
    print(oneLine(`${server} is connected; what waited for it goes on`));
  } finally {
    here.closeAllConnections();
    here.close();
  }
}

/** Disconnects it. */
export async function disconnectAccount(url: string, server: string, print: Print): Promise<void> {
  const answer = await askGateway(url, pathOf(server), { method: 'DELETE' });
  const was = 'was_connected' in answer && answer.was_connected === true;
  print(
    oneLine(was ? `${server} is disconnected, and the key of its tokens destroyed` : `${server} was not connected`),
  );
}

const pathOf = (server: string): string => `/connections/${encodeURIComponent(server)}`;

type CameBack = { readonly query: URLSearchParams; readonly say: (words: string) => void };

/** The first request that comes back with a state; others are told that there is nothing. */
async function cameBack(here: ReturnType<typeof createServer>, signal: AbortSignal): Promise<CameBack> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error('nobody came back from the login in time; run the command again'));
    signal.addEventListener('abort', tooLate, { once: true });
    here.on('request', (req: IncomingMessage, res: ServerResponse) => {
      const { pathname, searchParams: query } = new URL(req.url ?? '/', 'http://127.0.0.1');
      if (req.method !== 'GET' || pathname !== '/callback' || !query.has('state')) return void res.writeHead(404).end();
      const say = (words: string) =>
        res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${words}\n`);
      signal.removeEventListener('abort', tooLate);
      resolve({ query, say });
    });
  });
}
