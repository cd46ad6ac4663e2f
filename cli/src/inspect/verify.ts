import { visibleLine } from '@stopgo/core';
import { counted } from '../shown.ts';
import { againstHead, type Head, headFrom, headLine } from './heads.ts';
import { isToolset, NamedStreams } from './named-streams.ts';
import type { OpenedStore } from './open-store.ts';
import { allStreams, isThere, streamOf } from './read-events.ts';

/** What is verified besides what a log shows of itself. */
export type VerifyOptions = {
  /** Prints where each stream ends, for keeping elsewhere; nothing of one with problems, which is not to be gone by. */
  readonly heads?: boolean;
  /** Where streams ended before, by name: none of them may have been cut off, removed or written anew. */
  readonly against?: ReadonlyMap<string, Head>;
};

/** What can be done about what is gone. */
const restoring =
  'What is gone is only in a backup: `stopgo verify --data-dir BACKUP` shows whether one is whole (NATS: `nats stream restore STOPGO BACKUP`); docs/operations.md, "Backup and restore", says how it is put back.';

/**
 * `stopgo verify`: the hash chain of one stream or of all, and that every view equals the fold of its events; what its
 * events name is in the log; of all, also that the log as a whole has lost nothing that shows, the search index, that no image or document is kept that no event names, and that the log goes on from where it ended before. Gives
 * whether all is well.
 */
export async function verify(
  opened: OpenedStore,
  id: string | undefined,
  print: (line: string) => void,
  { heads = false, against }: VerifyOptions = {},
): Promise<boolean> {
  const { client } = opened;
  if (id !== undefined && against?.has(streamOf(id)) === false)
    throw new Error(
      `--against: its file holds no head of ${streamOf(id)}; without an ID all of its heads are compared`,
    );
  const missing = new Map(against);
  const named = new NamedStreams();
  let compared = 0;
  let streams = 0;
  let events = 0;
  let problems = 0;
  const found = (problem: string) => {
    problems += 1;
    print(visibleLine(problem));
  };
  let isLost = false;
  const lost = (problem: string) => {
    isLost = true;
    found(problem);
  };
  for await (const stream of id === undefined ? allStreams(client) : [streamOf(id)]) {
    const answer = await client.verifyStream({ stream }, { timeoutMs: 600_000 });
    if (id !== undefined && answer.events === 0 && answer.problems.length === 0)
      throw new Error(`there is no stream ${stream} in this log`);
    streams += 1;
    events += answer.events;
    for (const problem of answer.problems) found(`${stream}: ${problem}`);
    named.add(stream, answer);
    // Of one stream alone, the sets of tools that it names would not be met.
    for (const set of id === undefined ? [] : answer.named.filter((one) => isToolset(one.stream)))
      named.add(set.stream, await client.verifyStream({ stream: set.stream }, { timeoutMs: 600_000 }));
    const before = missing.get(stream);
    if (missing.delete(stream)) compared += 1;
    const problem = before && (await againstHead(client, stream, before));
    if (problem !== undefined) found(`${stream}: ${problem}`);
    // Without a problem no revision is left out, so that the events are as many as the last one says.
    const isSound = answer.problems.length === 0 && problem === undefined;
    const head = heads && isSound ? await headFrom(client, stream, answer.events) : undefined;
    if (head !== undefined) print(headLine(stream, head));
  }
  for await (const problem of named.missing((stream) => isThere(client, stream))) lost(problem);
  if (id === undefined) {
    const log = await client.verifyLog({}, { timeoutMs: 600_000 });
    for (const problem of log.problems) lost(problem);
    compared += missing.size;
    for (const [stream, { revision }] of missing)
      found(`${stream}: had ${counted(revision, 'event')} before, and is gone`);
    const answer = await client.verifySearch({}, { timeoutMs: 600_000 });
    for (const problem of answer.problems) found(`search index: ${problem}`);
    const blobs = await client.verifyBlobs({}, { timeoutMs: 600_000 });
    for (const problem of blobs.problems) found(problem);
  }
  if (isLost) print(restoring);
  const result =
    problems === 0 ? 'every hash chain holds and every view equals its events' : counted(problems, 'problem');
  const comparison = against === undefined ? '' : `, compared with ${counted(compared, 'head')}`;
  print(`${counted(streams, 'stream')}, ${counted(events, 'event')}${comparison}: ${result}`);
  return problems === 0;
}
