import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fact, pushStream } from '@stopgo/core';
import { store, views } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Deltas } from '../src/deltas.ts';
import { Instances } from '../src/instances.ts';
import { storeService } from '../src/service.ts';
import { makeStream, openReplica, type Replica } from './jetstream-log.ts';
import { describeWithNats, type NatsServer, startNats } from './nats-server.ts';
import { eventsOf, Story } from './story.ts';

// An append is answered before its rows are written. Without a network in between a list is asked for before they would be.
describeWithNats('a list that is asked for as soon as an append is answered', () => {
  let server: NatsServer;
  let replica: Replica;
  let client: Client<typeof store.StoreService>;
  let story: Story;

  beforeEach(async () => {
    server = await startNats();
    await makeStream(server.url);
    replica = await openReplica({ url: server.url });
    const { events: log, views: shown } = replica;
    const service = storeService({
      ...{ log, views: shown, deltas: new Deltas(), instances: new Instances(true), openStreamsMax: 1 },
    });
    client = createInProcessClient(store.StoreService, service);
    story = new Story();
    await send(story.created());
  });
  afterEach(async () => {
    await replica.end();
    await server.remove();
    rmSync(replica.dataDir, { recursive: true });
  });

  /** The view that the answer brings, and what the rows show at that moment. */
  async function send(append: ReturnType<Story['append']>) {
    const { outcome } = await client.append({ ...append, returnView: true });
    if (outcome.case !== 'appended' || outcome.value.view === undefined) throw new Error('appended without a view');
    expect(outcome.value.view.head?.revision).toBe(append.expectedRevision + append.events.length);
    expect(replica.views.view(story.id)?.head?.revision).not.toBe(outcome.value.view.head?.revision);
    return outcome.value.view;
  }

  test('shows the conversation as the answer did, with the number of all', async () => {
    for (const append of story.turn()) {
      const view = await send(append);
      const { conversations, summary } = await client.listConversations({});
      expect(conversations).toEqual([view]);
      const isWaiting = view.head?.status === views.ConversationStatus.WAITING_APPROVAL;
      expect(summary?.waitingApproval).toBe(isWaiting ? 1 : 0);
    }
  });

  test('shows the approvals of the conversation as the answer did', async () => {
    await send(story.asked('create it'));
    const { pendingApprovals } = await send(story.stopped());
    expect(pendingApprovals).toHaveLength(1);
    expect((await client.listApprovals({})).approvals).toEqual(pendingApprovals);
  });

  test('shows the run that is open', async () => {
    const { head } = await send(story.asked('create it'));
    const { runs } = await client.listOpenRuns({});
    expect(runs).toMatchObject([{ runId: story.runId, revision: head?.revision }]);
  });

  test('shows who is to be told of it', async () => {
    const conversationId = story.id;
    await client.append({
      stream: pushStream(conversationId),
      expectedRevision: 0,
      events: eventsOf(
        fact('pushConfigured', {
          ...{ conversationId, configId: 'a', url: 'https://there.example/', protocolVersion: '1.0', afterRevision: 0 },
        }),
      ),
      idempotencyKey: randomUUID(),
    });
    expect((await client.listDuePushes({})).pushes).toMatchObject([{ conversationId }]);
  });
});
