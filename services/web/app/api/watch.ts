import type { FollowOptions, StreamState } from '@stopgo/client';
import { TurnOver } from './stream-turns.ts';

export type Watching<News> = {
  /** Begins the stream: one of those that the client has. */
  readonly open: (options: FollowOptions) => AsyncIterable<News>;
  readonly take: (news: News) => void;
  readonly onState?: (state: StreamState) => void;
  /** Told that it rests until somebody looks at the page. */
  readonly onRest?: () => void;
  /** Whether an error ends it; none does if absent: somebody may sign in, or the platform comes back. */
  readonly ends?: (error: unknown) => boolean;
  /** Told of the error that has ended it. */
  readonly onEnd?: () => void;
};

/** Takes what a stream tells until it is told to end. Gives what ends it. */
export function watchStream<News>({
  open,
  take,
  onState,
  onRest,
  ends = () => false,
  onEnd,
}: Watching<News>): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  void run();
  return () => ended.abort();

  async function run(): Promise<void> {
    // Between two turns it counts as open.
    let isBetween = false;
    const options: FollowOptions = {
      ...{ signal, wakes, mayPass: (error) => !ends(error) },
      onState: (state, why) => {
        if (signal.aborted) return;
        const over = state === 'lost' ? turnOverIn(why) : undefined;
        if (over?.rests) onRest?.();
        if (over === undefined && (!isBetween || state === 'lost')) onState?.(state);
        isBetween = over === undefined ? isBetween && state === 'connecting' : !over.rests;
      },
    };
    try {
      for await (const news of open(options)) {
        if (signal.aborted) return;
        take(news);
      }
    } catch (error) {
      if (signal.aborted) return;
      onState?.('lost');
      if (!ends(error)) throw error;
      onEnd?.();
    }
  }
}

/** That a turn was over, if that is why. */
function turnOverIn(why: unknown): TurnOver | undefined {
  for (let at = why; at instanceof Error; at = at.cause) if (at instanceof TurnOver) return at;
  return undefined;
}

/** Has it look again at once when the browser is online again, or the page is looked at. */
function wakes(wake: () => void): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') wake();
  };
  window.addEventListener('online', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    window.removeEventListener('online', look);
    document.removeEventListener('visibilitychange', look);
  };
}
