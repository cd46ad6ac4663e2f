import { fact, sha256Hex } from '@stopgo/core';
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

/** A conversation whose call is delegated to another agent, each call gives the next append of its stream. */
class Delegating extends Story {
  private readonly place = { stepId: 'root', callId: 'root#1.0', attempt: 1 };
  private readonly task = { id: 'task-1', state: 'input-required' };

  delegated() {
    const { runId } = this;
    const digest = sha256Hex('call');
    const call = { callId: 'root#1.0', tool: 'a2a_other', agent: 'other', argumentsJson: '{"message":"go"}', digest };
    const disposition = facts.Disposition.ALLOWED;
    return this.append(
      fact('modelResponded', { runId, stepId: 'root', turn: 1, calls: [{ ...call, disposition }], model: 'offline' }),
      fact('delegationStarted', { runId, ...this.place, agent: 'other', messageId: 'm', contextId: 'c' }),
    );
  }

  asks(key = 'q1') {
    const { runId, place, task } = this;
    const request = { runId, stepId: 'root', callId: 'root#1.0', tool: 'a2a_other', approvalId: `${runId} ${key}` };
    const question = { key, taskId: task.id, agent: 'other', approvalId: key };
    return this.append(
      fact('delegationAsked', { runId, ...place, task, keys: [key] }),
      fact('approvalRequested', {
        ...request,
        kind: facts.ApprovalKind.PROXY,
        question,
        choices: ['approve', 'reject'],
      }),
      fact('runReleased', { runId }),
    );
  }

  decided(key = 'q1') {
    const { runId } = this;
    const decision = facts.Decision.APPROVED;
    return this.append(
      fact('approvalResolved', { runId, approvalId: `${runId} ${key}`, decision, callId: 'root#1.0' }),
    );
  }

  answered(key = 'q1') {
    const { runId, place } = this;
    const owner = { instance: 'orchestrator-1', epoch: 9 };
    const approvalId = `${runId} ${key}`;
    return this.append(
      fact('runClaimed', { runId, owner }),
      fact('delegationAnswered', { runId, ...place, key, messageId: 'a', approvalId }),
    );
  }

  canceled() {
    return this.append(fact('runCanceled', { runId: this.runId, reason: 'enough' }));
  }

  taskEnded() {
    const { runId, place } = this;
    const task = { ...this.task, state: 'canceled' };
    return this.append(
      fact('delegationFinished', {
        runId,
        ...place,
        agent: 'other',
        task,
        isError: true,
        content: 'canceled',
        late: true,
      }),
    );
  }
}

/** What every store must do with runs whose tasks wait at other agents. A part of its contract. */
export function watchedTests({ client, send }: AtHand): void {
  const watched = async () => (await client().listOpenRuns({ watched: true })).runs;

  async function delegating(): Promise<Delegating> {
    const story = new Delegating();
    for (const append of [story.created(), story.asked('go'), story.delegated()]) await send(append);
    return story;
  }

  test('watched are the runs with tasks that wait at other agents, until they are answered', async () => {
    const story = await delegating();
    const other = await delegating();
    expect(await watched()).toEqual([]);
    await send(story.asks());
    await send(other.asks());
    const runs = await watched();
    expect(runs).toMatchObject([
      { conversationId: story.id, runId: story.runId, ownerInstance: '', revision: story.revision },
      { conversationId: other.id, runId: other.runId, ownerInstance: '', revision: other.revision },
    ]);
    // Nobody drives a run that only waits.
    expect((await client().listOpenRuns({})).runs).toEqual([]);
    const first = await client().listOpenRuns({ watched: true, limit: 1 });
    const second = await client().listOpenRuns({ watched: true, limit: 1, cursor: first.nextCursor });
    expect([...first.runs, ...second.runs]).toEqual(runs);
    expect(second.nextCursor).toBe('');

    await send(story.decided());
    expect((await client().listOpenRuns({})).runs).toMatchObject([{ conversationId: story.id }]);
    await send(story.answered());
    expect(await watched()).toMatchObject([{ conversationId: other.id }]);
    await send(story.asks('q2'));
    expect(await watched()).toMatchObject([
      { conversationId: story.id, revision: story.revision },
      { conversationId: other.id },
    ]);
  });

  test('a run that has ended is watched until the agent was heard to end its task', async () => {
    const [waiting, underWay] = [await delegating(), await delegating()];
    await send(waiting.asks());
    await send(waiting.canceled());
    await send(underWay.canceled());
    const ids = async () => (await watched()).map(({ conversationId }) => conversationId);
    expect((await ids()).sort()).toEqual([waiting.id, underWay.id].sort());
    expect((await client().listOpenRuns({})).runs).toEqual([]);
    await send(waiting.taskEnded());
    expect(await ids()).toEqual([underWay.id]);
    await send(underWay.taskEnded());
    expect(await watched()).toEqual([]);
    for (const { stream } of [waiting, underWay])
      expect(await client().verifyStream({ stream })).toMatchObject({ problems: [] });
  });
}
