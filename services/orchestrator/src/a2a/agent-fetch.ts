import { type BoundedFetch, createBoundedFetch } from '../bounded-fetch.ts';
import { answerBytesMax, errorBytesMax } from './bounds.ts';
import { AgentFailed, NotTaken, TokenWanted } from './failures.ts';
import { parseJsonText } from './json-text.ts';
import { failureOf, protocolErrorOf, quoted } from './protocol-error.ts';

/** Error codes of a connection that was never made, so that nothing was sent. */
const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const statusRequestTimeout = 408;

/** The address as it may be shown: without user, password, query and fragment, any of which may be a credential. */
export function shownUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/**
 * A `fetch` for other agents: bounded, never redirected, a connection of its own for each request.
 *
 * @throws NotTaken if no connection was made; anything else that it throws leaves open what arrived.
 */
export function createBareFetch(): BoundedFetch {
  const bare = createBoundedFetch(answerBytesMax, false);
  return async (url, init) => {
    try {
      return await bare(url, init);
    } catch (error) {
      const code = neverConnectedCode(error);
      if (code === undefined || init?.signal?.aborted === true) throw error;
      throw new NotTaken(`no connection to ${shownUrl(String(url))} (${code})`, true);
    }
  };
}

/**
 * The same for messages and questions: what it resolves with is an answer. An error status becomes what it means for the
 * message; of one that may come from something on the way to the agent, that is not known.
 *
 * @throws NotTaken, TokenWanted, NoSuchTask, AgentFailed; anything else leaves open what arrived.
 */
export function createAgentFetch(bare: BoundedFetch): BoundedFetch {
  return async (url, init) => {
    const response = await bare(url, init);
    if (response.ok) return response;
    const { status } = response;
    if (status < 400) {
      await response.body?.cancel().catch(() => undefined);
      throw new NotTaken(
        `${shownUrl(String(url))} answered with a redirect (HTTP ${status}), which is not followed: ` +
          'configure the address that it points to, if you trust it',
      );
    }
    if (status === 401) throw new TokenWanted(`HTTP ${status}`);
    const error = protocolErrorOf(parseJsonText(await beginningOf(response)));
    if (error?.code !== undefined) throw failureOf(error.code, error.message);
    const said = error === undefined ? `HTTP ${status}` : `HTTP ${status}: ${quoted(error.message)}`;
    if (status < 500 && status !== statusRequestTimeout) throw new NotTaken(`it refuses the message: ${said}`);
    if (error !== undefined) throw new AgentFailed(said);
    throw new Error(`the agent answered with ${said}`);
  };
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= errorBytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, errorBytesMax).toString('utf8');
}

/** A host that becomes unreachable ends a connection with the code of one that was never made: the call tells them apart. */
function neverConnectedCode(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!('code' in at) || typeof at.code !== 'string') continue;
    const call = 'syscall' in at ? at.syscall : undefined;
    return call !== 'read' && call !== 'write' && neverConnected.has(at.code) ? at.code : undefined;
  }
  return undefined;
}
