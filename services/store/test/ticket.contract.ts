import { fact, sha256Hex } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import type { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;
type Append = Parameters<StoreClient['append']>[0];

/** What a tool bridge is shown of the call that it is to make. */
export function ticketTests(client: () => StoreClient, newStory: () => Story): void {
  const callId = 'root#1.0';

  /** The story, up to `parts` of the six appends of its turn; each is acknowledged before the next. */
  async function told(parts: number): Promise<Story> {
    const story = newStory();
    await send(story.created());
    const appends = story.turn();
    for (let part = 0; part < parts; part += 1) await send(appends.next().value!);
    return story;
  }

  async function send(append: Append): Promise<void> {
    const { outcome } = await client().append(append);
    expect(outcome.case).toBe('appended');
  }

  async function ticket({ id, runId }: Story, other: Partial<store.ReadTicketRequest> = {}) {
    return (await client().readTicket({ conversationId: id, runId, callId, ...other })).ticket;
  }

  test('a ticket follows its call through the log: pending, approved, started, over', async () => {
    const states: unknown[] = [];
    for (const parts of [1, 2, 3, 4, 5]) {
      const shown = await ticket(await told(parts));
      states.push(shown && [shown.state, shown.approval?.decision, shown.attempt, shown.bridgeInstance]);
    }
    const { CLOSED, READY, STARTED } = store.TicketState;
    const { UNSPECIFIED, APPROVED } = facts.Decision;
    expect(states).toEqual([
      undefined,
      [CLOSED, UNSPECIFIED, 0, ''],
      [READY, APPROVED, 0, ''],
      [STARTED, APPROVED, 1, 'bridge-1'],
      [CLOSED, APPROVED, 1, 'bridge-1'],
    ]);
  });

  test('tickets of several calls are read together, in their order', async () => {
    const [one, other] = [await told(4), await told(2)];
    const calls = [one, other].map(({ id, runId }) => ({ conversationId: id, runId, callId }));
    const { answers } = await client().readTickets({ calls: [...calls, { ...calls[0], callId: 'other' }] });
    expect(answers.map(({ ticket: shown }) => shown?.state)).toEqual([
      store.TicketState.STARTED,
      store.TicketState.CLOSED,
      undefined,
    ]);
    const many = Array.from({ length: 65 }, () => calls[0]!);
    for (const wrong of [[], many])
      await expect(client().readTickets({ calls: wrong })).rejects.toMatchObject({ kind: 'invalid_argument' });
    expect((await client().readTickets({ calls: many.slice(1) })).answers).toHaveLength(64);
  });

  test('a ticket names tool, pin and digest of its call, and what its approval is bound to', async () => {
    const story = await told(4);
    expect(await ticket(story)).toMatchObject({
      server: 'resources',
      tool: 'add_resource',
      pin: sha256Hex('pin'),
      digest: sha256Hex('call'),
      approval: { id: story.approvalId, digest: sha256Hex('call'), byPolicy: false, void: false },
    });
  });

  test('there is no ticket for another conversation, run or call, nor once the run is over', async () => {
    const [story, other] = [await told(4), await told(4)];
    expect(await ticket(story, { conversationId: other.id })).toBeUndefined();
    expect(await ticket(story, { runId: other.runId })).toBeUndefined();
    for (const name of ['root#1.1', 'root#2.0', '', 'constructor', '__proto__'])
      expect(await ticket(story, { callId: name })).toBeUndefined();
    expect(await ticket(story, { conversationId: 'nowhere' })).toBeUndefined();
    await send(story.append(fact('runCanceled', { runId: story.runId, reason: 'enough' })));
    expect(await ticket(story)).toBeUndefined();
    expect(await ticket(await told(6))).toBeUndefined();
  });

  test('an approval whose id was taken for another call stands for nothing', async () => {
    const story = await told(4);
    const { runId, approvalId } = story;
    const asked = {
      runId,
      stepId: 'root',
      callId: 'root#1.9',
      kind: facts.ApprovalKind.TOOL,
      digest: sha256Hex('call'),
    };
    await send(story.append(fact('approvalRequested', { ...asked, approvalId, choices: ['approve'] })));
    expect(await ticket(story)).toMatchObject({ state: store.TicketState.STARTED });
    expect((await ticket(story))?.approval).toBeUndefined();
  });

  test('an approval that was voided does not stand for its call any more, nor does one that is pending', async () => {
    const story = await told(4);
    const { runId, approvalId } = story;
    const refused = { runId, stepId: 'root', callId, attempt: 1, reason: facts.RefusalReason.PIN_CHANGED };
    const asked = { runId, stepId: 'root', callId, kind: facts.ApprovalKind.TOOL, digest: sha256Hex('other') };
    await send(story.append(fact('toolCallRefused', { ...refused, pin: 'p', digest: sha256Hex('other') })));
    expect(await ticket(story)).toMatchObject({ state: store.TicketState.READY, digest: sha256Hex('other') });
    expect((await ticket(story))?.approval).toBeUndefined();
    const again = 'a0000000-0000-4000-8000-000000000001';
    await send(story.append(fact('approvalRequested', { ...asked, approvalId: again, choices: ['approve'] })));
    expect(await ticket(story)).toMatchObject({
      state: store.TicketState.CLOSED,
      approval: { id: again, digest: sha256Hex('other'), decision: facts.Decision.UNSPECIFIED },
    });
    expect((await client().getApproval({ approvalId })).approval?.void).toBe(true);
  });
}
