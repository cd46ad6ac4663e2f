import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueSetupKey, peopleService } from '@stopgo/approvals';
import { apiKeyIdOf, DomainError, keyProblem, type Principal, roleFromWire, roleToWire } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { people, store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** The first user, over a store that breaks off as it is told to: whatever is cut off, the operator gets in, and nobody else does. */
let folder: string;
let running: Awaited<ReturnType<typeof startStore>>;
/** Of the appends that follow: which one is refused, the first is 1. */
let cutAt = 0;
/** So many appends wait for each other, and then land one after the other. */
let together = 0;
let waiting: (() => void)[] = [];
let kept: string | undefined;
const log = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const onInternalError = () => undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-first-'));
  [cutAt, together, waiting, kept] = [0, 0, [], undefined];
  running = await startStore({ dataDir: join(folder, 'data'), log });
});
afterEach(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

function given() {
  const service: typeof running.service = {
    ...running.service,
    append: async (request, context) => {
      cutAt -= 1;
      if (cutAt === 0) throw new DomainError('invalid_argument', 'cut off');
      if (together > 0) {
        together -= 1;
        const all = new Promise<void>((resolve) => waiting.push(resolve));
        if (together === 0) for (const go of waiting) go();
        await all;
      }
      return running.service.append(request, context);
    },
  };
  const client = createInProcessClient(store.StoreService, service, { onInternalError });
  return { instance: 'a', store: client, clock: systemClock, newId: randomUUID, random: Math.random, randomBytes };
}

const setUp = () =>
  issueSetupKey(given(), {
    read: () => kept,
    write: (text) => {
      kept = text;
    },
    remove: () => {
      kept = undefined;
    },
  });

const client = () => createInProcessClient(people.PeopleService, peopleService(given()), { onInternalError });
const setupPrincipal = (): Principal => ({ kind: 'setup', keyId: apiKeyIdOf(kept ?? '') });
const create = (email: string, principal: Principal = setupPrincipal()) => {
  const role = roleToWire('SUPER_ADMIN');
  return client().createUser({ email, name: email, role, withApiKey: true }, { context: { principal } });
};
const keyIs = async (text: string) => {
  const { apiKey } = await given().store.getPerson({ by: { case: 'apiKeyId', value: apiKeyIdOf(text) } });
  return apiKey === undefined ? 'unknown' : (keyProblem(apiKey, Date.now()) ?? 'in force');
};
const administrators = async () =>
  (await given().store.listUsers({})).users
    .filter(({ role, active }) => active && roleFromWire(role) === 'SUPER_ADMIN')
    .map(({ email }) => email);

test.each([
  [1, 'the user'],
  [2, 'their key'],
  [3, 'the end of the setup key'],
])('what is cut off at append %i, %s, is asked for again, also after a restart', async (at) => {
  for (const restarts of [true, false]) {
    expect(await setUp()).toEqual({ needed: true });
    const setupKey = kept ?? '';
    cutAt = at;
    await expect(create('ana@x.example')).rejects.toThrow('cut off');
    if (restarts) {
      // Once the user is on the record, the key that is kept is for them alone.
      expect(await setUp()).toEqual({ needed: true, ...(at > 1 && { only: 'ana@x.example' }) });
      expect(kept).toBe(setupKey);
    }
    const { apiKeyText } = await create('ana@x.example');
    expect([await keyIs(apiKeyText), await keyIs(setupKey), await administrators()]).toEqual([
      ...['in force', 'revoked'],
      ['ana@x.example'],
    ]);
    await expect(create('ana@x.example')).rejects.toThrow(/used: sign in/);
    await running.stop();
    rmSync(join(folder, 'data'), { recursive: true });
    kept = undefined;
    running = await startStore({ dataDir: join(folder, 'data'), log });
  }
});

test('of many at the same time one is made, with one key that works', async () => {
  await setUp();
  const emails = ['ana', 'bob', 'ana', 'carl', 'ana'].map((name) => `${name}@x.example`);
  // Each has looked, and seen nobody, before any of them records anything.
  together = emails.length;
  const answers = await Promise.allSettled(emails.map((email) => create(email)));
  const made = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
  expect(made).toHaveLength(1);
  expect(await administrators()).toEqual([made[0]?.user?.email]);
  const { users } = await given().store.listUsers({});
  const keys = await Promise.all(users.map(({ id }) => given().store.listApiKeys({ userId: id })));
  const inForce = keys.flatMap(({ apiKeys }) => apiKeys).filter((key) => keyProblem(key, Date.now()) === undefined);
  expect(inForce.map(({ id }) => id)).toEqual([apiKeyIdOf(made[0]?.apiKeyText ?? '')]);
});

test('of keys that several services make at once for somebody who begins, one works', async () => {
  const boss: Principal = {
    kind: 'user',
    id: 'b',
    email: 'b@x.example',
    name: 'B',
    role: 'SUPER_ADMIN',
    groups: [],
    via: 'token',
  };
  const asked = { email: 'eve@x.example', name: 'Eve', role: roleToWire('USER') };
  const { user } = await client().createUser(asked, { context: { principal: boss } });
  const userId = user?.id ?? '';
  const issue = () => client().issueApiKey({ userId, name: 'to begin with' }, { context: { principal: boss } });
  together = 3;
  const answers = await Promise.allSettled([issue(), issue(), issue()]);
  expect(together).toBe(0);
  const texts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.text] : []));
  expect(texts).toHaveLength(1);
  for (const answer of answers)
    if (answer.status === 'rejected') expect(String(answer.reason)).toContain('has a key to begin with');
  const { apiKeys } = await given().store.listApiKeys({ userId });
  const inForce = apiKeys.filter((key) => keyProblem(key, Date.now()) === undefined);
  expect([apiKeys.length, inForce.map(({ id }) => id)]).toEqual([3, [apiKeyIdOf(texts[0] ?? '')]]);
});

test('a key for somebody who signs in while it is made ends before anybody is shown it', async () => {
  const boss: Principal = {
    kind: 'user',
    id: 'b',
    email: 'b@x.example',
    name: 'B',
    role: 'SUPER_ADMIN',
    groups: [],
    via: 'token',
  };
  const asked = { email: 'eve@x.example', name: 'Eve', role: roleToWire('USER') };
  const { user } = await client().createUser(asked, { context: { principal: boss } });
  const userId = user?.id ?? '';
  together = 2;
  const [signedIn, key] = await Promise.allSettled([
    client().signIn({ email: asked.email, name: 'Eve', groups: [], mayCreate: true }),
    client().issueApiKey({ userId, name: 'to begin with' }, { context: { principal: boss } }),
  ]);
  expect([signedIn.status, String(key.status === 'rejected' && key.reason)]).toEqual([
    'fulfilled',
    expect.stringContaining('has signed in before'),
  ]);
  const { apiKeys } = await given().store.listApiKeys({ userId });
  expect(apiKeys.map((one) => keyProblem(one, Date.now()))).toEqual(['revoked']);
});

test('a setup key that was written where users were not seen yet makes nobody once somebody administers', async () => {
  await setUp();
  const operator = { kind: 'anonymous' } as const;
  const { apiKeyText } = await create('boss@x.example', operator);
  await expect(create('eve@x.example')).rejects.toThrow(/there is a first user already/);
  await createInProcessClient(people.PeopleService, peopleService(given()), { onInternalError }).noteKeyUse(
    { apiKeyId: apiKeyIdOf(apiKeyText) },
    {},
  );
  await expect(create('boss@x.example')).rejects.toThrow(/there is a first user already/);
  const setupKey = kept ?? '';
  expect(await setUp()).toEqual({ needed: false });
  expect([kept, await keyIs(setupKey), await administrators()]).toEqual([undefined, 'revoked', ['boss@x.example']]);
});

test('whoever signs in with a token first does not keep the operator out', async () => {
  await setUp();
  await client().signIn({ email: 'early@x.example', name: 'Early', groups: [], mayCreate: true });
  expect(await setUp()).toEqual({ needed: true });
  await create('boss@x.example');
  expect(await administrators()).toEqual(['boss@x.example']);
  expect(await setUp()).toEqual({ needed: false });
});

test('an administrator makes no user with a key', async () => {
  const who = { kind: 'user', id: 'a', email: 'a@x.example', name: 'A', groups: [], via: 'token' } as const;
  const asked = { email: 'doll@x.example', name: 'Doll', withApiKey: true };
  const made = client().createUser(asked, { context: { principal: { ...who, role: 'ADMIN' } } });
  await expect(made).rejects.toThrow(/only a SUPER_ADMIN/);
  expect((await given().store.listUsers({})).total).toBe(0);
});
