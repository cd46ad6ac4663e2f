import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { JsonValueCounter } from '@stopgo/core';

/** Longest wait for a connection, in milliseconds. */
const connectTimeoutMs = 10_000;
/** How long a connection that nobody uses is kept, in milliseconds. Servers keep theirs for five seconds and more. */
const idleTimeoutMs = 4_000;
/** Largest body of a response, in bytes: many times what anybody answers, and what a broken endpoint may cost at most. */
const bodyBytesMaxDefault = 64 * 1024 * 1024;
/**
 * Values in the JSON of an answer, or of one event of a stream: an answer with more is an error. A model's answer has some hundreds, the task of
 * an agent some for each message; millions of them would hold up everybody while they are parsed.
 */
const answerValuesMax = 250_000;
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** A `fetch` as the SDKs of models and agents call it: an address, and a body that is text. */
export type BoundedFetch = (url: string | URL | Request, init?: BoundedRequestInit) => Promise<Response>;

/** How a request is made. `onBytes` is shown the body of the answer as it comes, before whoever reads the answer. */
export type BoundedRequestInit = RequestInit & { readonly onBytes?: ((bytes: Uint8Array) => void) | undefined };

/**
 * A `fetch` for the SDKs of models and agents, on connections of its own, at a fraction of what the built-in one costs. It
 * differs where that suits them: a redirect is the response and is not followed (a key in a header of its own would go along to
 * wherever it points), and an answer that is compressed, for which nobody asked, larger than `bodyBytesMax`, or of more JSON
 * values than `answerValuesMax`, is an error.
 *
 * It rejects as the built-in one does: with a `TypeError` whose cause is the error of the connection, or with the reason of the
 * signal. Either also ends a body that is being read. Without `keepAlive` each request has a connection of its own: what goes
 * out on one that the server is just closing may have arrived or not.
 */
export function createBoundedFetch(bodyBytesMax = bodyBytesMaxDefault, keepAlive = true): BoundedFetch {
  const kept = keepAlive ? ({ keepAlive, scheduling: 'lifo', timeout: idleTimeoutMs } as const) : {};
  const http = new HttpAgent(kept);
  const https = new HttpsAgent(kept);
  return async (input, { method = 'GET', headers, body, signal, onBytes } = {}) => {
    if (input instanceof Request || (typeof body !== 'string' && body !== undefined && body !== null))
      throw new TypeError('a request is an address and a text');
    if (signal?.aborted) throw signal.reason;
    const url = new URL(input);
    const content = Buffer.from(body ?? '');
    const fields = { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers)) };
    const options = { method, headers: { ...fields, 'content-length': content.length } };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: https })
        : httpRequest(url, { ...options, agent: http });
    limitConnecting(request);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        reject(signal?.reason);
        request.destroy();
      };
      const forget = (): void => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      const fail = (cause: Error): void => reject(new TypeError('fetch failed', { cause }));
      let isAnswered = false;
      request.on('close', () => {
        forget();
        // Nobody else would say that no answer will come.
        if (!isAnswered) fail(new Error('the connection was closed without an answer'));
      });
      request.on('error', fail);
      request.on('response', (message) => {
        try {
          resolve(responseOf(message, signal, bodyBytesMax, onBytes));
          isAnswered = true;
        } catch (error) {
          request.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      });
      request.end(content);
    });
  };
}

/** The first bytes of an answer as text, at most so many: the rest is not read. */
export async function beginningOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}

function limitConnecting(request: ClientRequest): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    const error = Object.assign(new Error(`no connection within ${connectTimeoutMs} ms`), { code: 'ETIMEDOUT' });
    const timer = setTimeout(() => request.destroy(error), connectTimeoutMs);
    const stop = (): void => clearTimeout(timer);
    socket.once('connect', stop);
    socket.once('close', stop);
  });
}

/** Throws if the answer is none that could be understood. */
function responseOf(
  message: IncomingMessage,
  signal: AbortSignal | null | undefined,
  bodyBytesMax: number,
  onBytes: BoundedRequestInit['onBytes'],
): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new Error(`the answer is compressed (${encoding}), which was not asked for`);
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  const isBodiless = bodilessStatuses.has(status);
  if (isBodiless) message.resume();
  return new Response(isBodiless ? null : bodyOf(message, signal, bodyBytesMax, onBytes), {
    status,
    statusText,
    headers,
  });
}

/** The SDKs read and keep all that comes, as it comes: nothing is held back, up to the most there may be. */
function bodyOf(
  message: IncomingMessage,
  signal: AbortSignal | null | undefined,
  bytesMax: number,
  onBytes: BoundedRequestInit['onBytes'],
): ReadableStream<Uint8Array> {
  let bytes = 0;
  const values = new JsonValueCounter(/^text\/event-stream/i.test(message.headers['content-type'] ?? ''));
  // A message that is destroyed may bring what had come already all the same, and say that it has ended.
  let isOver = false;
  const giveUp = (): void => {
    isOver = true;
    message.destroy();
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      message.on('data', (chunk: Uint8Array) => {
        if (isOver) return;
        bytes += chunk.byteLength;
        const excess = bytes > bytesMax ? `${bytesMax} bytes` : excessOf(values.add(chunk));
        if (excess === undefined) {
          onBytes?.(chunk);
          return controller.enqueue(chunk);
        }
        // It would only come again: this is not a lost connection.
        controller.error(new Error(`the answer has more than ${excess}`));
        giveUp();
      });
      message.on('end', () => {
        if (!isOver) controller.close();
      });
      message.on('error', (error) =>
        controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause: error })),
      );
    },
    cancel: giveUp,
  });
}

const excessOf = (values: number): string | undefined =>
  values > answerValuesMax ? `${answerValuesMax} JSON values` : undefined;
