/** Records the streams of repositories that have no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded } from '@stopgo/core';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { Folds, toldOfRepositories } from './story.ts';

const path = join(import.meta.dirname, 'recorded.jsonl');
if (!existsSync(path)) {
  const folds = new Folds();
  const lines = toldOfRepositories().map((event) => {
    const envelope = envelopeOf(event, event.stream);
    return JSON.stringify({ envelope: toBase64(envelope), state: folds.add(decodeRecorded({ envelope })) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
