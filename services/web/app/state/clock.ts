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

/** Now, in milliseconds since 1970; a component that reads it is drawn again every ten seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
