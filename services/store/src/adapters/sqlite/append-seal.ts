import { createHash } from 'node:crypto';
import { canceled, type StreamName } from '@stopgo/core';
import { pageEventsMax } from '../../bounds.ts';
import type { KnownKey } from '../../event-log.ts';
import { equal } from '../../problems.ts';
import type { LogTables } from './log-tables.ts';

/**
 * The seal of an append: SHA-256 over its stream, key, request digest, revisions and the hash of its last event, each with its length
 * before it. The chain of hashes covers events only; this covers what is kept of an append besides (decision 0047).
 */
export function sealOf(stream: StreamName, append: KnownKey, lastHash: Uint8Array): Uint8Array {
  const { key, requestDigest, firstRevision, lastRevision } = append;
  const hash = createHash('sha256');
  for (const part of [stream, key, requestDigest, `${firstRevision}`, `${lastRevision}`, lastHash]) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.byteLength);
    hash.update(length).update(bytes);
  }
  return new Uint8Array(hash.digest());
}

/** One problem for each append of a stream whose seal does not fit. Appends of older releases have none, and are not judged. */
export async function* brokenSeals(
  tables: LogTables,
  stream: StreamName,
  streamId: number,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  if (!tables.hasSeals()) return;
  for (let after = ''; ; ) {
    if (signal.aborted) throw canceled(`the verification of ${stream} was given up`);
    const page = tables.sealedAfter(streamId, after, pageEventsMax);
    for (const { append, seal, lastHash } of page) {
      // An event that is missing is told as that.
      if (lastHash === undefined || equal(seal, sealOf(stream, append, lastHash))) continue;
      const { firstRevision, lastRevision, key } = append;
      yield `events ${firstRevision} to ${lastRevision}: their idempotency key (now ${JSON.stringify(key)}), request digest or revisions were changed after they were recorded`;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.append.key;
    // A long stream must not hold up everybody else.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
