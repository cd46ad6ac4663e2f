import type { Actor, Fact, RecordedFact } from '@stopgo/core';
import { DomainError } from '@stopgo/core';
import type { Clock } from './clock.ts';
import type { Append, AppendOutcome, ConversationLog } from './conversation-log.ts';

/** First and longest pause between repeats of an append whose outcome is unknown, in milliseconds. */
const pauseFirstMs = 20;
const pauseMostMs = 1_000;

/**
 * True for failures after which an append may or may not have been made, and for a service that refuses the internal token,
 * which is repeated as well: a replica that was started with another one must not end any run.
 */
export function isUnknown(error: unknown): boolean {
  return (
    error instanceof DomainError &&
    (error.kind === 'unavailable' ||
      error.kind === 'deadline_exceeded' ||
      error.kind === 'resource_exhausted' ||
      error.kind === 'canceled' ||
      error.kind === 'unauthenticated')
  );
}

/**
 * Appends until the outcome is known: an append whose answer was lost is repeated, the same bytes with the same key and
 * the same expected revision, so that it is made at most once. Rejects for other failures, and when the signal aborts.
 */
export function appendUntilKnown(
  log: ConversationLog,
  append: Append,
  clock: Clock,
  random: () => number,
  signal: AbortSignal,
): Promise<AppendOutcome> {
  return untilAnswered(() => log.append(append), clock, random, signal);
}

/** Asks again, with growing pauses, while the log is out of reach. Rejects for other failures, and when the signal aborts. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  clock: Clock,
  random: () => number,
  signal: AbortSignal,
): Promise<T> {
  for (let pause = pauseFirstMs; ; pause = Math.min(pause * 2, pauseMostMs)) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!isUnknown(error)) throw error;
      await clock.sleep(pause * (0.5 + random() / 2), signal);
    }
  }
}

/** The events of an append as the log has them once it is made. */
export function recordedOf(append: Append): RecordedFact[] {
  const actor: Actor = append.actor;
  return append.facts.map((fact: Fact, index) => ({
    stream: append.stream,
    revision: append.expectedRevision + index + 1,
    eventId: append.eventIds[index] ?? '',
    time: append.now,
    actor,
    causationId: append.causationId,
    correlationId: append.correlationId,
    fact,
  }));
}
