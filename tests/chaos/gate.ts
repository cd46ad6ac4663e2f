import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export type GateState = 'open' | 'drop' | 'hang';

/**
 * The way to a server, which can be cut: `drop` ends every connection and refuses new ones; `hang` lets them stand, and
 * nothing gets through until it is opened again: then all that was sent meanwhile arrives, as after a real partition.
 */
export class Gate {
  /** Every answer of the server takes so much longer, in milliseconds; its order stays. */
  answerDelayMs = 0;
  private readonly servers: Server[] = [];
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private readonly waiting = new Set<() => void>();
  private state: GateState = 'open';

  /** Listens on a port of loopback (0: any) and leads to another one. Gives the port. */
  async lead(toPort: number, port = 0): Promise<number> {
    const server = createServer((near) => this.enter(near, toPort));
    this.servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve());
    });
    return (server.address() as AddressInfo).port;
  }

  set(state: GateState): void {
    this.state = state;
    for (const socket of [...this.pairs].flat()) {
      if (state === 'drop') socket.destroy();
      else if (state === 'hang') socket.pause();
      else socket.resume();
    }
    if (state !== 'open') return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const enter of waiting) enter();
  }

  async close(): Promise<void> {
    this.set('drop');
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private enter(near: Socket, toPort: number): void {
    near.on('error', () => near.destroy());
    near.pause();
    switch (this.state) {
      case 'drop':
        near.resetAndDestroy();
        break;
      case 'open':
        this.join(near, toPort);
        break;
      case 'hang': {
        const later = (): void => {
          if (!near.destroyed) this.join(near, toPort);
        };
        this.waiting.add(later);
        near.once('close', () => this.waiting.delete(later));
      }
    }
  }

  private join(near: Socket, toPort: number): void {
    const far = connect({ port: toPort, host: '127.0.0.1', noDelay: true });
    near.setNoDelay(true);
    const pair = [near, far] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).once('close', end).once('end', end);
    this.pass(near, far, () => 0);
    this.pass(far, near, () => this.answerDelayMs);
    if (this.state === 'open') near.resume();
    else far.pause();
  }

  private pass(from: Socket, to: Socket, delayMs: () => number): void {
    const write = (bytes: Buffer): void => {
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (this.state === 'open') from.resume();
      });
    };
    const late: Buffer[] = [];
    from.on('data', (bytes) => {
      if (delayMs() === 0 && late.length === 0) return write(bytes);
      late.push(bytes);
      setTimeout(() => write(late.shift() ?? Buffer.alloc(0)), delayMs());
    });
  }
}
