import { PassThrough } from 'node:stream';
import { DomainError, dataLoss } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { bind, connectGrpc, Secret, type ServiceImpl, startGrpcServer } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { afterEach, expect, test } from 'vitest';
import { reachStore } from '../src/services/reach-store.ts';

const token = 'the-token-of-the-store';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** Reaches a store that answers everything so; gives up when a line of the log says that it waits. */
async function reach(answer: () => Promise<never>, given: { readonly token: string } = { token }): Promise<void> {
  const methods = Object.keys(store.StoreService.method).map((name) => [name, answer]);
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [
      bind(store.StoreService, Object.fromEntries(methods) as unknown as ServiceImpl<typeof store.StoreService>),
    ],
    internalToken: new Secret(token),
    onInternalError: () => undefined,
  });
  cleanUp.push(() => server.stop(0));
  const channel = connectGrpc(server.address, { internalToken: new Secret(given.token) });
  cleanUp.push(() => channel.close());
  const waits = new AbortController();
  const destination = new PassThrough().on('data', (line: Buffer) => {
    const [, why] = /(refused by the store|starting)/.exec(line.toString()) ?? [];
    if (why !== undefined) waits.abort(new Error(`it waits: ${why}`));
  });
  const logger = createLogger({ level: 'info', format: 'text', destination });
  await reachStore(channel, { logger, signal: waits.signal });
}

test('a store that takes the token and cannot answer is reached: what ails it stops nobody else', async () => {
  await reach(() => Promise.reject(dataLoss('a row is damaged')));
  await reach(() => Promise.reject(new Error('a defect')));
});

test('a store that refuses the token, or is not available, is waited for', async () => {
  const refused = reach(() => Promise.reject(dataLoss('never asked')), { token: 'another-token-than-that' });
  await expect(refused).rejects.toThrow('it waits: refused by the store');
  const starting = reach(() => Promise.reject(new DomainError('unavailable', 'it is starting')));
  await expect(starting).rejects.toThrow('it waits: starting');
});
