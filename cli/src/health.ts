import { visibleLine } from '@stopgo/core';
import { checkHealth, formatAddress, parseAddress } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { defaultUrl, holdsCredentials, noCredentials } from './platform-url.ts';

/** How long the answer may take, in milliseconds. */
const answerMs = 4_000;

/** How long a port that does not speak gRPC has to show that it speaks HTTP, in milliseconds. */
const probeMs = 1_000;

/** Addresses to listen on that stand for every address of the machine, and how to call the machine itself. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * `stopgo health [ADDRESS|URL]`: whether a service is ready, for health checks of containers. An address is asked over
 * gRPC, a URL with GET: one without a path is that of a gateway, whose health is at `/health`. Without one it is the address that
 * this machine's own service listens on (`STOPGO_LISTEN`), else the gateway on this machine.
 *
 * @throws Error in one line, that says what to do, if it is not ready or does not answer.
 */
export async function health(target: string, listen: string | undefined, print: (line: string) => void): Promise<void> {
  const asked = target !== '' ? target : listen === undefined || listen === '' ? defaultUrl : ownAddress(listen);
  if (holdsCredentials(asked)) throw new Error(`the address of \`health\` ${noCredentials}`);
  if (/^https?:/i.test(asked)) print(await askUrl(asked));
  else {
    await askAddress(asked);
    print(`${asked} is ready`);
  }
}

function ownAddress(listen: string): string {
  const { host, port } = parseAddress(listen);
  if (port === 0) throw new Error('STOPGO_LISTEN leaves the port open; name the address that the service has got');
  return formatAddress({ host: wildcards[host] ?? host, port });
}

async function askAddress(address: string): Promise<void> {
  let answer: Awaited<ReturnType<typeof checkHealth>>;
  try {
    answer = await checkHealth(address, answerMs);
  } catch (error) {
    if (await speaksHttp(address))
      throw new Error(`${address} speaks HTTP, not gRPC; ask a gateway with: stopgo health http://${address}`);
    throw new Error(withRemedy(messageOf(error)));
  }
  if (answer !== 'serving') throw new Error(`${address} is not ready; its log says what it waits for`);
}

/** The words of whoever is ready. */
async function askUrl(target: string): Promise<string> {
  if (!URL.canParse(target)) throw new Error(`"${target}" is no URL; write for example ${defaultUrl}`);
  const url = new URL(target);
  if (url.pathname === '/') url.pathname = '/health';
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs), redirect: 'manual' });
    ({ status } = response);
    text = status === 200 ? await response.text() : '';
    await response.body?.cancel().catch(() => undefined);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new Error(withRemedy(`no answer from ${url}: ${messageOf(cause ?? error)}`));
  }
  if (status === 404)
    throw new Error(`${url} is not ready: it answered 404; the health of a gateway is at ${url.origin}/health`);
  if (status !== 200) throw new Error(`${url} is not ready: it answered ${status}`);
  const reason = degradedBy(text);
  return reason === undefined ? `${url} is ready` : `${url} is degraded: ${reason}`;
}

/** Why a gateway says that it is degraded; undefined if it does not say so. */
function degradedBy(text: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { status, reason } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  return status === 'degraded' ? visibleLine(typeof reason === 'string' ? reason : 'it does not say why') : undefined;
}

function withRemedy(problem: string): string {
  return problem.includes('ECONNREFUSED')
    ? `${problem}; nothing listens there: is it started, and is the port the right one?`
    : problem;
}

async function speaksHttp(address: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${address}/health`, {
      signal: AbortSignal.timeout(probeMs),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
