import type { Connection } from './connection.ts';
import { ApiError, NotReached } from './errors.ts';
import { mayPass, wantedPauseMs } from './failure.ts';
import { LinkedSignal } from './linked-signal.ts';
import { ServerSentParser, type StreamMessage } from './server-sent.ts';
import { pauseAfter } from './timing.ts';

/** Whether a stream is being opened, is open, or has been lost. */
export type StreamState = 'connecting' | 'open' | 'lost';

export type FollowOptions = {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Told how it stands; with `lost` also why. What it throws ends the stream. */
  readonly onState?: (state: StreamState, why?: unknown) => void;
  /** Given what ends a pause at once, such as when the machine is online again; gives what ends that. One that the platform wants goes on. */
  readonly wakes?: (wake: () => void) => () => void;
  /** Whether it is worth another try after that error, which may be that the stream has ended. */
  readonly mayPass?: (error: unknown) => boolean;
};

/** The platform shows every 15 seconds that a stream lives: one that is silent for longer is taken for dead. */
const silentMs = 40_000;
/** The longest pause between two tries to open a stream, in milliseconds. */
const pauseMsMax = 5_000;
/** The same where the platform says how long it wants to be left alone: somebody watches, and waits for news. */
const wantedPauseMsMax = 300_000;
/** So often a place that the platform has not reached is asked for: one of several may be a little behind. */
const behindTriesMax = 5;

/**
 * The messages of an event stream, over as many connections as it takes, each after the last place that was told. Ends when the signal
 * aborts, or when nobody asks for more.
 *
 * @throws ApiError or NotReached if it is refused for good.
 */
export async function* follow(
  connection: Connection,
  path: string,
  options: FollowOptions & { readonly lastId?: string | undefined } = {},
): AsyncGenerator<StreamMessage, void, undefined> {
  const { signal, onState = () => undefined } = options;
  const { timing, retries } = connection;
  let { lastId } = options;
  for (let tries = 1; !signal?.aborted; tries += 1) {
    let why: unknown;
    onState('connecting');
    try {
      const open = () => {
        tries = 0;
        onState('open');
      };
      for await (const message of messagesOf(connection, path, lastId, signal, open)) {
        lastId = message.id ?? lastId;
        yield message;
      }
      why = new NotReached(new Error('the connection was closed'));
    } catch (error) {
      why = error;
    }
    if (signal?.aborted) return;
    const isBehind = why instanceof ApiError && why.status === 400 && lastId !== undefined;
    const isWorthIt = options.mayPass?.(why) ?? mayPass(why);
    if (!isWorthIt && !(isBehind && tries < behindTriesMax)) throw why;
    onState('lost', why);
    const own = { ...retries, pauseMsMax: Math.min(retries.pauseMsMax, pauseMsMax) };
    const ms = pauseAfter(Math.max(tries, 1), own, timing.random());
    await pause(ms, Math.min(wantedPauseMs(why), wantedPauseMsMax));
  }

  async function pause(ms: number, wantedMs: number): Promise<void> {
    const link = new LinkedSignal(signal);
    const asleep = wantedMs > 0 ? undefined : options.wakes?.(() => link.abort(undefined));
    await timing.sleep(Math.max(ms, wantedMs), link.signal);
    asleep?.();
    link.release();
  }
}

/** What comes over one connection, until it breaks off. */
async function* messagesOf(
  connection: Connection,
  path: string,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
  onOpen: () => void,
): AsyncGenerator<StreamMessage, void, undefined> {
  const link = new LinkedSignal(signal);
  /** Not for as long as somebody takes to look at what has come. */
  const unlessSilent = async <T>(coming: Promise<T>): Promise<T> => {
    const come = new AbortController();
    void connection.timing.sleep(silentMs, come.signal).then(() => {
      if (!come.signal.aborted) link.abort(new NotReached(new Error(`nothing came for ${silentMs / 1_000} s`)));
    });
    return await coming.finally(() => come.abort());
  };
  try {
    const headers: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
    const body = await unlessSilent(connection.open(path, { headers, signal: link.signal }));
    onOpen();
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new ServerSentParser();
    for (;;) {
      const { done, value } = await unlessSilent(reader.read()).catch(broken);
      if (done) return;
      yield* parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    link.release();
    link.abort(undefined);
  }
}

function broken(error: unknown): never {
  throw error instanceof NotReached ? error : new NotReached(error);
}
