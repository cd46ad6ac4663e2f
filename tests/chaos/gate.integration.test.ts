import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Gate } from './gate.ts';

// The chaos test proves nothing if what it cuts is not cut.

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

/** A server that says back what it hears, behind a gate; and a client of it. */
async function echoed() {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate = new Gate();
  const port = await gate.lead((server.address() as AddressInfo).port);
  undo.push(
    () => server.close(),
    () => gate.close(),
  );
  const enter = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString();
    });
    const hears = async (text: string): Promise<void> => {
      while (!heard.includes(text)) await once(socket, 'data');
    };
    return { socket, hears, heard: () => heard };
  };
  return { gate, enter };
}

test('what is sent while nothing gets through arrives later, once and in order, also from those who came meanwhile', async () => {
  const { gate, enter } = await echoed();
  const early = enter();
  early.socket.write('one ');
  await early.hears('one ');
  gate.set('hang');
  early.socket.write('two ');
  const late = enter();
  await once(late.socket, 'connect');
  late.socket.write('me too');
  // Long enough for an echo through an open gate: other connections make the round trip a hundred times.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([early.heard(), late.heard()]).toEqual(['one ', '']);
  gate.set('open');
  early.socket.write('three');
  await Promise.all([early.hears('three'), late.hears('me too')]);
  expect(early.heard()).toBe('one two three');
});

test('a dropped connection ends, and a new one is refused until the gate is open', async () => {
  const { gate, enter } = await echoed();
  const early = enter();
  early.socket.write('one');
  await early.hears('one');
  const ended = once(early.socket, 'close');
  gate.set('drop');
  await ended;
  await expect(once(enter().socket, 'close')).rejects.toThrow('ECONNRESET');
  gate.set('open');
  const again = enter();
  again.socket.write('two');
  await again.hears('two');
});
