import type { FetchLike } from '@modelcontextprotocol/client';
import { UnsupportedTransport } from '../failures.ts';

/** Characters of an event stream within which the first event of the old transport has to come. */
const charactersMax = 4_096;

/** Statuses of HTTP that say nothing of the transport: wrong credentials, too many requests. */
const otherRefusals: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Finds out why a server refused the first message with this status of HTTP: if it speaks only HTTP+SSE, the transport of protocol 2024-11-05, it takes no POST at its
 * address, and answers a GET with an event stream whose first event is `endpoint` (specification 2025-06-18, transports, backwards
 * compatibility). Undefined if that is not so, or not known when the signal aborts. Never throws.
 */
export async function oldTransport(
  status: number,
  fetch: FetchLike,
  url: URL,
  signal: AbortSignal,
): Promise<UnsupportedTransport | undefined> {
  if (status < 400 || status >= 500 || otherRefusals.has(status)) return undefined;
  try {
    if (!(await beginsWithEndpoint(await fetch(url, { headers: { accept: 'text/event-stream' }, signal }))))
      return undefined;
  } catch {
    return undefined;
  }
  return new UnsupportedTransport(
    'it speaks only the old HTTP+SSE transport (protocol 2024-11-05), which is not supported; use its address for Streamable HTTP ' +
      '(often /mcp in place of /sse), or start a proxy that translates, such as mcp-remote, with command',
  );
}

async function beginsWithEndpoint({ ok, headers, body }: Response): Promise<boolean> {
  if (body === null) return false;
  const reader = body.getReader();
  try {
    if (!ok || !(headers.get('content-type') ?? '').includes('text/event-stream')) return false;
    const decoder = new TextDecoder();
    let text = '';
    while (text.length < charactersMax) {
      const { value, done } = await reader.read();
      if (done) return false;
      text += decoder.decode(value, { stream: true });
      if (/^event: ?endpoint[\r\n]/mu.test(text)) return true;
    }
    return false;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
