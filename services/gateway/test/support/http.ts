import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a test sends: an object goes as JSON, text and bytes as they are. */
export type Sent = {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object | string | Buffer;
};

export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
};

/** One request on a connection of its own. */
export function request(url: string, method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Reply> {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''));
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers, agent: false }, (res) => {
      text(res).then((content) => {
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text: content, json: parsed(content) });
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Writes bytes to a connection and gives all that comes back until the server closes it. */
export function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('close', () => resolve(got));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
  });
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
