import { headers } from '@nats-io/transport-node';
import type { Requests } from './requests.ts';

/** What a stream must be like to take a message. */
export type Expected = {
  /** Name of the stream. */
  readonly stream: string;
  /** Sequence of the last message of the subject; 0: none; absent: whatever there is. */
  readonly lastSubjectSequence?: number;
};

/**
 * Publishes into a stream and waits for its word: the sequence that the message was given. Rejects as {@link Requests.ask}: after a
 * refusal this message is not stored, though one of the same bytes that was sent before may be; of anything else nothing is known.
 */
export async function publish(
  requests: Requests,
  subject: string,
  data: Uint8Array,
  { stream, lastSubjectSequence }: Expected,
  waitMs: number,
): Promise<number> {
  const expectations = headers();
  expectations.set('Nats-Expected-Stream', stream);
  if (lastSubjectSequence !== undefined)
    expectations.set('Nats-Expected-Last-Subject-Sequence', String(lastSubjectSequence));
  const { seq } = (await requests.ask(subject, { data, headers: expectations, waitMs })) as { readonly seq?: unknown };
  if (typeof seq !== 'number' || seq < 1) throw new Error('an acknowledgement without a sequence');
  return seq;
}
