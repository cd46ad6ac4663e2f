import { useEffect, useMemo, useRef, useState } from 'react';
import type { LogEvent } from '../api/payload.ts';
import { emptyTranscript } from '../chat/transcript.ts';
import { type Watched, watch } from '../state/conversation.ts';
import { Store, useStore } from '../state/store.ts';
import { namesIn } from './event-words.ts';
import { RunsRecord } from './run-record.ts';

/** The events of a conversation so far, in their order: the first is revision 1. */
export type Events = { readonly all: readonly LogEvent[]; readonly names: ReadonlyMap<string, string> };

export type Recorded = Watched & { readonly events: Events };

const none: Events = { all: [], names: new Map() };
const nothing = new Store<Watched>({ transcript: emptyTranscript, stream: 'connecting' });

/** A conversation as it goes on, with its events. They grow in place: `transcript.revision` says how many there are. */
export function useRecord(id: string): Recorded {
  const [followed, setFollowed] = useState({ store: nothing, events: none });
  useEffect(() => {
    const all: LogEvent[] = [];
    const names = new Map<string, string>();
    const { store, end } = watch(id, (event) => {
      if (event.revision !== all.length + 1) return;
      all.push(event);
      for (const [id, name] of namesIn(event)) names.set(id, name);
    });
    setFollowed({ store, events: { all, names } });
    return () => {
      end();
      setFollowed({ store: nothing, events: none });
    };
  }, [id]);
  return { ...useStore(followed.store), events: followed.events };
}

/** What the events up to a revision tell of the runs. Going on costs what is new; going back begins anew. */
export function useRuns({ all }: Events, upTo: number): RunsRecord {
  const kept = useRef<{ all: readonly LogEvent[]; record: RunsRecord }>(undefined);
  return useMemo(() => {
    const before = kept.current;
    const record =
      before === undefined || before.all !== all || before.record.revision > upTo ? new RunsRecord() : before.record;
    for (const event of all.slice(record.revision, upTo)) record.take(event);
    kept.current = { all, record };
    return record;
  }, [all, upTo]);
}

const secondMs = 1_000;

/** Now, in milliseconds since 1970, counted every second while something is watched; else as it was. */
export function useSeconds(isOn: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOn) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), secondMs);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}
