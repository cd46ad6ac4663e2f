import { parseSseStream } from '@a2a-js/sdk';
import type { StreamResponse } from '../protocol.ts';
import { readAnyEvent } from './any-task.ts';
import { resultsFrom } from './envelope.ts';

/** An event of a stream, or what was wrong with one: the stream goes on after it. */
export type ReadEvent =
  | { readonly event: StreamResponse; readonly error?: undefined }
  | { readonly event?: undefined; readonly error: Error };

/**
 * Reads the server-sent events of an answer, in whatever pieces they come, until they end or the caller stops; then the
 * connection is closed. What is no event of A2A is an `error` among the others. `url`: what was asked.
 *
 * @throws Error if an event is longer than 4 MiB, or whatever the connection fails with.
 */
export async function* readEvents(response: Response, url = response.url): AsyncGenerator<ReadEvent, void> {
  const result = resultsFrom(url, '');
  for await (const { data } of parseSseStream(response)) yield readEvent(data, result);
}

function readEvent(data: string, result: (json: unknown) => unknown): ReadEvent {
  try {
    return { event: readAnyEvent(result(JSON.parse(data))) };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}
