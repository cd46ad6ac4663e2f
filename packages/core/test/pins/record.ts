/** Records the stream of pins that has no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, evolvePins, type Pins, unmet } from '@stopgo/core';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { accepted } from './story.ts';

const path = join(import.meta.dirname, 'accepted.jsonl');
if (!existsSync(path)) {
  let pins: Pins = unmet;
  const lines = accepted().map((event) => {
    const envelope = envelopeOf(event, 'pins');
    pins = evolvePins(pins, decodeRecorded({ envelope }));
    return JSON.stringify({ envelope: toBase64(envelope), pins: { ...pins, accepted: [...pins.accepted] } });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
