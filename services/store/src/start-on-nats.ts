import type { Logger } from '@stopgo/runtime';
import type { Observe } from './observe.ts';
import type { RunningStore } from './start.ts';

export type NatsStoreOptions = {
  /** Where NATS is, several addresses separated by commas; may carry `user:password@`, which is never printed. */
  readonly url: string;
  /** The server's monitoring address (http), which shows whether it writes through to the disk. */
  readonly monitorUrl?: string;
  /** Name of the stream that holds the event log. */
  readonly stream: string;
  /** Copies of the stream that the servers keep. */
  readonly replicas: number;
  /** Start, with a warning, also where nothing shows that what is acknowledged is on disk. */
  readonly acceptUnverifiedDurability: boolean;
  /** For the views, which can be made anew. Created if it is not there; belongs to this process until it stops. */
  readonly dataDir: string;
  readonly log: Logger;
  /** As for the store on one machine. */
  readonly openStreamsMax?: number;
  /** Is told what the store does, for tests that count work. */
  readonly observe?: Observe;
  /** Ends the wait for a server that is not there yet. */
  readonly signal?: AbortSignal;
};

/**
 * Starts one replica of the store on the event log in NATS JetStream. It waits until a server answers; it is ready when its
 * views show all that the log held at the start.
 *
 * @throws DomainError with one line that says what is wrong, where, and what to do.
 */
export async function startStoreOnNats(options: NatsStoreOptions): Promise<RunningStore> {
  throw new Error(`the store on NATS is not built yet (stream ${options.stream})`);
}

/** The secrets that a NATS address carries, to be kept out of every log line before it is used. */
export function secretsOfNatsUrl(url: string): readonly string[] {
  return url.split(',').flatMap(secretsOfOne);
}

function secretsOfOne(address: string): string[] {
  const written = address.trim();
  const parsed = URL.canParse(written) ? new URL(written) : undefined;
  return parsed === undefined ? [] : [parsed.password].filter((text) => text !== '');
}
