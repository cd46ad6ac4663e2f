import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP relay whose connections can be cut, as a network or a killed process does, or be slow towards the server. */
export async function relayTo(address: string) {
  const [host, port] = address.split(':');
  const sockets = new Set<Socket>();
  const inbounds = new Map<Socket, Socket>();
  let isHolding = false;
  const server = createServer((inbound) => {
    const outbound = connect(Number(port), host);
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (from === outbound || !isHolding) from.pipe(to);
    }
    inbounds.set(inbound, outbound);
    inbound.on('close', () => inbounds.delete(inbound));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    /** Passes nothing on to the server until `goOn`. */
    hold: () => {
      isHolding = true;
      for (const [inbound, outbound] of inbounds) inbound.unpipe(outbound);
    },
    goOn: () => {
      isHolding = false;
      for (const [inbound, outbound] of inbounds) inbound.pipe(outbound);
    },
    isInUse: () => sockets.size > 0,
    close: () => {
      cut();
      server.close();
    },
  };
}
