import type { Artifact, Part, StreamResponse } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { artifactsMax, partsMax } from '../../src/a2a/bounds.ts';
import { StreamedTask } from '../../src/a2a/sdk-answer.ts';

const ids = { taskId: 'task', contextId: 'context', metadata: undefined };
const bare = { metadata: undefined, filename: '', mediaType: '' };
const text = (value: string): Part => ({ ...bare, content: { $case: 'text', value } });
const data = (value: unknown): Part => ({ ...bare, content: { $case: 'data', value } });
const artifact = (artifactId: string, parts: Part[]): Artifact => ({
  artifactId,
  parts,
  name: '',
  description: '',
  metadata: undefined,
  extensions: [],
});
const shows = (shown: Artifact, append = false): StreamResponse => ({
  payload: { $case: 'artifactUpdate', value: { ...ids, artifact: shown, append, lastChunk: false } },
});
const [working, completed] = [2, 3];
const stands = (state: number): StreamResponse => ({
  payload: { $case: 'statusUpdate', value: { ...ids, status: { state, message: undefined, timestamp: undefined } } },
});

test('pieces of a result become one text, where they belong, and a whole one takes the place of the one before', () => {
  const task = new StreamedTask();
  task.after(shows(artifact('a', [text('gone')])));
  task.after(shows(artifact('b', [text('of ')])));
  task.after(shows(artifact('a', [text('one')])));
  task.after(shows(artifact('b', [text('two'), data(1)]), true));
  task.after(shows(artifact('b', [data(2), text('three')]), true));
  expect(task.after(stands(completed))).toMatchObject({
    task: { state: 'completed', text: 'one\nof two\n1\n2\nthree' },
  });
});

test('an event of a stream costs no more for what came before it', () => {
  const task = new StreamedTask();
  let reads = 0;
  const counted = (id: string): Artifact =>
    Object.defineProperty(artifact('', [data(0)]), 'artifactId', {
      get: () => {
        reads += 1;
        return id;
      },
    });
  let written = 0;
  const kept = data({
    toJSON: () => {
      written += 1;
      return 'kept';
    },
  });
  const many = 2_000;
  for (let at = 0; at < many; at += 1) task.after(shows(counted(`artifact ${at}`)));
  expect(reads).toBeLessThanOrEqual(4 * many);
  task.after(shows(artifact('kept', [kept])));
  for (let at = 0; at < many; at += 1) task.after(stands(working));
  expect(written).toBe(0);
  expect(task.after(stands(completed))).toMatchObject({ task: { text: expect.stringMatching(/"kept"$/) } });
  expect(written).toBe(1);
});

test('a stream of more artifacts or parts than are put together is given up', () => {
  const task = new StreamedTask();
  for (let at = 0; at < artifactsMax; at += 1) task.after(shows(artifact(`artifact ${at}`, [])));
  task.after(shows(artifact('artifact 0', [data(0)])));
  expect(() => task.after(shows(artifact('one more', [])))).toThrow(`more than ${artifactsMax} artifacts`);
  const other = new StreamedTask();
  const half = Array.from({ length: partsMax / 2 }, () => data(0));
  // What is taken back counts no more.
  for (const append of [false, false, true]) other.after(shows(artifact('one', half), append));
  expect(() => other.after(shows(artifact('one', [data(0)]), true))).toThrow(`more than ${partsMax} parts`);
});
