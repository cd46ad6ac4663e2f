import { randomUUID } from 'node:crypto';
import {
  anonymous,
  apiKeyIdOf,
  apiKeyStream,
  apiKeyText,
  changeUser,
  conversationStream,
  createUser,
  type Fact,
  fact,
  issueApiKey,
  linkDigestOf,
  linkStream,
  linkText,
  noUser,
  revokeApiKey,
  type StreamName,
  userIdOf,
  userStream,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from './store.contract.ts';
import { eventsOf } from './story.ts';

/** What every store shows of users and API keys. */
export function peopleContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`people: ${name}`, () => {
    test('are shown by id as the log has them, listed in the order in which they were made, and verified', async () => {
      const { client, close } = await open();
      const append = async (stream: StreamName, expectedRevision: number, facts: readonly Fact[]) => {
        const events = eventsOf(...facts);
        const { outcome } = await client.append({ stream, expectedRevision, events, idempotencyKey: randomUUID() });
        return outcome.case;
      };
      const make = (email: string) => {
        const id = userIdOf(email);
        return append(userStream(id), 0, createUser(noUser(id), { email, name: email, role: 'USER' }, anonymous));
      };
      const userOf = async (email: string) =>
        (await client.getPerson({ by: { case: 'userId', value: userIdOf(email) } })).user;
      try {
        expect(await userOf('ana@example.com')).toBeUndefined();
        for (const email of ['zoe@example.com', 'ana@example.com', 'mia@example.com']) {
          expect(await make(email)).toBe('appended');
        }
        // The log lets nobody have an address twice.
        expect(await make('ana@example.com')).toBe('conflict');
        const ana = await userOf('ana@example.com');
        if (ana === undefined) throw new Error('ana is there');
        await append(userStream(ana.id), 1, changeUser(ana, { active: false }, anonymous));
        expect(await userOf('ana@example.com')).toMatchObject({ active: false, revision: 2 });

        const text = apiKeyText(new Uint8Array(32).fill(3));
        const keyId = apiKeyIdOf(text);
        const wanted = { userId: ana.id, name: 'ci', scopes: [], expiresAt: undefined };
        await append(apiKeyStream(keyId), 0, issueApiKey(text, wanted, 0));
        const byKey = () => client.getPerson({ by: { case: 'apiKeyId', value: keyId } });
        const found = await byKey();
        expect([found.user?.email, found.apiKey?.name]).toEqual(['ana@example.com', 'ci']);
        if (found.apiKey === undefined) throw new Error('the key is there');
        await append(apiKeyStream(keyId), 1, revokeApiKey(found.apiKey));
        expect((await byKey()).apiKey?.revokedAt).toBeDefined();

        const first = await client.listUsers({ limit: 2 });
        const rest = await client.listUsers({ limit: 2, cursor: first.nextCursor });
        const emails = [...first.users, ...rest.users].map(({ email }) => email);
        expect(emails).toEqual(['zoe@example.com', 'ana@example.com', 'mia@example.com']);
        expect([first.total, rest.nextCursor]).toEqual([3, '']);
        const keysOf = async (userId: string) => (await client.listApiKeys({ userId })).apiKeys.map(({ id }) => id);
        expect([await keysOf(ana.id), await keysOf(userIdOf('mia@example.com'))]).toEqual([[keyId], []]);
        for (const stream of [userStream(ana.id), apiKeyStream(keyId)])
          expect((await client.verifyStream({ stream })).problems).toEqual([]);
        expect((await client.verifyLog({})).problems).toEqual([]);
      } finally {
        await close();
      }
    });

    test('a link is made once, and names the conversation and the user that it is for', async () => {
      const { client, close } = await open();
      try {
        const digest = linkDigestOf(linkText(new Uint8Array(32).fill(9)));
        const conversationId = randomUUID();
        const made = fact('linkMade', { approvalId: randomUUID(), conversationId, userId: userIdOf('no@example.com') });
        const append = async () => {
          const request = { stream: linkStream(digest), expectedRevision: 0, events: eventsOf(made) };
          return (await client.append({ ...request, idempotencyKey: randomUUID() })).outcome.case;
        };
        expect([await append(), await append()]).toEqual(['appended', 'conflict']);
        // Verify looks for these.
        const { named, problems } = await client.verifyStream({ stream: linkStream(digest) });
        expect(problems).toEqual([]);
        expect(named.map(({ stream }) => stream).sort()).toEqual([
          conversationStream(conversationId),
          userStream(userIdOf('no@example.com')),
        ]);
      } finally {
        await close();
      }
    });
  });
}
