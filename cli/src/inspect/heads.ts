import { readFileSync } from 'node:fs';
import { DomainError } from '@stopgo/core';
import { envelope, fromBinary, type store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';

/** Where a stream ended, and the hash of its last event, which stands for all before it. */
export type Head = { readonly revision: number; readonly hash: string };

/** How a head is written: by people it is only kept, and compared by `verify --against`. */
const linePattern = /^([0-9a-f]{64}) {2}(\d{1,9}) {2}(\S+)$/;

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
    const [, hash, revision, stream] = linePattern.exec(line) ?? [];
    if (hash !== undefined && stream !== undefined) heads.set(stream, { hash, revision: Number(revision) });
  }
  if (heads.size === 0) throw new Error(`--against ${file}: it holds no head; \`stopgo verify --heads\` writes them`);
  return heads;
}

/** The first event of a stream from a revision on, as its head then; undefined if the stream does not reach so far. */
export async function headFrom(
  client: Client<typeof store.StoreService>,
  stream: string,
  revision: number,
): Promise<Head | undefined> {
  if (revision === 0) return undefined;
  const { events } = await client.readStream({ stream, fromRevision: revision, limit: 1 });
  const [recorded] = events;
  if (recorded === undefined) return undefined;
  const { revision: found } = fromBinary(envelope.EnvelopeSchema, recorded.envelope);
  return { revision: found, hash: Buffer.from(recorded.hash).toString('hex') };
}

/** What is wrong with a stream that had this head before; undefined if it goes on from there. */
export async function againstHead(
  client: Client<typeof store.StoreService>,
  stream: string,
  before: Head,
): Promise<string | undefined> {
  const { revision, hash } = before;
  let now: Head | undefined;
  try {
    now = await headFrom(client, stream, revision);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'data_loss') throw error;
    return `its event at revision ${revision}, where it ended before, cannot be read: ${error.message}`;
  }
  if (now === undefined)
    return `ended at revision ${revision} before, and does not reach that any more: its end was cut off`;
  if (now.revision !== revision) return `its event at revision ${revision}, where it ended before, is gone`;
  return now.hash === hash
    ? undefined
    : `has another event at revision ${revision} than before: what is up to there was written anew`;
}
