// A browser opens six connections to a host over HTTP/1.1, for all of its tabs together, and an event stream takes one for as long as it
// lasts: without a bound, the streams of three tabs would leave none for what somebody sends. So there are a few places for streams that
// stay open, whichever tab they are of. Who has none takes turns with the others: reads what is new, and leaves again.
//
// 1. At most `placesMax` streams stay open, and one more is open for a moment: a connection is always free for requests.
// 2. Who has no place misses nothing: each turn goes on after the last event of the one before it.
// 3. A tab that is not looked at gives its places to one that is, and takes no turns: timers of such tabs come late, and others would wait
//    for them. It reads what it has missed when somebody looks at it.

/** Streams that stay open, of all tabs of a browser. */
const placesMax = 4;

/** Leave to have a connection open: until it ends, or only for as long as it takes to read what is new. */
export type StreamPlace = { readonly stays: boolean; readonly release: () => void };

/** Posted by a tab that is looked at and found no place. */
const wanted = new BroadcastChannel('stopgo.places');

/** Is told when a place is to be given up: to a tab that is looked at; a turn, as soon as nobody looks. Gives what ends that. */
export function onPlaceWanted(stays: boolean, tell: () => void): () => void {
  const hear = (): void => {
    if (!isLookedAt()) tell();
  };
  if (stays) wanted.addEventListener('message', hear);
  else document.addEventListener('visibilitychange', hear);
  return () => {
    wanted.removeEventListener('message', hear);
    document.removeEventListener('visibilitychange', hear);
  };
}

/** Waits for leave to connect; undefined for a tab that rests until it is looked at. Rejects when the signal aborts. */
export async function streamPlace(signal: AbortSignal | undefined): Promise<StreamPlace | undefined> {
  // Only pages that came over a secure connection, or from this machine, can tell what their neighbours do.
  if (navigator.locks === undefined) return { stays: true, release: () => undefined };
  for (let number = 0; number < placesMax; number += 1) {
    const release = await locked(`stopgo.stream.${number}`, { ifAvailable: true });
    if (release !== undefined) return { stays: true, release };
  }
  if (!isLookedAt()) return undefined;
  wanted.postMessage('wanted');
  const release = await locked('stopgo.turn', signal === undefined ? {} : { signal });
  return release && { stays: false, release };
}

const isLookedAt = (): boolean => document.visibilityState === 'visible';

/** Takes a lock of the browser, and gives what releases it; undefined: it is taken. It is released with the page in any case. */
function locked(name: string, options: LockOptions): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, options, (lock) =>
        lock === null ? resolve(undefined) : new Promise<void>((release) => resolve(() => release())),
      )
      .catch(reject);
  });
}
