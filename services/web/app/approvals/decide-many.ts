import type { Approval } from '@stopgo/client';
import { claimedName } from '../api/signed-in.ts';
import { askOnce } from '../api/tries.ts';
import { hear } from '../state/live.ts';

/** How many the platform decides in one request. */
export const togetherMax = 100;

/** What became of one of many. */
export type Outcome = {
  readonly uuid: string;
  /** As the platform answers a decision on it alone. */
  readonly status: number;
  /** As it stands after the decision; it may be missing where it was decided. */
  readonly approval?: Approval;
  readonly error?: string;
};

/**
 * Decides the same on up to `togetherMax` approvals, each on its own: one that is refused changes nothing for the others. Hears what became
 * of each.
 *
 * @throws ApiError or NotReached if the platform took none, or nobody knows.
 */
export async function decideMany(
  approvals: readonly Approval[],
  action: 'approve' | 'reject',
  reason: string,
): Promise<readonly Outcome[]> {
  const by = claimedName();
  const why = reason.trim() === '' ? {} : { reason: reason.trim() };
  const uuids = approvals.map(({ uuid }) => uuid);
  const body = {
    decisions: uuids.map((uuid) => ({ uuid, action, ...why })),
    ...(by === '' ? {} : { by }),
  };
  const { results } = await askOnce<{ results: readonly Outcome[] }>(
    `decisions.${uuids.join('.')}`,
    '/approvals/decide',
    JSON.stringify(body),
  );
  // What the list shows of it must not wait for the stream to tell.
  hear(results.flatMap(({ approval }) => approval ?? []));
  return results;
}

/** What became of all, in sentences: as the platform answered of each. Together they tell of every one. */
export function wordsOfOutcomes(outcomes: readonly Outcome[], action: 'approve' | 'reject'): readonly string[] {
  const wanted = action === 'approve' ? 'approved' : 'rejected';
  const told = new Map<string, number>();
  for (const outcome of outcomes) {
    const words = wordsOfOne(outcome, wanted);
    told.set(words, (told.get(words) ?? 0) + 1);
  }
  return [...told].map(([words, number]) => `${number.toLocaleString('en')} ${words}.`);
}

function wordsOfOne({ status, approval, error }: Outcome, wanted: string): string {
  if (status >= 500) return `of which nobody knows whether they were decided: ${error ?? `answer ${status}`}`;
  if (status >= 400) return `not decided: ${error ?? `the platform answered ${status}`}`;
  if (approval === undefined || approval.status === wanted) return wanted;
  return approval.status === 'pending' ? 'with your vote, and more votes are needed' : `now ${approval.status}`;
}
