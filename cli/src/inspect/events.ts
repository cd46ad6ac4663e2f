import { factJson, factName } from '@stopgo/core/export';
import { oneLine, shownName } from '../shown.ts';
import type { OpenedStore } from './open-store.ts';
import { allStreams, readEvents, streamOf } from './read-events.ts';
import { terminalJson } from './terminal-json.ts';

/** `stopgo events`: one line for each event of a conversation, or with `json` one JSON object. */
export async function printEvents(
  opened: OpenedStore,
  id: string,
  json: boolean,
  print: (line: string) => void,
): Promise<void> {
  for await (const { recorded, event } of readEvents(opened.client, streamOf(id))) {
    const at = new Date(event.time).toISOString();
    const value = factJson(event);
    if (json) {
      const { revision, eventId, actor } = event;
      const hash = Buffer.from(recorded.hash).toString('hex');
      print(terminalJson({ revision, event_id: eventId, at, actor, type: factName(event), hash, value }));
      continue;
    }
    const { id: name, claimed, surface } = event.actor;
    const marks = [...(claimed === true ? ['claimed'] : []), ...(surface === undefined ? [] : [surface])];
    const who = `${shownName(name)}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
    const columns = [String(event.revision).padStart(5), at, factName(event).padEnd(20), who, terminalJson(value)];
    print(oneLine(columns.join('  ')));
  }
}

/** `stopgo events` without an id: the name of each stream, or with `json` one JSON object for each. */
export async function printStreams(opened: OpenedStore, json: boolean, print: (line: string) => void): Promise<void> {
  for await (const stream of allStreams(opened.client)) print(json ? terminalJson({ stream }) : oneLine(stream));
}
