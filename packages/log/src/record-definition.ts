import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fact, type StreamName } from '@stopgo/core';
import type { Clock } from './clock.ts';
import { appendUntilKnown, untilAnswered } from './commit.ts';
import type { Append, ConversationLog } from './conversation-log.ts';

export type DefinitionPorts = {
  /** Id of this process. */
  readonly instance: string;
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/**
 * Puts a definition on the record, in a stream that is named by its digest, if it does not stand there yet.
 *
 * @throws DomainError `data_loss` if the stream holds another one; the signal's reason when it aborts.
 */
export async function recordDefinition(
  { instance, log, clock, newId, random }: DefinitionPorts,
  stream: StreamName,
  definition: Fact,
  signal: AbortSignal,
): Promise<void> {
  const append: Append = {
    stream,
    expectedRevision: 0,
    facts: [definition],
    actor: { kind: 'system', id: instance },
    correlationId: '',
    causationId: '',
    key: newId(),
    now: clock.now(),
    eventIds: [newId()],
  };
  const outcome = await appendUntilKnown(log, append, clock, random, signal);
  if (outcome.kind !== 'conflict') return;
  // Somebody has recorded it: the name of the stream is the digest of what it holds. That is made sure of.
  const [there] = outcome.unseen;
  const recorded = there?.fact ?? (await untilAnswered(() => firstOf(log, stream), clock, random, signal));
  if (!isDeepStrictEqual(recorded, definition))
    throw new DomainError('data_loss', `${stream} holds another definition than the one that it is named after`);
}

async function firstOf(log: ConversationLog, stream: StreamName): Promise<Fact> {
  for await (const event of log.read(stream, 1)) return event.fact;
  throw new DomainError('unavailable', `${stream} cannot be read now`);
}
