import { create, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { waitsOfWorkingRuns } from '../src/run-waits.ts';

const run = (id: string, status: views.RunStatus): views.ConversationView =>
  create(views.ConversationViewSchema, { head: { id: 'c', run: { id, status } } });
const wait = (conversationId: string, runId: string): views.RunWait =>
  create(views.RunWaitSchema, { conversationId, runId, name: runId });

test('only of runs that go on: what a process says may be older than their end', () => {
  const known: Record<string, views.ConversationView> = {
    going: run('r1', views.RunStatus.WORKING),
    ended: run('r2', views.RunStatus.FAILED),
    next: run('r4', views.RunStatus.WORKING),
  };
  const told = [wait('going', 'r1'), wait('ended', 'r2'), wait('next', 'r3'), wait('nowhere', 'r5')];
  expect(waitsOfWorkingRuns(told, (id) => known[id]).map(({ name }) => name)).toEqual(['r1']);
});
