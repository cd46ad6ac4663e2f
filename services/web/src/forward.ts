import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { sendError } from './answers.ts';

/** What a request says that the gateway is told. Cookies, and where the page came from, stay here. */
const forwardedHeaders = [
  ...['accept', 'authorization', 'content-length', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  ...['last-event-id', 'prefer', 'transfer-encoding', 'x-api-key', 'x-approver', 'x-session-id'],
  'x-tool-authorization',
];
/** What an answer of the gateway says that the browser is told. How the page is protected is said here. */
const answeredHeaders = [
  ...['allow', 'cache-control', 'content-disposition', 'content-length', 'content-type', 'etag', 'location'],
  ...['preference-applied', 'retry-after', 'www-authenticate', 'x-accel-buffering', 'x-session-id'],
];

/** A request to the gateway: its method, its path and, unless it is passed on as it comes, its body. */
export type Forwarded = { readonly method: string; readonly path: string; readonly body?: string };

/** Sends a request on to the gateway, and its answer back. */
export type Send = (forwarded: Forwarded) => void;

/** Passes requests on to the gateway, and its answers back as they come. */
export class Forwarder {
  readonly #base: URL;
  readonly #send: typeof httpRequest;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(agentUrl: string) {
    this.#base = new URL(agentUrl);
    const isSecure = this.#base.protocol === 'https:';
    this.#send = isSecure ? httpsRequest : httpRequest;
    // A proxy of the environment is none of ours: the gateway is named.
    this.#agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /**
   * Sends it on; with a token of a session, which is then the only credential that goes along. Who leaves takes their request along: the
   * gateway sees the connection close.
   */
  forward(req: IncomingMessage, res: ServerResponse, { method, path, body }: Forwarded, token?: string): void {
    const { hostname, port, pathname } = this.#base;
    const prefix = pathname.replace(/\/$/, '');
    // What answers behind the same host besides the platform is not for whoever reaches this port.
    if (prefix !== '' && leadsUp(path)) {
      sendError(res, 400, 'the path must not hold ".."');
      return;
    }
    const headers = picked(req.headers, forwardedHeaders);
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) {
      delete headers['transfer-encoding'];
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    const upstream = this.#send(
      {
        ...{ method, headers, agent: this.#agent, path: `${prefix}${path}` },
        ...{ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? undefined : port },
      },
      (answer) => passBack(answer, res),
    );
    upstream.setNoDelay(true);
    res.once('close', () => upstream.destroy());
    upstream.on('error', () => notReached(res, method));
    if (body === undefined) req.pipe(upstream);
    else upstream.end(body);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function passBack(answer: IncomingMessage, res: ServerResponse): void {
  const headers = picked(answer.headers, answeredHeaders);
  // An address of the gateway is one below ours for the browser.
  if (headers.location?.startsWith('/')) headers.location = `/api${headers.location}`;
  headers['cache-control'] ??= 'no-store';
  res.writeHead(answer.statusCode ?? 502, headers);
  // An event stream says nothing at first, and is open all the same.
  res.flushHeaders();
  answer.pipe(res);
  // Half an answer must not look like a whole one.
  answer.once('aborted', () => res.destroy());
}

function notReached(res: ServerResponse, method: string): void {
  if (res.destroyed || res.writableEnded) return;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const isRead = method === 'GET' || method === 'HEAD';
  const after = isRead
    ? ''
    : '; whether this took effect is unknown: look again, or repeat it with the same Idempotency-Key';
  sendError(res, 502, `the platform is not reached${after}`);
}

function picked(from: IncomingMessage['headers'], names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** Whether a path, as it is or once its escapes are read, leads to what is above it. */
function leadsUp(path: string): boolean {
  const [way = ''] = path.split('?');
  let read = way;
  try {
    read = decodeURIComponent(way);
  } catch {
    // Escapes that mean nothing are read by nobody.
  }
  return read.split(/[/\\]/).includes('..');
}
