import type { RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { LoggedConversation } from '../promises/read-log.ts';
import {
  brokenRules,
  type CallAndRuns,
  callsAndRuns,
  isRepeatable,
  nameOf,
  type Witnessed,
} from '../promises/rules.ts';
import { demandsOf } from './demands.ts';
import type { Carried } from './faults.ts';
import { judgedByOthers } from './policies.ts';

/** All that is left of a run of the chaos test, each part written by somebody else. */
export type Evidence = Witnessed & {
  /** By the harness. */
  readonly carried: readonly Carried[];
  /** How long one call of a tool may take by the configuration, in milliseconds. */
  readonly toolLimitMs: number;
};

const { Decision } = facts;
/** Only what befalls these can leave a call in doubt. */
const doubtful: readonly string[] = ['mcp-bridge', 'tools'];

/** Everything that is wrong, one line each. Empty: all promises were kept. */
export function check(evidence: Evidence): string[] {
  return [
    ...brokenRules(evidence),
    ...callsAndRuns(evidence).flatMap((one) => [...repeated(one), ...doubted(one, evidence)]),
    ...evidence.conversations.flatMap((one) => [
      ...recordedTwice(one),
      ...ownedTwice(one),
      ...failed(one),
      ...demandsOf(one),
    ]),
    ...judgedByOthers(evidence.conversations),
  ];
}

/**
 * Invariant 4: once, and once more for each time that a human said so before; and never more often than attempts were
 * made of which nobody found out that they had not begun. A frozen tool server may run the attempts that wait for it
 * in any order, after a human has decided, so what runs cannot be put between the decisions.
 */
function repeated({ call, runs }: CallAndRuns): string[] {
  if (isRepeatable(call)) return [];
  const again = (at: number): number =>
    call.decisions.filter((one) => one.decision === Decision.RUN_AGAIN && one.at <= at).length;
  const attempts = call.starts.length - call.notStarted;
  return [
    ...runs
      .filter((run, index) => index > again(run.begunAt))
      .map((run) => `a call ran twice and nobody asked for it: ${nameOf(run)}`),
    ...(runs.length > attempts
      ? [`a call ran ${runs.length} times, and ${attempts} attempts of it may have begun: ${nameOf(call)}`]
      : []),
  ];
}

/**
 * A call is in doubt only if, while it was under way, its bridge or its tool was struck, or it was asked to stop, or its tool took
 * longer than its limit: on a slow machine one gets to a call so late that it does.
 */
function doubted({ call, runs }: CallAndRuns, { carried, toolLimitMs }: Evidence): string[] {
  return call.doubts
    .filter(({ at: doubtAt, startedAt = Number.POSITIVE_INFINITY }) => {
      const isStruck = carried.some(
        ({ part, from, to }) => doubtful.includes(part) && from <= doubtAt && to >= startedAt,
      );
      const isStopped = call.cancels.some((at) => at >= startedAt && at <= doubtAt);
      const limit = startedAt + toolLimitMs;
      const run = runs.find(({ begunAt }) => begunAt >= startedAt);
      const isLate = doubtAt >= limit && run?.endedAt !== undefined && run.endedAt > limit;
      return !isStruck && !isStopped && !isLate;
    })
    .map(() => `a call is in doubt although neither bridge nor tool was struck: ${nameOf(call)}`);
}

/** Invariant 8: what has a result on the record gets no second one. */
function recordedTwice({ id, events }: LoggedConversation): string[] {
  const seen = new Set<string>();
  return events.flatMap((event) => {
    const name = resultOf(event);
    if (name === undefined || !seen.has(name)) {
      if (name !== undefined) seen.add(name);
      return [];
    }
    return [`conversation ${id} has two results of ${name}`];
  });
}

function resultOf({ fact }: RecordedFact): string | undefined {
  switch (fact.case) {
    case 'modelResponded':
      return `model call ${fact.value.runId} ${fact.value.stepId} ${fact.value.turn}`;
    case 'toolCallFinished':
      return fact.value.late ? undefined : `call ${fact.value.runId} ${fact.value.callId}`;
    case 'runCompleted':
    case 'runFailed':
    case 'runCanceled':
      return `run ${fact.value.runId}`;
    default:
      return undefined;
  }
}

/** Invariant 9: an epoch of a run has one owner. */
function ownedTwice({ id, events }: LoggedConversation): string[] {
  const epochs = new Map<string, number>();
  return events.flatMap(({ fact }) => {
    if (fact.case !== 'runStarted' && fact.case !== 'runClaimed') return [];
    const { runId, owner } = fact.value;
    const epoch = owner?.epoch ?? 0;
    const before = epochs.get(runId);
    epochs.set(runId, epoch);
    return before === undefined || epoch > before ? [] : [`run ${runId} of ${id} was claimed without a new epoch`];
  });
}

/** Invariant 12: whatever was struck, the model was there and answered, so that a run has no reason to fail. */
function failed({ id, events }: LoggedConversation): string[] {
  return events.flatMap(({ fact }) =>
    fact.case === 'runFailed' ? [`a run of conversation ${id} failed: ${fact.value.text}`] : [],
  );
}
