/** Records the stream of an account if it has no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded } from '@stopgo/core';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { AccountFold, toldOfAccounts } from './story.ts';

const path = join(import.meta.dirname, 'recorded.jsonl');
if (!existsSync(path)) {
  const fold = new AccountFold();
  const lines = toldOfAccounts().map((event) => {
    const envelope = envelopeOf(event, event.stream);
    return JSON.stringify({ envelope: toBase64(envelope), state: fold.add(decodeRecorded({ envelope })) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
