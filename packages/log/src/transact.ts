import {
  type Actor,
  type ConversationState,
  conversationStream,
  DomainError,
  evolve,
  type Fact,
  type IdempotencyKey,
} from '@stopgo/core';
import type { facts, views } from '@stopgo/proto';
import type { Clock } from './clock.ts';
import { isUnknown } from './commit.ts';
import type { Append, AppendOutcome, ConversationLog, Loaded } from './conversation-log.ts';

/** How long a human's command is tried against conflicts and lost answers, in milliseconds. */
export const commandDeadlineMs = 5_000;
/** Longest pause between tries, in milliseconds. */
const pauseMs = 100;

export type TransactPorts = {
  readonly instance: string;
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/** A command of somebody outside. */
export type Command<D extends { readonly kind: string }> = {
  readonly actor: Actor;
  readonly idempotency?: IdempotencyKey;
  readonly wantsView?: boolean;
  /**
   * A decision with nothing to append is made by what the log has. An append finds out by itself that a state is behind; whoever finds
   * nothing to do looks.
   */
  readonly looks?: boolean;
  /** Decides against a state. A decision with facts is appended; any other is the answer. */
  readonly decide: (state: ConversationState) => D;
  readonly factsOf: (decision: D) => readonly Fact[] | undefined;
};

export type Transacted<D> =
  | {
      readonly kind: 'done';
      readonly decision: D;
      readonly state: ConversationState;
      readonly append: Append;
      readonly view?: views.ConversationView;
    }
  | { readonly kind: 'refused'; readonly decision: D; readonly state: ConversationState }
  /** The command was taken before: its idempotency key stands on these events. */
  | {
      readonly kind: 'repeated';
      readonly firstRevision: number;
      readonly lastRevision: number;
      readonly state: ConversationState;
    };

/** The key under which somebody may repeat a command, from the contract; undefined if none was given. */
export function idempotencyFromWire(wired: facts.Idempotency | undefined): IdempotencyKey | undefined {
  return wired === undefined || wired.key === '' ? undefined : { key: wired.key, requestDigest: wired.requestDigest };
}

/** The key of an append that carries a caller's own key. */
export function clientKey(idempotency: IdempotencyKey): string {
  return `client:${idempotency.key}`;
}

/**
 * Decides and appends, deciding anew after each conflict, for at most 5 s. Rejects with `unavailable` if by then the
 * outcome is not known, and with `failed_precondition` (reason=idempotency_mismatch) if the key stood on another request.
 */
export async function transact<D extends { readonly kind: string }>(
  ports: TransactPorts,
  loaded: Loaded,
  command: Command<D>,
): Promise<Transacted<D>> {
  const { clock, newId } = ports;
  const deadline = clock.monotonic() + commandDeadlineMs;
  let { state } = loaded;
  const { idempotency } = command;
  const known = repeated(loaded, idempotency);
  if (known !== undefined) return known;
  for (let hasLooked = command.looks !== true; ; ) {
    const decision = command.decide(state);
    const facts = command.factsOf(decision);
    if (facts === undefined || facts.length === 0) {
      if (!hasLooked) {
        hasLooked = true;
        const seen = state;
        state = await asLogHas(ports.log, seen);
        if (state !== seen) continue;
      }
      // What came in between may be this very command: the same request, sent twice at once.
      const twin =
        state === loaded.state ? undefined : await repeatedMeanwhile(ports, loaded, state, command, deadline);
      return twin ?? { kind: 'refused', decision, state };
    }
    const append: Append = {
      stream: conversationStream(loaded.conversationId),
      expectedRevision: state.revision,
      facts,
      actor: command.actor,
      correlationId: state.sessionId,
      causationId: '',
      key: idempotency === undefined ? newId() : clientKey(idempotency),
      ...(idempotency === undefined ? {} : { requestDigest: idempotency.requestDigest }),
      now: clock.now(),
      eventIds: facts.map(() => newId()),
      wantsView: command.wantsView ?? false,
    };
    const outcome = await appendBefore(ports, append, deadline);
    if (outcome.kind === 'appended' || (outcome.kind === 'duplicate' && idempotency === undefined)) {
      const { view } = outcome;
      return { kind: 'done', decision, state, append, ...(view === undefined ? {} : { view }) };
    }
    if (outcome.kind === 'duplicate') {
      // By a lost answer it may be this very append, or an earlier request with the same key: the answer is the same.
      const again = await ports.log.load(loaded.conversationId, [append.key]);
      const before = repeated(again, idempotency);
      if (before !== undefined) return before;
      // A reader that lags behind does not show it yet.
      if (clock.monotonic() > deadline) throw unknownOutcome();
      await clock.sleep(ports.random() * pauseMs);
      continue;
    }
    state = await caughtUp(ports.log, state, outcome, loaded.conversationId);
    if (clock.monotonic() > deadline) throw unknownOutcome();
    await clock.sleep(ports.random() * pauseMs);
  }
}

/** Appends facts that depend on nothing but the state, for the platform itself; gives the state after them. */
export async function handOver(
  ports: TransactPorts,
  state: ConversationState,
  decide: (state: ConversationState) => readonly Fact[],
): Promise<ConversationState> {
  const done = await transact(
    ports,
    { conversationId: state.id, state, knownKeys: [] },
    {
      actor: { kind: 'system', id: ports.instance },
      decide: (now) => ({ kind: 'facts', facts: decide(now) }),
      factsOf: (decision) => decision.facts,
    },
  );
  return done.kind === 'refused' ? done.state : (await ports.log.load(state.id)).state;
}

function repeated(
  loaded: Loaded,
  idempotency: IdempotencyKey | undefined,
): Extract<Transacted<never>, { kind: 'repeated' }> | undefined {
  if (idempotency === undefined) return undefined;
  const known = loaded.knownKeys.find((one) => one.key === clientKey(idempotency));
  if (known === undefined) return undefined;
  if (known.requestDigest !== idempotency.requestDigest)
    throw new DomainError('failed_precondition', 'this Idempotency-Key was used for another request; use a new key', {
      details: { reason: 'idempotency_mismatch' },
    });
  const { firstRevision, lastRevision } = known;
  return { kind: 'repeated', firstRevision, lastRevision, state: loaded.state };
}

/** The state with all that the log has after it; the same one if that is nothing. */
async function asLogHas(log: ConversationLog, seen: ConversationState): Promise<ConversationState> {
  let state = seen;
  for await (const event of log.read(conversationStream(seen.id), seen.revision + 1)) state = evolve(state, event);
  return state;
}

async function repeatedMeanwhile(
  ports: TransactPorts,
  loaded: Loaded,
  state: ConversationState,
  { idempotency }: { readonly idempotency?: IdempotencyKey },
  deadline: number,
): Promise<ReturnType<typeof repeated>> {
  if (idempotency === undefined) return undefined;
  for (;;) {
    const again = await ports.log.load(loaded.conversationId, [clientKey(idempotency)]);
    if (again.state.revision >= state.revision) return repeated(again, idempotency);
    if (ports.clock.monotonic() > deadline) throw unknownOutcome();
    await ports.clock.sleep(ports.random() * pauseMs);
  }
}

async function appendBefore(ports: TransactPorts, append: Append, deadline: number): Promise<AppendOutcome> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await ports.log.append(append);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      // The log says that it has recorded nothing, and nothing was handed to it before.
      if (isFirst && isNothingRecorded(error)) throw error;
      if (ports.clock.monotonic() > deadline) throw unknownOutcome(error);
      await ports.clock.sleep(ports.random() * pauseMs);
    }
  }
}

async function caughtUp(
  log: ConversationLog,
  state: ConversationState,
  conflict: Extract<AppendOutcome, { kind: 'conflict' }>,
  conversationId: string,
): Promise<ConversationState> {
  let now = state;
  for (const event of conflict.unseen) if (event.revision === now.revision + 1) now = evolve(now, event);
  return now.revision >= conflict.currentRevision ? now : (await log.load(conversationId)).state;
}

function isNothingRecorded(error: unknown): boolean {
  return error instanceof DomainError && error.details.recorded === 'nothing';
}

function unknownOutcome(cause?: unknown): DomainError {
  return new DomainError(
    'unavailable',
    'it is not known whether this took effect: look before you repeat it, or repeat it with the Idempotency-Key it had',
    {
      retryAfterMs: 1_000,
      cause,
    },
  );
}
