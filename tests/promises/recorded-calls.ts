import { canceledByUser, canonicalJson, parseJson, type RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { LoggedConversation } from './read-log.ts';

/** What the names of nodes begin with that do not want a human to be asked. */
export const automaticPrefix = 'free-';

/** A decision on a call, and when it was taken, in milliseconds since 1970. */
export type CallDecision = {
  readonly decision: facts.Decision;
  readonly at: number;
  readonly digest: string;
  readonly byPolicy: boolean;
};

/** An attempt whose outcome nobody could tell. Times are in milliseconds since 1970. */
export type Doubt = {
  readonly at: number;
  /** When the attempt was fenced. Absent if that is not on the record. */
  readonly startedAt?: number;
};

/** A call as the log has it, with all that was recorded about it. */
export type RecordedCall = {
  readonly conversationId: string;
  readonly callId: string;
  readonly tool: string;
  /** Canonical. */
  readonly argumentsJson: string;
  readonly digest: string;
  readonly decisions: readonly CallDecision[];
  /** When its attempts were fenced, in milliseconds since 1970. */
  readonly starts: readonly number[];
  /** An attempt may be noted more than once: by whoever drives the run, and by a driver that comes too late. */
  readonly doubts: readonly Doubt[];
  /** Attempts that are known not to have begun. */
  readonly notStarted: number;
  /** When its run was canceled, which asks a running call to stop, in milliseconds since 1970. */
  readonly cancels: readonly number[];
  /** An end of an attempt stands in the log, with a result or an error. */
  readonly hasEnd: boolean;
  /** Its run was ended by a rejection: what had not started did not run any more. */
  readonly isRejectedWithRun: boolean;
  /** Its node leaves it to policy, and says so by its name. */
  readonly mayBeAutomatic: boolean;
  /** A result that is no error, and that the platform had from the tool. */
  readonly hasResult: boolean;
};

/** Every call that a model asked for in a conversation. */
export function callsOf({ id: conversationId, events }: LoggedConversation): RecordedCall[] {
  return events.flatMap(({ fact }) => {
    if (fact.case !== 'modelResponded') return [];
    const { runId, calls, node } = fact.value;
    return calls.map((call): RecordedCall => {
      const about = events.filter((event) => isAbout(event, runId, call.callId));
      return {
        conversationId,
        callId: call.callId,
        tool: call.tool,
        argumentsJson: canonicalJson(parseJson(call.argumentsJson) ?? null),
        digest: call.digest,
        decisions: decisionsIn(about),
        starts: about.filter((event) => event.fact.case === 'toolCallStarted').map((event) => event.time),
        doubts: doubtsIn(about),
        notStarted: about.filter(isNotStarted).length,
        cancels: events
          .filter((event) => event.fact.case === 'runCanceled' && event.fact.value.runId === runId)
          .map((event) => event.time),
        isRejectedWithRun: events.some(({ fact: one }) => isEndOfRejected(one, runId)),
        mayBeAutomatic: node.startsWith(automaticPrefix),
        hasEnd: about.some((event) => event.fact.case === 'toolCallFinished'),
        hasResult: about.some(({ fact: one }) => one.case === 'toolCallFinished' && !one.value.isError),
      };
    });
  });
}

/** A decision counts with the digest that its request was bound to. */
function decisionsIn(about: readonly RecordedFact[]): CallDecision[] {
  const digests = new Map<string, string>();
  const decisions: CallDecision[] = [];
  for (const { fact, time } of about) {
    if (fact.case === 'approvalRequested') digests.set(fact.value.approvalId, fact.value.digest);
    if (fact.case === 'approvalResolved')
      decisions.push({
        decision: fact.value.decision,
        at: time,
        digest: digests.get(fact.value.approvalId) ?? 'of no request',
        byPolicy: fact.value.byPolicy,
      });
  }
  return decisions;
}

/** Each doubt with the start of its own attempt. */
function doubtsIn(about: readonly RecordedFact[]): Doubt[] {
  const startedAt = new Map<number, number>();
  return about.flatMap(({ fact, time: at }): Doubt[] => {
    if (fact.case === 'toolCallStarted') startedAt.set(fact.value.attempt, at);
    if (fact.case !== 'toolCallInDoubt') return [];
    const start = startedAt.get(fact.value.attempt);
    return [start === undefined ? { at } : { at, startedAt: start }];
  });
}

function isEndOfRejected(fact: RecordedFact['fact'], runId: string): boolean {
  if (fact.case !== 'runCompleted' || fact.value.runId !== runId) return false;
  return fact.value.output?.parts[0]?.text === canceledByUser;
}

/** Whatever the reason: a refused attempt certainly did not run. */
function isNotStarted({ fact }: RecordedFact): boolean {
  return fact.case === 'toolCallRefused' && fact.value.reason !== facts.RefusalReason.UNSPECIFIED;
}

function isAbout({ fact }: RecordedFact, runId: string, callId: string): boolean {
  switch (fact.case) {
    case 'approvalRequested':
    case 'approvalResolved':
    case 'toolCallStarted':
    case 'toolCallFinished':
    case 'toolCallInDoubt':
    case 'toolCallRefused':
      return fact.value.runId === runId && fact.value.callId === callId;
    default:
      return false;
  }
}
