import { useSyncExternalStore } from 'react';

const tickMs = 10_000;
const readers = new Set<() => void>();
let now = Date.now();
setInterval(() => {
  now = Date.now();
  for (const tell of readers) tell();
}, tickMs);

const subscribe = (tell: () => void): (() => void) => {
  readers.add(tell);
  return () => readers.delete(tell);
};

/** What is said of the time; a component that says it is drawn again when that changes. It is looked at every ten seconds. */
export const useClock = (say: (now: number) => string): string => useSyncExternalStore(subscribe, () => say(now));
