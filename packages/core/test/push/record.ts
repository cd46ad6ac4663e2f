/** Records the push stream that has no file yet, like ../golden/record.ts: a file that exists is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '@bufbuild/protobuf';
import { decodeRecorded, evolvePush, noPush } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { envelopeOf, toBase64 } from '../golden/lines.ts';
import { conversationId, told } from './story.ts';

const path = join(import.meta.dirname, 'told.jsonl');
if (!existsSync(path)) {
  let push = noPush(conversationId);
  const lines = told().events.map((event) => {
    const envelope = envelopeOf(event, 'push');
    push = evolvePush(push, decodeRecorded({ envelope }));
    return JSON.stringify({ envelope: toBase64(envelope), push: toJson(views.PushSchema, push) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
