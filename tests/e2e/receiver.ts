import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, vi } from 'vitest';

/** A notification as it arrived. */
export type Notification = {
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
  readonly body: any;
  /** As it arrived, byte by byte: what signatures are of. */
  readonly raw: string;
};

/** How a receiver answers: with a status, and with headers. */
export type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** Somebody who is told of tasks. */
export class Receiver {
  readonly got: Notification[] = [];
  /** What the next notifications are answered with; 204 by default. `never`: not at all. */
  reply: (notification: Notification) => Reply | 'never' = () => ({ status: 204 });
  #server: Server | undefined;
  #port = 0;

  /** Listens, on the port that it had before if there is one. */
  async start(): Promise<this> {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const notification = { headers: req.headers, body: JSON.parse(raw), raw };
        this.got.push(notification);
        const reply = this.reply(notification);
        if (reply !== 'never') res.writeHead(reply.status, reply.headers).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** What it was told, as the states of tasks and the names of other updates of 1.0. */
  get told(): string[] {
    return this.got.map(({ body }) => body.statusUpdate?.status.state ?? Object.keys(body)[0] ?? '');
  }

  /** Resolves once it was told so many updates. */
  async reached(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.got.length).toBeGreaterThanOrEqual(count), { timeout: 30_000, interval: 20 });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}
