import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** What happens to the bytes of one direction. */
type Way = 'pass' | 'hold' | 'swallow';

/** A wire between a client and a server that can be tampered with. */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: number;
  #refusing = false;
  #toServer: Way = 'pass';
  #toClient: Way = 'pass';

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#connected(client));
  }

  /** Begins to listen on a port of its own. */
  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** What the client says: it is held back, or gone for ever. */
  requests(way: Way): void {
    this.#toServer = way;
    if (way === 'pass') for (const pair of this.#pairs) pair.release();
  }

  /** What the server says: it is held back, or gone for ever. */
  answers(way: Way): void {
    this.#toClient = way;
    if (way === 'pass') for (const pair of this.#pairs) pair.release();
  }

  /** Bytes that are held back on their way to the server. */
  get heldRequests(): number {
    return [...this.#pairs].reduce((sum, pair) => sum + pair.heldForServer, 0);
  }

  /** Cuts the client off; what is held back for the server still reaches it. The next connection passes. */
  cut(): void {
    this.#toServer = 'pass';
    this.#toClient = 'pass';
    for (const pair of [...this.#pairs]) pair.cut();
  }

  /** Cuts all connections and takes no more until told otherwise. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
    if (refusing) this.cut();
  }

  async close(): Promise<void> {
    for (const pair of [...this.#pairs]) pair.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connected(client: Socket): void {
    if (this.#refusing) {
      client.destroy();
      return;
    }
    const server = dial(this.#target, '127.0.0.1');
    const pair = new Pair(client, server, () => this.#pairs.delete(pair));
    this.#pairs.add(pair);
    client.on('data', (bytes) => pair.forServer(bytes, this.#toServer));
    server.on('data', (bytes) => pair.forClient(bytes, this.#toClient));
  }
}

class Pair {
  readonly #client: Socket;
  readonly #server: Socket;
  #heldForServer: Buffer[] = [];
  #heldForClient: Buffer[] = [];
  #clientIsGone = false;
  readonly #closed: () => void;

  constructor(client: Socket, server: Socket, closed: () => void) {
    this.#closed = closed;
    this.#client = client;
    this.#server = server;
    client.setNoDelay(true);
    server.setNoDelay(true);
    for (const one of [client, server]) one.on('error', () => undefined);
    server.on('close', () => {
      this.#closed();
      client.destroy();
    });
    client.on('close', () => {
      this.#clientIsGone = true;
      this.#endIfNothingIsHeld();
    });
  }

  get heldForServer(): number {
    return this.#heldForServer.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  forServer(bytes: Buffer, way: Way): void {
    if (way === 'pass') this.#server.write(bytes);
    if (way === 'hold') this.#heldForServer.push(bytes);
  }

  forClient(bytes: Buffer, way: Way): void {
    if (way === 'pass') this.#client.write(bytes);
    if (way === 'hold') this.#heldForClient.push(bytes);
  }

  release(): void {
    for (const bytes of this.#heldForServer.splice(0)) this.#server.write(bytes);
    for (const bytes of this.#heldForClient.splice(0)) this.#client.write(bytes);
    if (this.#clientIsGone) this.#endIfNothingIsHeld();
  }

  cut(): void {
    this.#heldForClient = [];
    this.release();
    this.#server.end();
    this.#client.destroy();
  }

  /** What a client said before it left may still be on its way. */
  #endIfNothingIsHeld(): void {
    if (this.#heldForServer.length === 0) this.#server.end();
  }
}
