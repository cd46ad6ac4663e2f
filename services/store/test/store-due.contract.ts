import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { fact } from '@stopgo/core';
import { facts, type store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

/** What the tests of {@link storeContract} have at hand. */
type AtHand = {
  readonly client: () => StoreClient;
  readonly send: (append: Parameters<StoreClient['append']>[0]) => Promise<unknown>;
};

/** A conversation with a question that is waited for until a time, in milliseconds since 1970. */
class Asking extends Story {
  asks(dueAt: number, inputId = `input of ${this.runId}`) {
    const { runId } = this;
    const call = { stepId: 'root', callId: 'root#1.0' };
    const serverQuestion = {
      id: 'q',
      attempt: 1,
      bridgeInstance: 'bridge-1',
      server: 'resources',
      tool: 'add_resource',
    };
    const kind = facts.InputKind.INPUT;
    const due = timestampFromMs(dueAt);
    return this.append(
      fact('inputRequested', { runId, ...call, inputId, kind, prompt: '?', serverQuestion, dueAt: due }),
    );
  }

  expired(inputId = `input of ${this.runId}`) {
    const { runId } = this;
    return this.append(
      fact('inputWithdrawn', { runId, inputId, callId: 'root#1.0', reason: 'nobody answered in time' }),
    );
  }
}

/** What every store must do with runs of which something is due at a time. A part of its contract. */
export function dueTests({ client, send }: AtHand): void {
  const idsBy = async (dueBy?: number, page: { limit?: number; cursor?: string } = {}) => {
    const due = dueBy === undefined ? {} : { dueBy: timestampFromMs(dueBy) };
    const { runs, nextCursor } = await client().listOpenRuns({ ...page, ...due });
    return { ids: runs.map(({ conversationId }) => conversationId), runs, nextCursor };
  };

  /** Nobody drives it: its call waits for an approval. */
  async function released(dueAt: number): Promise<Asking> {
    const story = new Asking();
    for (const append of [story.created(), story.asked('go'), story.stopped(), story.asks(dueAt)]) await send(append);
    return story;
  }

  test('a run that nobody needs to drive is listed from when something of it is due, until that is on the record', async () => {
    const [later, sooner] = [await released(2_000), await released(1_000)];
    expect((await idsBy()).ids).toEqual([]);
    expect((await idsBy(999)).ids).toEqual([]);
    expect((await idsBy(1_000)).runs).toMatchObject([
      { conversationId: sooner.id, runId: sooner.runId, ownerInstance: '', revision: sooner.revision },
    ]);
    const both = await idsBy(2_000);
    expect(both.ids).toEqual([later.id, sooner.id]);
    const first = await idsBy(2_000, { limit: 1 });
    const second = await idsBy(2_000, { limit: 1, cursor: first.nextCursor });
    expect([...first.runs, ...second.runs]).toEqual(both.runs);
    expect(second.nextCursor).toBe('');
    await send(sooner.expired());
    expect((await idsBy(2_000)).ids).toEqual([later.id]);
    for (const { stream } of [later, sooner])
      expect(await client().verifyStream({ stream })).toMatchObject({ problems: [] });
  });

  test('what is due first of several is what counts, and is shown', async () => {
    const story = await released(2_000);
    await send(story.asks(1_000, 'another'));
    const shown = async () => {
      const { view } = await client().getConversation({ conversationId: story.id, minRevision: story.revision });
      return view?.head?.dueAt && timestampMs(view.head.dueAt);
    };
    expect((await idsBy(1_000)).ids).toEqual([story.id]);
    expect(await shown()).toBe(1_000);
    await send(story.expired('another'));
    expect((await idsBy(1_999)).ids).toEqual([]);
    expect(await shown()).toBe(2_000);
  });

  test('a run that somebody drives is listed once, whatever is due of it, and not at all once it has ended', async () => {
    const story = new Asking();
    for (const append of [story.created(), story.asked('go'), story.stopped(), story.approved(), story.started()])
      await send(append);
    await send(story.asks(1_000));
    for (const by of [undefined, 999, 1_000]) expect((await idsBy(by)).ids).toEqual([story.id]);
    await send(story.append(fact('runCanceled', { runId: story.runId, reason: 'enough' })));
    expect((await idsBy(2_000)).ids).toEqual([]);
    expect(await client().verifyStream({ stream: story.stream })).toMatchObject({ problems: [] });
  });
}
