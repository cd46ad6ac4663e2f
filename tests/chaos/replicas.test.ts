import { encodeFact, fact, schemaVersion } from '@stopgo/core';
import { create, envelope, toBinary } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { StoreClient } from '../promises/read-log.ts';
import { compareReplicas } from './replicas.ts';

const stream = 'other-1';

/** The log of one store: the hashes of the events of one stream. */
type Log = { readonly hashes: number[] };

/** A store that shows `log`, and calls `onRead` before each reading of the stream. */
function storeOf(log: Log, onRead: () => void = () => undefined): StoreClient {
  const client = {
    listStreams: async ({ after }: { after: string }) => ({ streams: after === '' ? [stream] : [] }),
    verifyStream: async () => ({ problems: [] }),
    readStream: async ({ fromRevision }: { fromRevision: number }) => {
      onRead();
      const events = log.hashes.map((hash, at) => recorded(at + 1, hash));
      return { events: events.slice(fromRevision - 1), headRevision: events.length };
    },
  };
  return client as unknown as StoreClient;
}

/** The same event of this revision, but for its hash. */
function recorded(revision: number, hash: number): envelope.Recorded {
  const payload = encodeFact(fact('runReleased', { runId: 'r' }));
  const outer = create(envelope.EnvelopeSchema, { stream, revision, eventId: `e${revision}`, schemaVersion, payload });
  return create(envelope.RecordedSchema, {
    envelope: toBinary(envelope.EnvelopeSchema, outer),
    hash: Uint8Array.of(hash),
  });
}

test('an event that is appended while the stores are read is no difference between them', async () => {
  const log = { hashes: [1] };
  let readings = 0;
  const late = () => {
    readings += 1;
    if (readings === 2) log.hashes.push(2);
  };
  const read = await compareReplicas([storeOf(log, late), storeOf(log, late)]);
  expect(read.problems).toEqual([]);
  expect(read.hashes.get(stream)).toHaveLength(2);
});

test('a store that lacks an event, or has another one, is told', async () => {
  for (const other of [[1], [1, 3], [1, 2, 3]]) {
    const { problems } = await compareReplicas([storeOf({ hashes: [1, 2] }), storeOf({ hashes: other })]);
    expect(problems).toEqual([`store 1 has another ${stream} than store 0`]);
  }
});

test('a log that grows all the time is told', async () => {
  const log = { hashes: [1] };
  await expect(compareReplicas([storeOf(log, () => log.hashes.push(1))])).rejects.toThrow('does not come to rest');
});
