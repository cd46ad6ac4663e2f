import { createParser } from 'eventsource-parser';
import { objectIn, onSignInWanted, signedIn, whyIn } from './client.ts';
import { mayGoOn } from './login.ts';

/** Whether a stream is open, being opened, or has been lost. */
export type StreamState = 'connecting' | 'open' | 'lost';

export type Followed = {
  readonly path: string;
  readonly onEvent: (name: string, data: string) => void;
  readonly onState: (state: StreamState) => void;
  /** Told of an answer that no further try will change, with its status. */
  readonly onRefused?: (status: number) => void;
};

/** The pauses between tries, in milliseconds; the last one is used again and again. */
const pauses = [250, 500, 1_000, 2_000, 4_000];
/** The platform shows every 15 seconds that a stream lives: one that is silent for longer is taken for dead. */
const silentMs = 40_000;

/**
 * Follows an event stream until it is told to end. It goes on after the last event that it has seen, so that none is lost and none comes
 * twice, and looks again at once when the browser is online again or the page is looked at.
 */
export function followStream({ path, onEvent, onState, onRefused }: Followed): () => void {
  const ended = new AbortController();
  let lastId: string | undefined;
  let wake: () => void = () => undefined;
  const look = () => {
    if (document.visibilityState === 'visible') wake();
  };
  window.addEventListener('online', look);
  document.addEventListener('visibilitychange', look);
  void run();
  return () => {
    window.removeEventListener('online', look);
    document.removeEventListener('visibilitychange', look);
    ended.abort();
    wake();
  };

  async function run(): Promise<void> {
    for (let tries = 0; !ended.signal.aborted; tries += 1) {
      const wasOpen = await once().catch(() => false);
      if (ended.signal.aborted) return;
      if (wasOpen) tries = 0;
      onState('lost');
      await pause(pauses[Math.min(tries, pauses.length - 1)] ?? 1_000);
    }
  }

  /** Reads one connection to its end; gives whether it was open. */
  async function once(): Promise<boolean> {
    const connection = new AbortController();
    const stop = () => connection.abort();
    ended.signal.addEventListener('abort', stop);
    let silence = setTimeout(stop, silentMs);
    try {
      const response = await fetch(`/api${path}`, {
        headers: {
          Accept: 'text/event-stream',
          ...signedIn(),
          ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
        },
        signal: connection.signal,
        cache: 'no-store',
      });
      if (!response.ok || response.body === null) return await refused(response);
      onState('open');
      const parser = createParser({
        onEvent: ({ id, event = 'message', data }) => {
          if (id !== undefined) lastId = id;
          onEvent(event, data);
        },
      });
      for await (const text of piecesOf(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(stop, silentMs);
        noteIds(text);
        parser.feed(text);
      }
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(silence);
      ended.signal.removeEventListener('abort', stop);
    }
  }

  /** A message without data is given to nobody, and its id counts all the same. */
  function noteIds(text: string): void {
    lastId = [...text.matchAll(/^id: (\d+)\n\n/gm)].at(-1)?.[1] ?? lastId;
  }

  async function refused(response: Response): Promise<boolean> {
    const { status } = response;
    if (status === 401) {
      const answer = objectIn(await response.text());
      // As after a stream that was open: it is opened again at once.
      if (await mayGoOn(answer)) return true;
      for (const tell of onSignInWanted) tell(whyIn(answer));
    }
    if (status >= 400 && status < 500 && status !== 429 && status !== 408) onRefused?.(status);
    return false;
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
