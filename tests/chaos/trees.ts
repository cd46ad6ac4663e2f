import { canceledByUser } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { LoggedConversation } from '../promises/read-log.ts';

/** What there was of trees: without it their rules would hold of nothing. */
export type Trees = {
  readonly runs: number;
  /** Runs in which several approvals were pending at the same time. */
  readonly waitedTogether: number;
  readonly endedByRejection: number;
  /** Calls that policy approved, on the record. */
  readonly automatic: number;
};

/** Counts the runs of trees. */
export function treesIn(conversations: readonly LoggedConversation[]): Trees {
  const all = conversations.flatMap(({ events }) =>
    events.flatMap(({ fact }) => {
      if (fact.case !== 'runStarted' || !fact.value.pipeline) return [];
      const { runId } = fact.value;
      return [events.flatMap((one) => ('runId' in one.fact.value && one.fact.value.runId === runId ? [one.fact] : []))];
    }),
  );
  const count = (isSo: (run: (typeof all)[number]) => boolean): number => all.filter(isSo).length;
  return {
    runs: all.length,
    waitedTogether: count((run) => mostPending(run) > 1),
    endedByRejection: count((run) =>
      run.some((fact) => fact.case === 'runCompleted' && fact.value.output?.parts[0]?.text === canceledByUser),
    ),
    automatic: all
      .flat()
      .filter(
        (fact) =>
          fact.case === 'approvalResolved' && fact.value.byPolicy && fact.value.decision === facts.Decision.APPROVED,
      ).length,
  };
}

function mostPending(run: readonly LoggedConversation['events'][number]['fact'][]): number {
  let pending = 0;
  let most = 0;
  for (const fact of run) {
    if (fact.case === 'approvalRequested') pending += 1;
    if (fact.case === 'approvalResolved') pending -= 1;
    most = Math.max(most, pending);
  }
  return most;
}
