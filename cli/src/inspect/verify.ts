import { visibleLine } from '@stopgo/core';
import type { OpenedStore } from './open-store.ts';
import { allStreams, streamOf } from './read-events.ts';

/**
 * `stopgo verify`: the hash chain of one stream or of all, and that every view equals the fold of its events; of all, also the
 * search index. Gives whether all is well.
 */
export async function verify(
  opened: OpenedStore,
  id: string | undefined,
  print: (line: string) => void,
): Promise<boolean> {
  let streams = 0;
  let events = 0;
  let problems = 0;
  for await (const stream of id === undefined ? allStreams(opened.client) : [streamOf(id)]) {
    const answer = await opened.client.verifyStream({ stream }, { timeoutMs: 600_000 });
    if (id !== undefined && answer.events === 0 && answer.problems.length === 0)
      throw new Error(`there is no stream ${stream} in this log`);
    streams += 1;
    events += answer.events;
    problems += answer.problems.length;
    for (const problem of answer.problems) print(visibleLine(`${stream}: ${problem}`));
  }
  if (id === undefined) {
    const answer = await opened.client.verifySearch({}, { timeoutMs: 600_000 });
    problems += answer.problems.length;
    for (const problem of answer.problems) print(visibleLine(`search index: ${problem}`));
  }
  const result = problems === 0 ? 'every hash chain holds and every view equals its events' : `${problems} problems`;
  print(`${streams} streams, ${events} events: ${result}`);
  return problems === 0;
}
