/** Limits of what an agent may use, as they stand on the record: what is used up, and what a person has given anew. */
import { facts } from '@stopgo/proto';
import type { LimitKind, LimitUse } from '../text/limit-words.ts';

/** How much an agent may use in all of its work. Of cost in nano-dollars. */
export type NewLimit = Pick<LimitUse, 'kind' | 'most'>;

/** Limits that a person has given, each with how many times the agent might use its limits by then. */
export type GivenLimits = Readonly<Partial<Record<LimitKind, { readonly most: number; readonly since: number }>>>;

const kinds = {
  tokens: facts.LimitKind.TOKENS,
  cost: facts.LimitKind.COST,
  agent_calls: facts.LimitKind.AGENT_CALLS,
} as const satisfies Record<LimitKind, facts.LimitKind>;

const all = Object.keys(kinds) as LimitKind[];

/** The same for the record. */
export const newLimitToWire = ({ kind, most }: NewLimit) => ({ kind: kinds[kind], most: BigInt(most) });

/** The same for the record. */
export const limitUseToWire = ({ used, ...limit }: LimitUse) => ({ ...newLimitToWire(limit), used: BigInt(used) });

/** Limits of the record. A kind that is newer than this program is left out. */
export function newLimitsFromWire(limits: readonly Pick<facts.NewLimit, 'kind' | 'most'>[]): NewLimit[] {
  return limits.flatMap(({ kind: wired, most }) => {
    const kind = all.find((one) => kinds[one] === wired);
    return kind === undefined ? [] : [{ kind, most: Number(most) }];
  });
}

/** What is used up, from the record. */
export function limitUsesFromWire(reached: readonly Pick<facts.ReachedLimit, 'kind' | 'used' | 'most'>[]): LimitUse[] {
  return reached.flatMap((one) => newLimitsFromWire([one]).map((limit) => ({ ...limit, used: Number(one.used) })));
}
