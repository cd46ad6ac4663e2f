import { rmSync } from 'node:fs';
import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordedFact } from '../src/recorded.ts';
import { freshDirectory, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('nothing is shown any more of a transaction that came to nothing after it was shown', async () => {
  const { projection, views, database, close } = openParts(dataDir, undefined, (one) => one);
  const [story, approval] = [new Story(), 'the approval'];
  const stream = parseStreamName(story.stream);
  const shown = () => [
    views.state(story.id)?.revision,
    views.view(story.id)?.head?.revision,
    views.approval(approval)?.id,
  ];
  database.exec('BEGIN IMMEDIATE');
  const batch = projection.begin();
  let revision = 0;
  for (const append of [story.created(), story.asked('create it'), story.stopped('{}', approval)]) {
    const first = revision + 1;
    batch.add(
      stream,
      append.events.map((event) => recordedFact(event, stream, ++revision)),
      first,
    );
  }
  batch.write();
  projection.moveTo(revision);
  batch.committed();
  expect(shown()).toEqual([revision, revision, approval]);
  database.exec('ROLLBACK');
  projection.forget();
  expect(shown()).toEqual([undefined, undefined, undefined]);
  await close();
});
