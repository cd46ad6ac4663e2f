/** Records the streams of people that have no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, personRow } from '@stopgo/core';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { toldOfPeople } from './story.ts';

const path = join(import.meta.dirname, 'recorded.jsonl');
if (!existsSync(path)) {
  const lines = toldOfPeople().flatMap(({ stream, events }) => {
    let row: ReturnType<typeof personRow> | undefined;
    return events.map((event) => {
      const envelope = envelopeOf(event, stream);
      row = personRow(stream, row?.bytes, [decodeRecorded({ envelope })]);
      return JSON.stringify({ stream, envelope: toBase64(envelope), row: { ...row, bytes: toBase64(row.bytes) } });
    });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
