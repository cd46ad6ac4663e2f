import { expect, test } from 'vitest';
import { readAnyTask } from '../src/client/any-task.ts';
import { terminal } from '../src/index.ts';
import { TaskState } from '../src/protocol.ts';

test.each([
  ['submitted', TaskState.TASK_STATE_SUBMITTED, false],
  ['working', TaskState.TASK_STATE_WORKING, false],
  ['input-required', TaskState.TASK_STATE_INPUT_REQUIRED, false],
  ['auth-required', TaskState.TASK_STATE_AUTH_REQUIRED, false],
  ['completed', TaskState.TASK_STATE_COMPLETED, true],
  ['failed', TaskState.TASK_STATE_FAILED, true],
  ['canceled', TaskState.TASK_STATE_CANCELED, true],
  ['rejected', TaskState.TASK_STATE_REJECTED, true],
])('the state %s is read in the words of 0.3 and 1.0; that it is the last is %3$s', (name, state, isLast) => {
  for (const said of [name, TaskState[state]])
    expect(readAnyTask({ id: 't', status: { state: said } }).status?.state).toBe(state);
  expect(terminal.has(state)).toBe(isLast);
});
