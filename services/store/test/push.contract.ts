import { randomUUID } from 'node:crypto';
import { conversationStream, type Fact, fact, pushStream } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from './store.contract.ts';
import { eventsOf, Story } from './story.ts';

/** What every store shows of who is told of a conversation. */
export function pushContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`push: ${name}`, () => {
    test('who has something to be told is due until it was, and who has claimed it is named', async () => {
      const { client, close } = await open();
      try {
        const story = new Story();
        const { id: conversationId } = story;
        let revision = 0;
        const told = async (...facts: readonly Fact[]) => {
          const stream = pushStream(conversationId);
          const append = { stream, expectedRevision: revision, events: eventsOf(...facts) };
          const { outcome } = await client.append({ ...append, idempotencyKey: randomUUID() });
          expect(outcome.case).toBe('appended');
          revision += facts.length;
        };
        const due = async () => {
          // What is shown by id is caught up with first; lists may lag.
          await client.getPush({ conversationId });
          return (await client.listDuePushes({})).pushes.map(({ conversationId: id, ownerInstance }) => [
            id,
            ownerInstance,
          ]);
        };
        const configured = (configId: string, afterRevision: number) =>
          fact('pushConfigured', {
            conversationId,
            configId,
            url: 'https://there.example/',
            protocolVersion: '1.0',
            afterRevision,
          });

        await client.append(story.created());
        expect((await client.getPush({ conversationId })).push).toMatchObject({ conversationId, configs: [] });
        await told(configured('a', story.revision));
        expect(await due()).toEqual([]);
        for (const append of [...story.turn()].slice(0, 2)) await client.append(append);
        expect(await due()).toEqual([[conversationId, '']]);
        const owner = { instance: 'orchestrator-1', epoch: 1 };
        await told(fact('pushClaimed', owner));
        expect(await due()).toEqual([[conversationId, 'orchestrator-1']]);
        const attempt = { configId: 'a', eventRevision: story.revision, attempt: 1, ...owner };
        await told(
          fact('pushAttempted', { ...attempt, reason: 'the answer is 500' }),
          fact('pushAttempted', { ...attempt, attempt: 2, delivered: true, taskState: 'TASK_STATE_WORKING' }),
          fact('pushReleased', { throughRevision: story.revision, ...owner }),
        );
        expect(await due()).toEqual([]);
        const { push } = await client.getPush({ conversationId });
        expect(push).toMatchObject({ revision: 5, ownerInstance: '', epoch: 1, settledRevision: story.revision });
        expect(push?.configs).toMatchObject([
          { id: 'a', throughRevision: story.revision, deliveries: 1, failures: 0, failure: '', givenUp: false },
        ]);
        // One that is to be told of what was before is due at once; one that was given up, or removed, is not.
        await told(configured('b', 1));
        expect(await due()).toEqual([[conversationId, '']]);
        await told(
          fact('pushAttempted', { ...attempt, configId: 'b', givenUp: true }),
          fact('pushRemoved', { configId: 'a' }),
        );
        expect(await due()).toEqual([]);
        const { problems } = await client.verifyStream({ stream: pushStream(conversationId) });
        expect(problems).toEqual([]);
      } finally {
        await close();
      }
    });

    test('a conversation whose approval names webhooks is due though nothing stands in its push stream, until that is settled', async () => {
      const { client, close } = await open();
      try {
        const story = new Story();
        const { id: conversationId } = story;
        const due = async () => {
          await client.getPush({ conversationId });
          return (await client.listDuePushes({})).pushes.map(({ conversationId: id }) => id);
        };
        for (const append of [story.created(), story.asked('pay')]) await client.append(append);
        expect(await due()).toEqual([]);
        await client.append(story.stopped('{}', randomUUID(), ['ops']));
        const named = story.revision - 1;
        expect(await due()).toEqual([conversationId]);
        expect((await client.getPush({ conversationId })).push).toMatchObject({
          ...{ conversationId, revision: 0, configs: [], namedFrom: named, namedThrough: named },
        });
        const { approval } = await client.getApproval({ approvalId: story.approvalId });
        expect(approval?.notify).toMatchObject([{ name: 'ops', fromRevision: named }]);
        // Nothing is gone, and the views are what the events give.
        expect((await client.verifyLog({})).problems).toEqual([]);
        expect((await client.verifyStream({ stream: conversationStream(conversationId) })).problems).toEqual([]);
        const owner = { instance: 'orchestrator-1', epoch: 1 };
        const append = { stream: pushStream(conversationId), expectedRevision: 0, idempotencyKey: randomUUID() };
        const settled = [
          fact('pushClaimed', owner),
          fact('pushReleased', { throughRevision: story.revision, ...owner }),
        ];
        await client.append({ ...append, events: eventsOf(...settled) });
        expect(await due()).toEqual([]);
        expect((await client.getPush({ conversationId })).push).toMatchObject({ revision: 2, namedThrough: named });
      } finally {
        await close();
      }
    });
  });
}
