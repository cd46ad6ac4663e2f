import { checkHealth, formatAddress, parseAddress } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';

/** How long the answer may take, in milliseconds. */
const answerMs = 4_000;

/** Addresses to listen on that stand for every address of the machine, and how to call the machine itself. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * `stopgo health [ADDRESS|URL]`: whether a service is ready, for health checks of containers. An address is asked over
 * gRPC, a URL with GET; without one it is the address that this machine's own service listens on (`STOPGO_LISTEN`).
 *
 * @throws Error in one line if it is not ready or does not answer.
 */
export async function health(target: string, listen: string | undefined, print: (line: string) => void): Promise<void> {
  const asked = target === '' ? ownAddress(listen) : target;
  if (/^https?:/.test(asked)) await checkUrl(asked);
  else if ((await checkHealth(asked, answerMs)) !== 'serving') throw new Error(`${asked} is not ready`);
  print(`${asked} is ready`);
}

function ownAddress(listen: string | undefined): string {
  if (listen === undefined || listen === '')
    throw new Error('nobody to ask: name an address or a URL, or set STOPGO_LISTEN to what the service listens on');
  const { host, port } = parseAddress(listen);
  if (port === 0) throw new Error('STOPGO_LISTEN leaves the port open; name the address that the service has got');
  return formatAddress({ host: wildcards[host] ?? host, port });
}

async function checkUrl(url: string): Promise<void> {
  let status: number;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs), redirect: 'manual' });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new Error(`no answer from ${url}: ${messageOf(cause ?? error)}`);
  }
  if (status !== 200) throw new Error(`${url} is not ready: it answered ${status}`);
}
