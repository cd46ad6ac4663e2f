// A load generator that shares the machine with what it measures has to be cheap: one socket, one request at a time,
// no objects per header. It understands exactly what the servers here send: HTTP/1.1 with Content-Length.
import { connect, type Socket } from 'node:net';

/** An answer, with the milliseconds from the first byte sent to the last byte received. */
export type Answer = { readonly status: number; readonly body: string; readonly ms: number };

/** How long an answer may take, in milliseconds: far above everything that is measured. */
const answerMs = 60_000;

/** A connection that is kept open, for one request after the other. */
export class HttpClient {
  readonly #socket: Socket;
  readonly #host: string;
  /** What each request begins with, after its first line. */
  readonly #head: string;
  #received: Buffer = Buffer.alloc(0);
  #pending: { readonly began: number; resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket, host: string, token: string | undefined) {
    this.#socket = socket;
    this.#host = host;
    this.#head = `Host: ${host}\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}`;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error(`${host} closed the connection`)));
    socket.on('timeout', () => socket.destroy(new Error(`${host} did not answer within ${answerMs} ms`)));
  }

  /** Connects to an `http://host:port` address. `token`: of whoever asks; absent: nobody says who they are. */
  static open(address: string, token?: string): Promise<HttpClient> {
    const { hostname, port, host } = new URL(address);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.setTimeout(answerMs);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpClient(socket, host, token));
      });
    });
  }

  get(path: string): Promise<Answer> {
    return this.#send(`GET ${path} HTTP/1.1\r\n${this.#head}\r\n`);
  }

  /** Sends JSON. `prefer` is the value of the Prefer header. */
  post(path: string, body: unknown, prefer = 'return=minimal'): Promise<Answer> {
    const text = JSON.stringify(body);
    return this.#send(
      `POST ${path} HTTP/1.1\r\n${this.#head}Prefer: ${prefer}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(request: string): Promise<Answer> {
    if (this.#pending !== undefined) throw new Error('one request at a time');
    if (this.#socket.destroyed) return Promise.reject(new Error(`${this.#host} has closed the connection`));
    return new Promise((resolve, reject) => {
      this.#pending = { began: performance.now(), resolve, reject };
      this.#socket.write(request);
    });
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without a length: ${head}`));
      return;
    }
    const end = headEnd + 4 + Number(length);
    if (this.#received.length < end) return;
    const body = this.#received.toString('utf8', headEnd + 4, end);
    this.#received = this.#received.subarray(end);
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ status: Number(head.slice(9, 12)), body, ms: performance.now() - pending.began });
  }

  #fail(error: Error): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
  }
}
