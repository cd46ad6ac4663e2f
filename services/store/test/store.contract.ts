import { randomUUID } from 'node:crypto';
import { decodeRecorded, decodeSnapshot, fact, fold, initialState } from '@stopgo/core';
import { type store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approvalTests } from './store-approvals.contract.ts';
import { contextTests } from './store-contexts.contract.ts';
import { dueTests } from './store-due.contract.ts';
import { inputTests } from './store-inputs.contract.ts';
import { watchApprovalTests } from './store-watch-approvals.contract.ts';
import { watchedTests } from './store-watched.contract.ts';
import { eventsOf, Story } from './story.ts';
import { ticketTests } from './ticket.contract.ts';

type StoreClient = Client<typeof store.StoreService>;

/** A store under test, reached through whatever transport. */
export type StoreUnderTest = { readonly client: StoreClient; close(): Promise<void> };

const kind = (name: string) => expect.objectContaining({ kind: name });

/** What every store must do, whatever its log is made of and whatever transport lies between. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`store: ${name}`, () => {
    let under: StoreUnderTest;
    let client: StoreClient;
    beforeEach(async () => {
      under = await open();
      client = under.client;
    });
    afterEach(() => under.close());

    async function send(append: Parameters<StoreClient['append']>[0]) {
      const { outcome } = await client.append({ ...append, returnView: true });
      if (outcome.case !== 'appended') throw new Error(`not appended but ${outcome.case}`);
      return outcome.value;
    }

    /** A conversation with `turns` turns, the last of them still waiting for its approval if `waiting`. */
    async function told(turns = 1, waiting = false, text?: string): Promise<Story> {
      const story = new Story();
      await send(story.created());
      for (let turn = 1; turn <= turns; turn++) {
        const appends = story.turn(text);
        for (let part = 1; part <= (waiting && turn === turns ? 2 : 6); part++) await send(appends.next().value!);
      }
      return story;
    }

    test('each append of a turn answers with the view after it', async () => {
      const story = new Story();
      expect((await send(story.created())).view?.head).toMatchObject({ id: story.id, messageCount: 1, revision: 1 });
      const seen: [number, number, number][] = [];
      for (const append of story.turn()) {
        const { view, revision } = await send(append);
        expect(view?.head?.revision).toBe(revision);
        seen.push([view?.head?.status ?? 0, view?.head?.run?.status ?? 0, view?.pendingApprovals.length ?? 0]);
      }
      const [active, waiting] = [views.ConversationStatus.ACTIVE, views.ConversationStatus.WAITING_APPROVAL];
      const run = views.RunStatus;
      expect(seen).toEqual([
        [active, run.WORKING, 0],
        [waiting, run.WAITING, 1],
        [active, run.WORKING, 0],
        [active, run.WORKING, 0],
        [active, run.WORKING, 0],
        [active, run.COMPLETED, 0],
      ]);
    });

    test('a conversation is shown with its messages, in pages', async () => {
      const story = await told(2);
      const conversationId = story.id;
      const whole = await client.getConversation({ conversationId, messageLimit: 100 });
      expect(whole.messages.map((message) => [message.sequence, message.role])).toEqual(
        ['system', ...Array(2).fill(['user', 'assistant', 'user', 'tool', 'assistant']).flat()].map((role, n) => [
          n + 1,
          role,
        ]),
      );
      expect(whole).toMatchObject({ more: false, view: { head: { title: 'create a server my-test with value 42' } } });
      expect(whole.view?.head?.run?.response).toBe('I created my-test with the value 42.');
      const first = await client.getConversation({ conversationId, messageLimit: 4 });
      expect([first.messages.length, first.more]).toEqual([4, true]);
      const rest = await client.getConversation({ conversationId, messageLimit: 100, afterSequence: 4 });
      expect([...first.messages, ...rest.messages]).toEqual(whole.messages);
      expect((await client.getConversation({ conversationId })).messages).toEqual([]);
    });

    test('a page of messages ends at about 2 MiB', async () => {
      const story = new Story();
      await send(story.created());
      for (let n = 0; n < 12; n++) await send(story.asked('x'.repeat(240 * 1024)));
      const { messages, more } = await client.getConversation({ conversationId: story.id, messageLimit: 100 });
      expect([messages.length, more]).toEqual([9, true]);
    });

    test('a load gives the folded state and the keys asked for, by conversation or by approval', async () => {
      const story = new Story();
      const created = { ...story.created(), idempotencyKey: 'key-1', requestDigest: 'digest-1' };
      await send(created);
      await send(story.asked('hello'));
      await send(story.stopped());
      const loaded = await client.load({
        by: { case: 'conversationId', value: story.id },
        idempotencyKeys: ['key-1', 'key-2'],
      });
      expect(loaded).toMatchObject({ conversationId: story.id, revision: story.revision });
      expect(loaded.knownKeys).toMatchObject([
        { idempotencyKey: 'key-1', requestDigest: 'digest-1', firstRevision: 1, lastRevision: 1 },
      ]);
      const state = decodeSnapshot(loaded.snapshot, loaded.foldVersion);
      expect(state?.run?.interrupts[story.approvalId]).toMatchObject({ callId: 'root#1.0' });
      const same = await client.load({ by: { case: 'approvalId', value: story.approvalId } });
      expect(same).toMatchObject({ conversationId: story.id, revision: story.revision });
    });

    test('a load gives the events after what its caller holds, where they are few, and the whole state where they are not', async () => {
      const story = new Story();
      await send(story.created());
      await send(story.asked('hello'));
      await send(story.stopped());
      const load = (knownRevision: number, knownFoldVersion: number) =>
        client.load({ by: { case: 'conversationId', value: story.id }, knownRevision, knownFoldVersion });
      const { snapshot, foldVersion, unseen } = await load(0, 0);
      expect([unseen.length, snapshot.length > 0]).toEqual([0, true]);
      // Who holds nothing, and says so, is given all.
      for (const known of [0, 1, story.revision]) {
        const loaded = await load(known, foldVersion);
        expect(loaded.snapshot).toHaveLength(0);
        expect(loaded.unseen.map((one) => decodeRecorded(one).revision)).toEqual(
          Array.from({ length: story.revision - known }, (_, n) => known + n + 1),
        );
      }
      const state = fold(initialState, (await load(0, foldVersion)).unseen.map(decodeRecorded));
      expect(state).toEqual(decodeSnapshot(snapshot, foldVersion));
      // Another version of the fold, more than there is, more than is given at once.
      for (const [revision, version] of [
        [1, foldVersion + 1],
        [story.revision + 1, foldVersion],
      ] as const)
        expect((await load(revision, version)).snapshot).toEqual(snapshot);
      for (let turn = 0; turn < 22; turn++) await send(story.asked('and more'));
      const many = await load(0, foldVersion);
      expect([many.unseen.length, many.snapshot.length > 0]).toEqual([0, true]);
    });

    test('an approval is shown with the arguments of its call, then with its decision', async () => {
      const story = await told(1, true);
      const pending = await client.getApproval({ approvalId: story.approvalId });
      expect(pending.approval).toMatchObject({
        conversationId: story.id,
        status: views.ApprovalStatus.PENDING,
        argumentsJson: '{"name":"my-test","value":42}',
      });
      await send(story.approved());
      expect((await client.getApproval({ approvalId: story.approvalId })).approval).toMatchObject({
        status: views.ApprovalStatus.APPROVED,
        decidedBy: 'ann',
      });
    });

    test('conversations are listed newest first; paging shows each once while others come', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 25; n++) ids.unshift((await told(0)).id);
      const listed: string[] = [];
      let cursor = '';
      do {
        const page = await client.listConversations({ limit: 7, cursor });
        listed.push(...page.conversations.map((one) => one.head?.id ?? ''));
        cursor = page.nextCursor;
        await told(0);
      } while (cursor !== '');
      expect(listed).toEqual(ids);
    });

    test('a list can be filtered by status, and its summary counts all', async () => {
      const waiting = await told(1, true);
      await told(1);
      await told(0);
      const page = await client.listConversations({ status: views.ConversationStatus.WAITING_APPROVAL });
      expect(page.conversations.map((one) => one.head?.id)).toEqual([waiting.id]);
      expect(page.conversations[0]?.pendingApprovals.map((one) => one.id)).toEqual([waiting.approvalId]);
      expect(page.summary).toMatchObject({ total: 3, active: 2, waitingApproval: 1, completed: 0 });
      expect(page.position).toBeGreaterThan(0n);
      await send(waiting.approved());
      expect((await client.listConversations({})).summary).toMatchObject({ total: 3, active: 3, waitingApproval: 0 });
    });

    approvalTests({ client: () => client, send, told });
    watchApprovalTests({ client: () => client, send, told });
    contextTests({ client: () => client, send, told });
    watchedTests({ client: () => client, send });
    inputTests({ client: () => client, send });
    dueTests({ client: () => client, send });
    ticketTests(
      () => client,
      () => new Story(),
    );

    test('a search finds words wherever in a conversation they stand', async () => {
      const tea = await told(1, false, 'please order Tée for the office');
      const coffee = await told(1, false, 'please order coffee');
      const found = async (query: string, more = {}) =>
        (await client.listConversations({ query, ...more })).conversations.map((one) => one.head?.id);
      expect(await found('order')).toEqual([coffee.id, tea.id]);
      expect(await found('TEE created')).toEqual([tea.id]);
      expect(await found('tee coffee')).toEqual([]);
      expect(await found('my-test')).toEqual([coffee.id, tea.id]);
      expect(await found('order', { status: views.ConversationStatus.WAITING_APPROVAL })).toEqual([]);
      expect(await found('  ')).toEqual([coffee.id, tea.id]);
      expect(await found('?!')).toEqual([]);
      for (const odd of [
        '"',
        'AND',
        'order OR',
        'NEAR(a b)',
        'words:order',
        '*',
        "'; DROP TABLE events",
        '(((',
        '^order',
      ])
        await expect(found(odd)).resolves.toBeInstanceOf(Array);
      expect(await found('words:order')).toEqual([]);
      const page = await client.listConversations({ query: 'order', limit: 1 });
      expect(page.conversations.map((one) => one.head?.id)).toEqual([coffee.id]);
      expect(await found('order', { limit: 1, cursor: page.nextCursor })).toEqual([tea.id]);
    });

    test('open runs are those that are owned or have work', async () => {
      await told(1, true);
      await told(1);
      const released = await told(1, true);
      await send(released.approved());
      const owned = new Story();
      await send(owned.created());
      await send(owned.asked('hello'));
      const { runs } = await client.listOpenRuns({});
      expect(runs).toMatchObject([
        { conversationId: released.id, runId: released.runId, ownerInstance: '', revision: released.revision },
        { conversationId: owned.id, runId: owned.runId, ownerInstance: 'orchestrator-1', ownerEpoch: 1 },
      ]);
      const first = await client.listOpenRuns({ limit: 1 });
      const second = await client.listOpenRuns({ limit: 1, cursor: first.nextCursor });
      expect([...first.runs, ...second.runs]).toEqual(runs);
      expect(second.nextCursor).toBe('');
    });

    test('a read waits for the revision that it must show', async () => {
      const story = await told(0);
      const read = client.getConversation({ conversationId: story.id, minRevision: 2 });
      await send(story.asked('hello'));
      expect((await read).view?.head?.revision).toBeGreaterThanOrEqual(2);
    });

    test('a stream is read and followed', async () => {
      const story = await told(1);
      const { events, headRevision } = await client.readStream({ stream: story.stream });
      expect([events.length, headRevision]).toEqual([story.revision, story.revision]);
      const followed = [];
      for await (const { event } of client.follow({ stream: story.stream, fromRevision: 3 })) {
        followed.push(event);
        if (followed.length === story.revision - 2) break;
      }
      expect(followed).toEqual(events.slice(2));
      const subscribed = [];
      for await (const { event } of client.subscribe({ streamPrefix: 'conversation-' })) {
        subscribed.push(event);
        if (subscribed.length === story.revision) break;
      }
      expect(subscribed).toEqual(events);
      expect((await client.listStreams({})).streams).toEqual([story.stream]);
    });

    test('heartbeats are kept until their instance leaves', async () => {
      const beat = { instance: 'bridge-1', role: 'mcp-bridge', address: 'here', counter: 1n };
      await client.heartbeat(beat);
      await client.heartbeat({ instance: 'orchestrator-1', role: 'orchestrator', counter: 7n });
      await client.heartbeat({ ...beat, counter: 2n });
      const known = await client.heartbeat({});
      expect(new Map(known.instances.map((one) => [one.instance, one.counter]))).toEqual(
        new Map([
          ['bridge-1', 2n],
          ['orchestrator-1', 7n],
        ]),
      );
      await client.heartbeat({ instance: 'orchestrator-1', leaving: true });
      // One that left may still be named, as one that did.
      expect((await client.heartbeat({})).instances.filter((one) => !one.left)).toHaveLength(1);
    });

    test('deltas reach those who watch, in order, and nobody else', async () => {
      const conversationId = randomUUID();
      const delta = (offset: number) => ({ conversationId, runId: 'r', stepId: 'root', turn: 1, offset, text: 'x' });
      expect((await client.publishDelta({ delta: delta(0) })).watchers).toBe(0);
      const watched: number[] = [];
      const watching = (async () => {
        for await (const one of client.watchDeltas({ conversationId })) {
          watched.push(one.delta?.offset ?? -1);
          if (watched.length === 3) break;
        }
      })();
      await expect.poll(async () => (await client.publishDelta({ delta: delta(1) })).watchers).toBe(1);
      for (let offset = 2; offset < 10; offset++) await client.publishDelta({ delta: delta(offset) });
      await watching;
      expect(watched).toEqual([1, 2, 3]);
      await expect.poll(async () => (await client.publishDelta({ delta: delta(11) })).watchers).toBe(0);
    });

    test('a stream of either kind verifies', async () => {
      const story = await told(3);
      expect(await client.verifyStream({ stream: story.stream })).toMatchObject({
        events: story.revision,
        problems: [],
      });
      const events = eventsOf(fact('toolDefined', { pin: 'p', definitionJson: '{}' }));
      await client.append({ stream: 'tool-p', expectedRevision: 0, events, idempotencyKey: 'k' });
      expect(await client.verifyStream({ stream: 'tool-p' })).toMatchObject({ events: 1, problems: [] });
    });

    test('what is not there is not found', async () => {
      const nowhere = randomUUID();
      await expect(client.getConversation({ conversationId: nowhere })).rejects.toEqual(kind('not_found'));
      await expect(client.getApproval({ approvalId: nowhere })).rejects.toEqual(kind('not_found'));
      for (const by of ['conversationId', 'approvalId'] as const)
        await expect(client.load({ by: { case: by, value: nowhere } })).rejects.toEqual(kind('not_found'));
      expect(await client.readStream({ stream: `conversation-${nowhere}` })).toMatchObject({
        events: [],
        headRevision: 0,
      });
    });

    test('whatever exceeds a bound is refused by name', async () => {
      const story = new Story();
      const sound = story.created();
      const [event] = sound.events;
      const many = (count: number) => Array.from({ length: count }, () => event!);
      const appends: [string, Parameters<StoreClient['append']>[0]][] = [
        ['no events', { ...sound, events: [] }],
        ['too many events', { ...sound, events: many(257) }],
        ['too many bytes', { ...sound, events: [{ ...event!, payload: new Uint8Array(512 * 1024 + 1) }] }],
        ['no key', { ...sound, idempotencyKey: '' }],
        ['a long key', { ...sound, idempotencyKey: 'k'.repeat(201) }],
        ['no stream name', { ...sound, stream: '../etc/passwd' }],
        ['no conversation id', { ...sound, stream: 'conversation-7' }],
        ['no event id', { ...sound, events: [{ ...event!, eventId: 'seven' }] }],
        ['another beginning', { ...sound, events: story.asked('hello').events }],
        ["another conversation's beginning", { ...sound, events: new Story().created().events }],
        ['a newer schema', { ...sound, events: [{ ...event!, schemaVersion: 99 }] }],
      ];
      for (const [what, append] of appends)
        await expect(client.append(append), what).rejects.toEqual(kind('invalid_argument'));
      const bad = kind('invalid_argument');
      await expect(client.listConversations({ limit: 1_001 })).rejects.toEqual(bad);
      await expect(client.listConversations({ query: 'q'.repeat(201) })).rejects.toEqual(bad);
      await expect(client.readStream({ stream: 'x' })).rejects.toEqual(bad);
      await expect(
        client.load({ by: { case: 'conversationId', value: story.id }, idempotencyKeys: Array(9).fill('k') }),
      ).rejects.toEqual(bad);
      const { nextCursor } = await (async () => {
        await told(1, true);
        await told(1, true);
        return client.listApprovals({ limit: 1 });
      })();
      for (const cursor of ['x', 'conversations.1', nextCursor, `${nextCursor}x`, 'a'.repeat(10_000)])
        await expect(client.listConversations({ cursor }), cursor.slice(0, 20)).rejects.toEqual(bad);
    });

    test('an approval id cannot be taken from another conversation', async () => {
      const [mine, other] = [await told(1, true), new Story()];
      await send(other.created());
      await send(other.asked('hello'));
      const stolen = other.stopped(undefined, mine.approvalId);
      await expect(client.append(stolen)).rejects.toEqual(kind('invalid_argument'));
      expect((await client.getApproval({ approvalId: mine.approvalId })).approval?.conversationId).toBe(mine.id);
    });
  });
}
