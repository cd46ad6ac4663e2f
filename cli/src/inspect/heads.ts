import { readFileSync } from 'node:fs';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';

/** Where a stream ended, and the hash of its last event, which stands for all before it. */
export type Head = { readonly revision: number; readonly hash: string };

/** How a head is written: by people it is only kept, and compared by `verify --against`. */
const LINE = /^([0-9a-f]{64}) {2}(\d{1,9}) {2}(\S+)$/;

/** One line: the hash, the revision, the stream. */
export function headLine(stream: string, { revision, hash }: Head): string {
  return `${hash}  ${revision}  ${stream}`;
}

/** The heads of a file that `verify --heads` wrote, by stream; other lines are its own. @throws Error in one line if it holds none. */
export function readHeads(file: string): ReadonlyMap<string, Head> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? 'there is no such file; `stopgo verify --heads > FILE` writes one' : messageOf(error);
    throw new Error(oneLine(`--against ${file}: ${why}`));
  }
  const heads = new Map<string, Head>();
  for (const line of text.split(/\r?\n/)) {
    const [, hash, revision, stream] = LINE.exec(line) ?? [];
    if (hash !== undefined && stream !== undefined) heads.set(stream, { hash, revision: Number(revision) });
  }
  if (heads.size === 0) throw new Error(`--against ${file}: it holds no head; \`stopgo verify --heads\` writes them`);
  return heads;
}

/** The event of a stream at a revision, as its head; undefined if the stream does not reach so far. */
export async function headAt(
  client: Client<typeof store.StoreService>,
  stream: string,
  revision: number,
): Promise<Head | undefined> {
  if (revision === 0) return undefined;
  const { events } = await client.readStream({ stream, fromRevision: revision, limit: 1 });
  const [recorded] = events;
  return recorded === undefined ? undefined : { revision, hash: Buffer.from(recorded.hash).toString('hex') };
}

/** What is wrong with a stream that had this head before; undefined if it goes on from there. */
export function againstHead(before: Head, now: Head | undefined): string | undefined {
  if (now === undefined)
    return `ended at revision ${before.revision} before, and does not reach that any more: its end was cut off`;
  return now.hash === before.hash
    ? undefined
    : `has another event at revision ${before.revision} than before: what is up to there was written anew`;
}
