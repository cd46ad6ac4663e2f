/** Records the memory that has no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded } from '@stopgo/core';
import { evolveMemories, noMemories } from '@stopgo/core/memory';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { told } from './story.ts';

const path = join(import.meta.dirname, 'told.jsonl');
if (!existsSync(path)) {
  let memories = noMemories;
  const lines = told().events.map((event) => {
    const envelope = envelopeOf(event, 'memory');
    memories = evolveMemories(memories, decodeRecorded({ envelope }));
    const entries = [...memories.entries.values()];
    return JSON.stringify({ envelope: toBase64(envelope), memories: { ...memories, entries } });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
