import { randomUUID } from 'node:crypto';
import { fact } from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { AtHand, StoreClient } from './store-contexts.contract.ts';

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
}
