import { randomUUID } from 'node:crypto';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { askedWords, fact, isAskedOf, userKey } from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { AtHand, StoreClient } from './store-contexts.contract.ts';
import { Story } from './story.ts';

/** What every store must do with lists of approvals. A part of its contract. */
export function approvalTests({ client, send, told }: AtHand): void {
  test('approvals are listed oldest first, by status and conversation, in pages', async () => {
    const stories = [await told(2, true), await told(1), await told(1, true)];
    const ids = async (request: Parameters<StoreClient['listApprovals']>[0]) =>
      (await client().listApprovals(request)).approvals.map((approval) => approval.id);
    expect(await ids({ status: views.ApprovalStatus.PENDING })).toEqual([
      stories[0]?.approvalId,
      stories[2]?.approvalId,
    ]);
    expect(await ids({ status: views.ApprovalStatus.APPROVED, conversationId: stories[0]!.id })).toHaveLength(1);
    expect(await ids({ conversationId: stories[0]!.id })).toHaveLength(2);
    expect(await ids({ conversationId: randomUUID() })).toEqual([]);
    const all = await ids({});
    const page = await client().listApprovals({ limit: 3 });
    const rest = await client().listApprovals({ limit: 3, cursor: page.nextCursor });
    expect([...page.approvals, ...rest.approvals].map((approval) => approval.id)).toEqual(all);
    expect([all.length, rest.nextCursor]).toEqual([4, '']);
  });

  test('what people were asked in a run is found without what policy decided, and what other runs asked', async () => {
    const story = await told(3);
    await send(story.asked('once more'));
    const { runId } = story;
    const byPolicy = randomUUID();
    const approval = { runId, approvalId: byPolicy, stepId: 'root', callId: 'root#1.0', tool: 'add_resource' };
    await send(
      story.append(
        fact('approvalRequested', { ...approval, kind: facts.ApprovalKind.TOOL, choices: ['approve', 'reject'] }),
        fact('approvalResolved', { ...approval, decision: facts.Decision.APPROVED, byPolicy: true }),
      ),
    );
    await send(story.stopped());
    const asked = async (askedInRun: string, conversationId = story.id) =>
      (await client().listApprovals({ conversationId, askedInRun, limit: 1 })).approvals.map(({ id }) => id);
    expect(await asked(runId)).toEqual([story.approvalId]);
    expect(await asked(randomUUID())).toEqual([]);
    expect(await asked(runId, (await told(1)).id)).toEqual([]);
    expect((await client().verifyStream({ stream: story.stream })).problems).toEqual([]);
    for (const request of [{ status: views.ApprovalStatus.PENDING, conversationId: story.id }, {}])
      await expect(client().listApprovals({ ...request, askedInRun: runId })).rejects.toMatchObject({
        kind: 'invalid_argument',
      });
  });

  test('lists of approvals are narrowed and counted, and those that ask somebody are found, as by looking at all of them', async () => {
    const names = ['a', 'b', 'c'];
    const agents = new Map<string, string>();
    const at = Date.now();
    const who = (case_: 'user' | 'role' | 'group', value: string) => ({ who: { case: case_, value } });
    const demands = [
      undefined,
      { approvers: [who('group', 'finance'), who('role', 'ADMIN')] },
      { approvers: [who('user', 'Ana@example.com')] },
      { approvers: [who('role', 'user')], notRequester: true },
      {
        approvers: [who('group', 'finance')],
        escalations: [{ at: timestampFromMs(at - 1), approvers: [who('group', 'ops')] }],
      },
      {
        approvers: [who('user', 'x')],
        escalations: [{ at: timestampFromMs(at + 3_600_000), approvers: [who('group', 'ops')] }],
      },
      { approvers: [], votes: 2 },
      { approvers: [who('role', 'user')], votes: 3, onExpiry: facts.OnExpiry.LEAVE },
      { approvers: [], votes: 1, onExpiry: facts.OnExpiry.REJECT },
      { approvers: [], notRequester: true, authors: ['user:ana', 'user:x'] },
      {
        approvers: [who('group', 'finance')],
        escalations: [{ at: timestampFromMs(at + 3_600_000), approvers: [who('group', 'finance')] }],
      },
    ];
    const requesters = ['user:ana', 'user:bob', ''];
    for (let n = 0; n < 42; n++) {
      const story = new Story();
      const principal = `user:${n % 3 === 0 ? 'ana' : 'bob'}`;
      await send(story.created('', { principal, agentName: n % 4 === 0 ? 'cleaner' : 'demo' }));
      agents.set(story.id, n % 4 === 0 ? 'cleaner' : 'demo');
      await send(story.asked('go', requesters[n % 3] ?? ''));
      const demand = demands[n % demands.length];
      const expiresAt = (demand?.onExpiry ?? 0) === 0 ? undefined : at + (n % 4 < 2 ? -1 : 3_600_000);
      await send(story.waitsFor(names[n % 3]!, names[(n >> 1) % 3]!, demand, expiresAt));
      if ((demand?.votes ?? 0) > 1) await send(story.voted('user:ana'));
      // The one that follows is then the last.
      if (n % 5 === 0 && (demand?.votes ?? 0) > 2) await send(story.voted('user:zoe'));
      for (const key of [['user:bob'], ['user:ana', 'user:bob'], ['user:ana', undefined], []][n % 4]!)
        await send(story.assigned(key));
      if (n % 5 === 0) await send(story.approved());
    }
    const list = async (request: Parameters<StoreClient['listApprovals']>[0], limit = 4) => {
      const found: views.Approval[] = [];
      let cursor = '';
      do {
        const page = await client().listApprovals({ ...request, limit, cursor });
        found.push(...page.approvals);
        cursor = page.nextCursor;
      } while (cursor !== '');
      return found;
    };
    const all = await list({});
    expect(all).toHaveLength(42);
    const ids = (some: readonly views.Approval[]) => some.map(({ id }) => id);
    const pending = views.ApprovalStatus.PENDING;
    const requestedBefore = all[20]!.requestedAt!;
    for (const status of [views.ApprovalStatus.UNSPECIFIED, pending])
      for (const tool of ['', 'a', 'none'])
        for (const node of ['', 'b'])
          for (const before of [undefined, requestedBefore])
            expect(ids(await list({ status, tool, node, ...(before && { requestedBefore: before }) }))).toEqual(
              ids(
                all.filter(
                  (one) =>
                    (status !== pending || one.status === status) &&
                    (tool === '' || one.tool === tool) &&
                    (node === '' || one.node === node) &&
                    (before === undefined || timestampMs(one.requestedAt!) < timestampMs(before)),
                ),
              ),
            );
    expect(await list({ server: 'none' })).toEqual([]);
    const agentOf = ({ conversationId }: views.Approval) => agents.get(conversationId) ?? '';
    for (const status of [views.ApprovalStatus.UNSPECIFIED, pending]) {
      const some = all.filter((one) => status !== pending || one.status === status);
      for (const agent of ['cleaner', 'demo', 'none'])
        expect(ids(await list({ status, agent }))).toEqual(ids(some.filter((one) => agentOf(one) === agent)));
      for (const [toolPattern, matching] of [
        ['*', 'abc'],
        ['?', 'abc'],
        ['*b*', 'b'],
        ['[ab]', ''],
        ['??*', ''],
      ] as const)
        expect(ids(await list({ status, toolPattern }))).toEqual(
          ids(some.filter(({ tool }) => matching.includes(tool))),
        );
    }
    const isOverdue = ({ status, demand, expiresAt }: views.Approval, now = at) =>
      status === pending && demand?.onExpiry === facts.OnExpiry.LEAVE && timestampMs(expiresAt!) <= now;
    const later = at + 3_600_000;
    expect([at, later].map((now) => all.filter((one) => isOverdue(one, now)).length)).toEqual([1, 3]);
    for (const now of [at, later])
      expect(ids(await list({ overdueAt: timestampFromMs(now) }))).toEqual(
        ids(all.filter((one) => isOverdue(one, now))),
      );
    await expect(
      client().listApprovals({ overdueAt: timestampFromMs(at), status: views.ApprovalStatus.APPROVED }),
    ).rejects.toMatchObject({ kind: 'invalid_argument' });
    expect(await list({ server: 'resources' })).toHaveLength(42);

    const people = [
      ['USER', []],
      ['USER', ['finance']],
      ['USER', ['ops', 'finance']],
      ['ADMIN', ['ops']],
    ] as const;
    const owners = new Map<string, string>();
    for (const { conversationId } of all)
      owners.set(conversationId, (await client().getConversation({ conversationId })).view!.head!.principal);
    const waiting = all.filter(({ status }) => status === pending);
    for (const principal of ['', 'user:ana', 'user:bob', 'user:eve', 'anonymous']) {
      const some = waiting.filter(
        ({ conversationId }) => !principal.startsWith('user:') || owners.get(conversationId) === principal,
      );
      for (const now of [at, later])
        expect(await client().countApprovals({ principal, at: timestampFromMs(now) })).toMatchObject({
          ...{ waiting: some.length, overdue: some.filter((one) => isOverdue(one, now)).length, asked: 0 },
        });
    }
    const assigneeOf = ({ assignment }: views.Approval) => assignment?.assignee?.key ?? '';
    const assignedTo = (key: string) => waiting.filter((one) => assigneeOf(one) === key);
    expect(['user:bob', 'user:ana', ''].map((key) => assignedTo(key).length)).toEqual([17, 0, 16]);
    const unassigned = { assignment: { case: 'unassigned', value: true } } as const;
    expect(ids(await list(unassigned))).toEqual(ids(assignedTo('')));
    for (const assignee of ['user:bob', 'user:ana']) {
      const assignment = { case: 'assignee', value: assignee } as const;
      for (const tool of ['', 'a'])
        expect(ids(await list({ assignment, tool }))).toEqual(
          ids(assignedTo(assignee).filter((one) => tool === '' || one.tool === tool)),
        );
      expect((await client().countApprovals({ assignee })).assigned).toBe(assignedTo(assignee).length);
      const settled = { assignment, status: views.ApprovalStatus.APPROVED };
      await expect(client().listApprovals(settled)).rejects.toMatchObject({ kind: 'invalid_argument' });
    }
    for (const id of ['ana', 'bob'])
      for (const [role, groups] of people) {
        const email = `${id}@example.com`;
        const person = { kind: 'user', id, email, name: id, role, groups, via: 'token' } as const;
        const key = userKey(id);
        const may = (one: views.Approval): boolean => {
          const out = one.demand?.notRequester === true ? [one.requester, ...one.demand.authors] : [];
          if (out.includes('') || out.includes(key)) return false;
          const isNamed = (one.demand?.approvers.length ?? 0) > 0;
          return isNamed ? isAskedOf(one, person, at) : role === 'ADMIN' || owners.get(one.conversationId) === key;
        };
        const askedOf = { words: [...askedWords(person)], principal: key, at: timestampFromMs(at) };
        const left = { ...askedOf, withoutVoted: true };
        const expected = all.filter((one) => one.status === pending && may(one));
        expect(expected.length).toBeGreaterThan(1);
        for (const limit of [1, 4, 100]) expect(ids(await list({ askedOf }, limit))).toEqual(ids(expected));
        const mine = expected.filter((one) => assigneeOf(one) === 'user:bob');
        const assignment = { case: 'assignee', value: 'user:bob' } as const;
        expect(mine.length < assignedTo('user:bob').length).toBe(true);
        expect(ids(await list({ askedOf, assignment }))).toEqual(ids(mine));
        expect((await client().countApprovals({ askedOf, assignee: 'user:bob' })).assigned).toBe(mine.length);
        const toSay = expected.filter(({ votes }) => !votes.some(({ voter }) => voter?.key === key));
        expect(toSay.length < expected.length).toBe(id === 'ana');
        expect(ids(await list({ askedOf: left }))).toEqual(ids(toSay));
        expect((await client().countApprovals({ askedOf, principal: 'user:eve' })).asked).toBe(expected.length);
        expect(await client().countApprovals({ askedOf: left })).toMatchObject({
          ...{ asked: toSay.length, waiting: waiting.length, overdue: 0 },
        });
        for (const pattern of ['a', 'a*'])
          expect(ids(await list({ askedOf, toolPattern: pattern, agent: 'demo' }))).toEqual(
            ids(expected.filter((one) => one.tool === 'a' && agentOf(one) === 'demo')),
          );
        expect(ids(await list({ askedOf, tool: 'a', status: pending }))).toEqual(
          ids(expected.filter(({ tool }) => tool === 'a')),
        );
      }
    for (const { conversationId } of all.slice(0, 9))
      expect((await client().verifyStream({ stream: `conversation-${conversationId}` })).problems).toEqual([]);
    const askedOf = { words: ['anybody'], principal: 'user:ana' };
    for (const wrong of [{ conversationId: all[0]!.conversationId }, { status: views.ApprovalStatus.APPROVED }])
      await expect(client().listApprovals({ askedOf, ...wrong })).rejects.toMatchObject({ kind: 'invalid_argument' });
    const words = Array.from({ length: 2_201 }, String);
    for (const refused of [
      client().listApprovals({ askedOf: { words } }),
      client().countApprovals({ askedOf: { words } }),
    ])
      await expect(refused).rejects.toMatchObject({ kind: 'invalid_argument' });
  });
}
