import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { askedWords, fact, userKey } from '@stopgo/core';
import { facts, store, views } from '@stopgo/proto';
import { expect, onTestFinished, test } from 'vitest';
import type { AtHand, StoreClient } from './store-contexts.contract.ts';
import { Story } from './story.ts';

type Asked = Parameters<StoreClient['watchApprovals']>[0];

const nameOf = (change: store.ApprovalChange): string =>
  Object.entries(store.ApprovalChange).find(([, value]) => value === change)?.[0] ?? '';

/** What every store must do with changes of approvals. A part of its contract. */
export function watchApprovalTests({ client, send, told }: AtHand): void {
  /** Watches, and gives one message after the other. */
  function watch(asked: Asked) {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const messages = client().watchApprovals(asked, { signal: leaving.signal })[Symbol.asyncIterator]();
    const next = async () => (await messages.next()).value as store.WatchApprovalsResponse;
    const changes = async (count: number) => {
      const found: string[] = [];
      while (found.length < count) {
        const { change, approval } = await next();
        if (approval !== undefined) found.push(`${nameOf(change)} ${approval.id}`);
      }
      return found;
    };
    return { next, changes, leave: () => leaving.abort() };
  }

  const quorum = { votes: 2, approvers: [{ who: { case: 'group', value: 'finance' } as const }] };

  /** A conversation in which somebody is asked, votes, takes it, and decides. */
  async function decided(principal = '', demand: Parameters<Story['waitsFor']>[2] | 'none' = quorum) {
    const story = new Story();
    await send(story.created('', { principal }));
    await send(story.asked('go', principal));
    await send(story.waitsFor('pay', 'payer', demand === 'none' ? undefined : demand));
    const { approvalId: id } = story;
    await send(story.assigned('user:bob'));
    await send(story.voted('user:ana'));
    await send(story.approved());
    return { story, changes: ['ASKED', 'ASSIGNED', 'VOTED', 'SETTLED'].map((change) => `${change} ${id}`) };
  }

  test('changes of approvals come in the order of the log, after any of them and from now on', async () => {
    const [before, after] = [await decided(), await decided()];
    const all = [...before.changes, ...after.changes];
    const early = watch({ begin: { case: 'afterPosition', value: 0n } });
    expect(await early.next()).toMatchObject({ position: 0n, change: 0 });
    const positions: bigint[] = [];
    for (const expected of all) {
      const { position, change, approval, actor, time } = await early.next();
      expect(`${nameOf(change)} ${approval?.id}`).toBe(expected);
      expect([approval?.status, actor?.id]).toEqual([views.ApprovalStatus.APPROVED, 'ann']);
      expect(time).toBeDefined();
      positions.push(position);
    }
    expect(positions).toEqual([...positions].sort((a, b) => Number(a - b)));
    // Whoever goes on after any of them misses nothing, and is told nothing again.
    for (const [index, value] of positions.entries()) {
      const resumed = watch({ begin: { case: 'afterPosition', value } });
      expect((await resumed.next()).position).toBe(value);
      expect(await resumed.changes(all.length - index - 1)).toEqual(all.slice(index + 1));
      resumed.leave();
    }
    const live = watch({ begin: { case: 'now', value: true } });
    expect((await live.next()).position).toBeGreaterThanOrEqual(positions.at(-1)!);
    const { changes } = await decided();
    expect(await live.changes(4)).toEqual(changes);
    expect(await early.changes(4)).toEqual(changes);
    const beyond = watch({ begin: { case: 'afterPosition', value: 2n ** 50n } });
    await expect(beyond.next()).rejects.toMatchObject({ kind: 'invalid_argument' });
  });

  test('what a run leaves pending at its end is settled, and said once', async () => {
    const story = await told(1, true);
    const live = watch({ begin: { case: 'now', value: true } });
    await live.next();
    await send(story.append(fact('runCanceled', { runId: story.runId })));
    const next = await told(1, true);
    expect(await live.changes(2)).toEqual([`SETTLED ${story.approvalId}`, `ASKED ${next.approvalId}`]);
    const { WITHDRAWN } = facts.Decision;
    const withdrawn = fact('approvalResolved', { runId: next.runId, approvalId: next.approvalId, decision: WITHDRAWN });
    await send(next.append(withdrawn, fact('runCanceled', { runId: next.runId })));
    const last = await told(1, true);
    expect(await live.changes(2)).toEqual([`SETTLED ${next.approvalId}`, `ASKED ${last.approvalId}`]);
    // A step that is ended takes what is pending below it with it, as a run does.
    await send(last.append(fact('stepCanceled', { runId: last.runId, stepId: 'root', text: 'Ended.' })));
    expect(await live.changes(1)).toEqual([`SETTLED ${last.approvalId}`]);
  });

  test('of many changes that pass by, whoever watches for others is told how far the log was looked at', async () => {
    const live = watch({ filter: { tool: 'none' }, begin: { case: 'now', value: true } });
    const { position } = await live.next();
    let sent = 0;
    while (sent < 300) sent += (await told(9)).revision;
    const further = await live.next();
    expect([further.change, further.position > position]).toEqual([0, true]);
  });

  test('changes are narrowed as the list is, to what somebody owns or may decide', async () => {
    const at = Date.now();
    const ana = await decided('user:ana');
    const bob = await decided('user:bob', { ...quorum, notRequester: true });
    const eve = await decided('user:eve', 'none');
    const someone = (id: string, role: 'USER' | 'ADMIN', groups: readonly string[] = []) => {
      const person = { kind: 'user', id, email: `${id}@x.example`, name: id, role, groups, via: 'token' } as const;
      return { words: [...askedWords(person)], principal: userKey(id), at: timestampFromMs(at), withoutVoted: true };
    };
    // An approval behind all others ends each of these.
    const last = new Story();
    await send(last.created('', { principal: 'user:ana' }));
    await send(last.asked('go', 'user:ana'));
    await send(
      last.waitsFor('last', 'last', {
        approvers: ['ana', 'bob', 'eve'].map((name) => ({
          who: { case: 'user', value: `${name}@x.example` } as const,
        })),
      }),
    );
    const end = `ASKED ${last.approvalId}`;
    const found = async (filter: NonNullable<Asked['filter']>, isLastToo = true) => {
      const watching = watch({ filter, begin: { case: 'afterPosition', value: 0n } });
      const changes: string[] = [];
      if (!isLastToo) return watching.changes(4);
      do changes.push(...(await watching.changes(1)));
      while (changes.at(-1) !== end);
      watching.leave();
      return changes.slice(0, -1);
    };
    expect(await found({})).toEqual([...ana.changes, ...bob.changes, ...eve.changes]);
    expect(await found({ principal: 'user:ana' })).toEqual(ana.changes);
    expect(await found({ principal: 'user:bob', conversationId: last.id })).toEqual([]);
    expect(await found({ askedOf: someone('ana', 'USER', ['finance']) })).toEqual([...ana.changes, ...bob.changes]);
    expect(await found({ askedOf: someone('bob', 'USER', ['finance']) })).toEqual(ana.changes);
    // What is somebody's own and what asks them, each once, where both are named.
    const bobs = { principal: 'user:bob', askedOf: someone('bob', 'USER', ['finance']) };
    expect(await found(bobs)).toEqual([...ana.changes, ...bob.changes]);
    expect(await found({ ...bobs, principal: 'user:eve' })).toEqual([...ana.changes, ...eve.changes]);
    expect(await found({ toolPattern: 'l?s*' })).toEqual([]);
    expect(await found({ askedOf: someone('eve', 'USER') })).toEqual(eve.changes);
    const pending = views.ApprovalStatus.PENDING;
    expect(await found({ status: pending, principal: 'user:ana' })).toEqual(ana.changes.slice(0, 3));
    const assigned = { assignment: { case: 'unassigned', value: true } } as const;
    expect(await found({ ...assigned, principal: 'user:ana' })).toEqual([ana.changes[1]]);
    for (const filter of [
      { tool: 'pay' },
      { node: 'payer' },
      { toolPattern: 'p*y', agent: 'demo' },
      { requestedBefore: timestampFromMs(at + 60_000), tool: 'pay' },
    ])
      expect(await found(filter, false)).toEqual(ana.changes);
    for (const filter of [
      { status: views.ApprovalStatus.APPROVED, principal: 'user:ana' },
      { conversationId: ana.story.id, status: views.ApprovalStatus.APPROVED },
    ]) {
      const watching = watch({ filter, begin: { case: 'afterPosition', value: 0n } });
      expect(await watching.changes(1)).toEqual(ana.changes.slice(3));
    }
    for (const filter of [
      { overdueAt: timestampFromMs(at) },
      { askedInRun: 'x', conversationId: last.id },
      { askedOf: someone('ana', 'USER'), conversationId: last.id },
    ])
      await expect(watch({ filter, begin: { case: 'now', value: true } }).next()).rejects.toMatchObject({
        kind: 'invalid_argument',
      });
  });
}
