import {
  conversationOfStream,
  conversationStream,
  DomainError,
  decodeRecorded,
  isUuid,
  parseStreamName,
  type RecordedFact,
  visibleLine,
} from '@stopgo/core';
import type { envelope, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** An event with its stored form. */
export type StoredEvent = { readonly recorded: envelope.Recorded; readonly event: RecordedFact };

/**
 * The stream that an argument names: a conversation's by its id, any other by its name.
 *
 * @throws Error that says what names look like if it is neither.
 */
export function streamOf(argument: string): string {
  const id = argument.toLowerCase();
  if (isUuid(id)) return conversationStream(id);
  try {
    return parseStreamName(argument);
  } catch (cause) {
    const names = 'conversation-ID, agent-DIGEST, toolset-DIGEST, tool-DIGEST or policy-DIGEST';
    throw new Error(
      `"${visibleLine(argument)}" is neither the ID of a conversation (a UUID) nor the name of a stream (${names}); "stopgo events" without an ID lists all of them`,
      { cause },
    );
  }
}

/** The stream of the conversation that an argument names, and its id. @throws Error in one line if it names none. */
export function conversationIn(argument: string): { readonly stream: string; readonly id: string } {
  const stream = streamOf(argument);
  const id = conversationOfStream(stream);
  if (id === undefined) throw new Error(`"${visibleLine(argument)}" is not the ID of a conversation (a UUID)`);
  return { stream, id };
}

/** The names of all streams, in alphabetical order. */
export async function* allStreams(client: Client<typeof store.StoreService>): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { streams } = await client.listStreams({ after });
    yield* streams;
    const last = streams.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** How many events a stream has. */
export async function lengthOf(client: Client<typeof store.StoreService>, stream: string): Promise<number> {
  return (await client.readStream({ stream, fromRevision: 1, limit: 1 })).headRevision;
}

/** True if the log can give the first event of a stream. */
export async function isThere(client: Client<typeof store.StoreService>, stream: string): Promise<boolean> {
  try {
    return (await client.readStream({ stream, fromRevision: 1, limit: 1 })).events.length > 0;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'data_loss') return false;
    throw error;
  }
}

/** All events of a stream in order. Rejects with `not_found` if there are none. */
export async function* readEvents(
  client: Client<typeof store.StoreService>,
  stream: string,
): AsyncGenerator<StoredEvent> {
  for (let next = 1; ; ) {
    const page = await client.readStream({ stream, fromRevision: next });
    if (page.headRevision === 0) throw new DomainError('not_found', `there is no stream ${stream} in this log`);
    for (const recorded of page.events) yield { recorded, event: decodeRecorded(recorded) };
    next += page.events.length;
    if (page.events.length === 0 || next > page.headRevision) return;
  }
}
