import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { type store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Story } from './story.ts';

export type StoreClient = Client<typeof store.StoreService>;

/** What the tests of {@link storeContract} have at hand. */
export type AtHand = {
  readonly client: () => StoreClient;
  readonly send: (append: Parameters<StoreClient['append']>[0]) => Promise<unknown>;
  /** A conversation with so many turns, the last of them still waiting for its approval if so wished. */
  readonly told: (turns?: number, waiting?: boolean, text?: string) => Promise<Story>;
};

/** What every store must do with contexts, and with lists of conversations by what they are. A part of its contract. */
export function contextTests({ client, send, told }: AtHand): void {
  test('conversations are listed by their last change; every page is full, and each is shown once', async () => {
    const stories: Story[] = [];
    for (let n = 0; n < 9; n++) stories.push(await told(1, n % 3 === 0));
    const first = stories[0]!;
    await send(first.approved());
    const [waits, late] = [stories[3]!, stories[6]!];
    const list = async (filter: Parameters<StoreClient['listByChange']>[0], limit = 2) => {
      const ids: string[] = [];
      const sizes: number[] = [];
      let [cursor, matching] = ['', 0];
      do {
        const page = await client().listByChange({ ...filter, limit, cursor });
        ids.push(...page.conversations.map(({ head }) => head?.id ?? ''));
        sizes.push(page.conversations.length);
        ({ nextCursor: cursor, matching } = page);
      } while (cursor !== '');
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
      expect(ids).toHaveLength(matching);
      return ids;
    };
    const { conversations } = await client().listByChange({});
    const changes = conversations.map(({ head }) => timestampMs(head!.updatedAt!));
    expect(changes).toEqual([...changes].sort((a, b) => b - a));
    const all = await list({});
    expect([...all].sort()).toEqual(stories.map(({ id }) => id).sort());
    expect(all).toEqual(conversations.map(({ head }) => head?.id));
    expect(await list({}, 1)).toEqual(all);
    expect(all.indexOf(first.id)).toBeLessThan(all.indexOf(stories[1]!.id));

    const { Standing } = views;
    expect((await list({ standing: Standing.WAITING }, 1)).sort()).toEqual([waits.id, late.id].sort());
    expect(await list({ standing: Standing.WORKING })).toEqual([first.id]);
    expect(await list({ standing: Standing.COMPLETED }, 4)).toHaveLength(6);
    expect(await list({ standing: Standing.FAILED })).toEqual([]);
    const changedSince = conversations[2]!.head!.updatedAt!;
    const since = await list({ changedSince });
    expect(since).toEqual(all.filter((_, n) => changes[n]! >= timestampMs(changedSince)));
    expect(await list({ changedSince, standing: Standing.WORKING })).toEqual([first.id]);
    const { nextCursor } = await client().listConversations({ limit: 1 });
    for (const cursor of [
      'x',
      nextCursor,
      ...['changes.1', 'changes.1.2.3', 'changes.-1.x'].map((text) => Buffer.from(text).toString('base64url')),
      'a'.repeat(1_000),
    ])
      await expect(client().listByChange({ cursor }), cursor.slice(0, 20)).rejects.toMatchObject({
        kind: 'invalid_argument',
      });
  });

  test('conversations that changed at the same time are told apart, by age', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const story = new Story();
      const created = story.created();
      await send({ ...created, events: created.events.map((event) => ({ ...event, time: timestampFromMs(1_000) })) });
      ids.unshift(story.id);
    }
    const listed: string[] = [];
    let cursor = '';
    do {
      const page = await client().listByChange({ limit: 1, cursor });
      listed.push(page.conversations[0]?.head?.id ?? '');
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(listed).toEqual(ids);
  });

  test('a context holds the conversations that one principal created in it, and what was said there', async () => {
    const contextId = 'our context';
    const mine = await told(2, false, 'the first');
    const inContext = async (principal: string, text: string, context = contextId) => {
      const story = new Story();
      await send(story.created('Be helpful.', { contextId: context, principal }));
      for (const append of story.turn(text)) await send(append);
      return story;
    };
    const one = await inContext('', 'the second');
    await inContext('member', 'of somebody else');
    await inContext('', 'elsewhere', 'another context');
    const two = await inContext('anonymous', 'the third');
    const listed = async (context: string, principal: string) => {
      const { conversations, matching } = await client().listByChange({ contextId: context, principal });
      expect(conversations).toHaveLength(matching);
      return conversations.map(({ head }) => head?.id);
    };
    expect((await listed(contextId, 'anonymous')).sort()).toEqual([one.id, two.id].sort());
    expect(await listed(contextId, 'member')).toHaveLength(1);
    expect(await listed(contextId, 'stranger')).toEqual([]);
    // Of no context but its own, which has its name.
    expect(await listed(mine.id, 'anonymous')).toEqual([mine.id]);

    const read = async (id: string, textsMax = 100, bytesMax = 100_000, principal = 'anonymous') => {
      const said = await client().readContext({ contextId: id, principal, textsMax, bytesMax });
      return [...said.texts.map(({ byUser, text }) => `${byUser ? 'u' : 'a'} ${text}`), said.leftOut];
    };
    const done = 'a I created my-test with the value 42.';
    expect(await read(contextId)).toEqual(['u the second', done, 'u the third', done, false]);
    expect(await read(contextId, 3)).toEqual([done, 'u the third', done, true]);
    expect(await read(contextId, 100, 36 + 9)).toEqual(['u the third', done, true]);
    expect(await read(contextId, 100, 100, 'stranger')).toEqual([false]);
    expect(await read(mine.id)).toEqual(['u the first', done, 'u the first', done, false]);
    expect(await read('unheard of')).toEqual([false]);
    const { texts } = await client().readContext({ contextId, principal: 'anonymous', textsMax: 9, bytesMax: 999 });
    expect(texts.map(({ conversationId }) => conversationId)).toEqual([one.id, one.id, two.id, two.id]);
    expect((await client().verifyStream({ stream: two.stream })).problems).toEqual([]);
  });
}
