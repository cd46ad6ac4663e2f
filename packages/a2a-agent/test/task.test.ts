import { create, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { statusOf } from '../src/task.ts';

const { WAITING } = views.RunStatus;
const saidOf = (paused: { readonly by: string; readonly reason: string }) => {
  const head = create(views.ConversationHeadSchema, { id: 'c', run: { id: 'r', status: WAITING, paused } });
  const { message } = statusOf({ head, approvals: [] }, false);
  return message?.parts.map(({ content }) => (content?.$case === 'text' ? content.value : content?.$case));
};

test('a task whose run is paused says so: nobody is asked about nothing', () => {
  expect(saidOf({ by: '', reason: '' })).toEqual(['The run is paused until somebody resumes it.']);
  expect(saidOf({ by: 'ada', reason: 'I look first' })).toEqual([
    'The run is paused by ada until somebody resumes it: I look first',
  ]);
});
