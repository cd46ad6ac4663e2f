import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Timing } from '../src/timing.ts';

/** A request as it arrived. */
export type Arrived = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
type React = (res: ServerResponse, arrived: Arrived) => void;

/** A little HTTP server that reacts to each request as it is told, and to those after the last as to the last. */
export class ScriptedPlatform {
  readonly arrived: Arrived[] = [];
  readonly #reactions: React[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((req, res) => void this.#react(req, res));
  }

  static async open(): Promise<ScriptedPlatform> {
    const platform = new ScriptedPlatform();
    await new Promise<void>((resolve) => platform.#server.listen(0, '127.0.0.1', resolve));
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  will(...reactions: React[]): void {
    this.#reactions.push(...reactions);
  }

  /** Values of a header of all requests, in their order. */
  sent(header: string): (string | undefined)[] {
    return this.arrived.map(({ headers }) => headers[header] as string | undefined);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #react(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const { method = '', url = '', headers } = req;
    const arrived = { method, url, headers, body: Buffer.concat(pieces).toString() };
    this.arrived.push(arrived);
    const [next] = this.#reactions;
    if (this.#reactions.length > 1) this.#reactions.shift();
    next?.(res, arrived);
  }
}

export const answers =
  (status: number, body: object | string, headers: Record<string, string> = {}): React =>
  (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** The answer is lost on the way. */
export const breaksOff: React = (res) => void res.destroy();

/** Half of an answer comes. */
export const breaksInTheMidst: React = (res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  res.write('{"half":', () => res.destroy());
};

/** Pieces of an event stream, and then the connection is cut. */
export const streams =
  (...pieces: string[]): React =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const write = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) res.destroy();
      else res.write(piece, () => setImmediate(write, index + 1));
    };
    write(0);
  };

/** An event stream that stays open, and silent after these pieces. */
export const staysOpen =
  (...pieces: string[]): React =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    for (const piece of pieces) res.write(piece);
  };

/** Nothing is answered. */
export const silence: React = () => undefined;

/** Waits for something that should come, which are no pauses: for the next sign of a stream, and for an answer. */
const waitsMs = [40_000, 150_000];

/** A clock that goes on by pauses alone. What is waited for in vain has come to its end once `runOut` is called. */
export class OwnTime implements Timing {
  readonly pauses: number[] = [];
  #ms = 0;
  readonly #waiting = new Set<() => void>();

  readonly now = (): number => this.#ms;
  readonly random = (): number => 1;
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (!waitsMs.includes(ms)) {
        this.pauses.push(ms);
        this.#ms += ms;
        setImmediate(resolve);
        return;
      }
      this.#waiting.add(resolve);
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });

  runOut(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
