import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyIdOf, isApiKey } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterAll, expect, test } from 'vitest';
import { createUserOnRecord } from '../src/people.ts';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-users-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dataDir = join(folder, 'data');
const host = { env: {}, stderr: { write: () => true } } as unknown as NodeJS.Process;
const log = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });

async function create(email: string, role?: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await createUserOnRecord({ config: 'none', dataDir }, { email, name: email, role }, host, (line) => lines.push(line));
  return lines;
}

test('a user is made on the record with a key that is shown once, and never twice', async () => {
  const [who, keyLine = ''] = await create('Ana@Example.com', 'super_admin');
  expect(who).toMatch(/^ana@example\.com is SUPER_ADMIN, with the id [0-9a-f-]{36}$/);
  const text = keyLine.replace('API key, shown this once: ', '');
  expect(isApiKey(text)).toBe(true);
  await expect(create('ana@example.com')).rejects.toThrow(
    'there is a user with the e-mail address ana@example.com already',
  );
  await expect(create('bob@example.com', 'boss')).rejects.toThrow('--role takes USER, ADMIN, SUPER_ADMIN, not "boss"');
  await expect(create('bob')).rejects.toThrow('email must be an e-mail address');

  const running = await startStore({ dataDir, log });
  const client = createInProcessClient(store.StoreService, running.service, { onInternalError: () => undefined });
  const found = await client.getPerson({ by: { case: 'apiKeyId', value: apiKeyIdOf(text) } });
  expect([found.user?.email, found.apiKey?.name]).toEqual(['ana@example.com', 'first']);
  expect((await client.listUsers({})).total).toBe(1);
  // A platform that runs has a way of its own.
  await expect(create('bob@example.com')).rejects.toThrow(/setup-key, or POST \/users/);
  await running.stop();
});
