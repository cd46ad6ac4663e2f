import { ask } from '../api/client.ts';
import { claimedName } from '../api/signed-in.ts';
import { askOnce } from '../api/tries.ts';
import type { Approval } from '../api/types.ts';
import { hear } from '../state/live.ts';

/** How many the platform decides in one request. */
const togetherMax = 100;

/** What became of one of many. */
export type Outcome = {
  readonly uuid: string;
  /** As the platform answers a decision on it alone. */
  readonly status: number;
  readonly error?: string;
};

/**
 * Decides the same on many approvals, each on its own: one that is refused changes nothing for the others. Hears what became of each.
 *
 * @throws ApiError or NotReached if the platform took none of a part of them, or nobody knows; the parts before it are decided.
 */
export async function decideMany(
  approvals: readonly Approval[],
  action: 'approve' | 'reject',
  reason: string,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const by = claimedName();
  const why = reason.trim() === '' ? {} : { reason: reason.trim() };
  for (let from = 0; from < approvals.length; from += togetherMax) {
    const part = approvals.slice(from, from + togetherMax).map(({ uuid }) => uuid);
    const body = {
      decisions: part.map((uuid) => ({ uuid, action, ...why })),
      ...(by === '' ? {} : { by }),
    };
    const answer = await askOnce<{ results: readonly Outcome[] }>(
      `decisions.${part.join('.')}`,
      '/approvals/decide',
      JSON.stringify(body),
    );
    outcomes.push(...answer.results);
    await Promise.all(part.map(learn));
  }
  return outcomes;
}

/** What the list shows of it must not wait for the stream to tell. */
async function learn(uuid: string): Promise<void> {
  const answer = await ask<{ approval: Approval }>(`/approvals/${uuid}`).catch(() => undefined);
  if (answer !== undefined) hear([answer.approval]);
}

/** What became of all, in sentences: as the approvals stand now, and what was refused with the reason. */
export function wordsOfOutcomes(
  outcomes: readonly Outcome[],
  action: 'approve' | 'reject',
  known: ReadonlyMap<string, Approval>,
): readonly string[] {
  const taken = outcomes.filter(({ status }) => status < 400);
  const wanted = action === 'approve' ? 'approved' : 'rejected';
  const settled = taken.filter(({ uuid }) => known.get(uuid)?.status === wanted);
  const open = taken.filter(({ uuid }) => known.get(uuid)?.status === 'pending');
  const refused = new Map<string, number>();
  for (const { status, error } of outcomes) {
    if (status < 400) continue;
    const why = error ?? `the platform answered ${status}`;
    refused.set(why, (refused.get(why) ?? 0) + 1);
  }
  return [
    ...(settled.length === 0 ? [] : [`${settled.length.toLocaleString('en')} ${wanted}.`]),
    ...(open.length === 0 ? [] : [`${open.length.toLocaleString('en')} with your vote, and more votes are needed.`]),
    ...[...refused].map(([why, number]) => `${number.toLocaleString('en')} not decided: ${why}.`),
  ];
}
