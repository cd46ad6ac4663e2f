import { create } from '@bufbuild/protobuf';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { bodiesOf, TaskState } from '../../src/push/bodies.ts';

const id = '11111111-1111-4111-8111-111111111111';
const question = create(views.PendingInputSchema, { id, schemaJson: '{"type":"object","properties":{}}' });

/** What an address is told after an answer, by the state that the answer alone makes. */
function told(version: string, status: views.RunStatus, ...pendingInputs: views.PendingInput[]): string {
  const run = create(views.RunSchema, { id, status });
  const head = create(views.ConversationHeadSchema, { id, revision: 9, run, pendingInputs });
  const view = create(views.ConversationViewSchema, { head });
  const [body] = bodiesOf(view, 9, TaskState.TASK_STATE_WORKING, version);
  return /(?:TASK_STATE_INPUT_REQUIRED|input-required|TASK_STATE_WORKING|working)/u.exec(body?.body ?? '')?.[0] ?? '';
}

test.each([
  ['1.0', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING'],
  ['0.3', 'input-required', 'working'],
])(
  'after one of several answers an address of %s is told that the task waits, after the last that it works',
  (...row) => {
    const [version, waits, works] = row;
    for (const status of [views.RunStatus.WORKING, views.RunStatus.WAITING])
      expect(told(version, status, question)).toBe(waits);
    expect(told(version, views.RunStatus.WORKING)).toBe(works);
  },
);
