import { createServer } from 'node:http';
import { listen } from '@stopgo/http';
import { expect, test } from 'vitest';

test('errors of a server that listens are told, each of them, and do not end the process', async () => {
  const server = createServer();
  const told: string[] = [];
  await listen(server, '127.0.0.1', 0, ({ message }) => told.push(message));
  expect(server.listenerCount('error')).toBe(1);
  server.emit('error', new Error('first'));
  server.emit('error', new Error('second'));
  expect(told).toEqual(['first', 'second']);
  await new Promise((resolve) => server.close(resolve));
});
