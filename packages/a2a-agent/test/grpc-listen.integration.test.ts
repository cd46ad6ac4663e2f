import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '@stopgo/http';
import { expect, test } from 'vitest';
import { listenGrpc } from '../src/grpc.ts';

const grpcAt = (host: string, port = 0) => {
  const unused = () => {
    throw new Error('nobody calls');
  };
  return listenGrpc({ host, port, portName: 'grpcPort', messageBytesMax: 1024, card: unused, handlerFor: unused });
};

test('gRPC listens at every address of this machine, in either version of IP', async () => {
  for (const host of ['127.0.0.1', '::1', '::', 'localhost']) {
    const { port, stop } = await grpcAt(host);
    expect(port, host).toBeGreaterThan(0);
    await stop(0);
  }
});

test('where gRPC cannot listen, one line says why and what to do', async () => {
  const other = createServer();
  await listen(other, '127.0.0.1', 0, () => undefined);
  const { port } = other.address() as AddressInfo;
  const inUse = `cannot listen on http://127.0.0.1:${port}: the port is in use; stop the process that has it, or set another "grpcPort"`;
  await expect(grpcAt('127.0.0.1', port)).rejects.toThrow(inUse);
  await new Promise((resolve) => other.close(resolve));
  // An address that is kept for documentation.
  const elsewhere = 'cannot listen on http://[2001:db8::1]:0: this machine has no such address; set another "host"';
  await expect(grpcAt('2001:db8::1')).rejects.toThrow(elsewhere);
});
