/** Approvers that no one who signs in can be: a rule that names them waits for nobody. */
import { canGive } from './merge-demands.ts';
import type { ApproverSpec, Policy } from './policy.ts';

/** A rule with such approvers, by its place in the policy; `isNever`: nobody could ever approve what it asks for. */
export type Unreachable = { readonly index: number; readonly problem: string; readonly isNever: boolean };

/**
 * The rules whose approvers nobody can be where people sign in. `groups`: those that a token can bring; undefined: any; empty: tokens are not taken,
 * and an API key alone has no groups.
 */
export function unreachableApprovers({ rules }: Policy, groups: readonly string[] | undefined): Unreachable[] {
  return rules.flatMap(({ name, demand }, index) => {
    if (demand === undefined) return [];
    const everybody = [...demand.approvers, ...demand.escalations.flatMap(({ to }) => to)];
    const missing = everybody.flatMap((one) => whyNobody(one, groups) ?? []);
    if (missing.length === 0) return [];
    const reachable = everybody.filter((one) => whyNobody(one, groups) === undefined);
    const isNever = demand.approvers.length > 0 && !canGive(reachable, demand.votes);
    const problem = `rule "${name}" names ${[...new Set(missing)].join('; ')}`;
    return [{ index, problem: isNever ? `${problem}: nobody could ever approve what it asks for` : problem, isNever }];
  });
}

/** Why nobody who signs in is this approver; undefined if somebody may be. */
function whyNobody({ kind, name }: ApproverSpec, groups: readonly string[] | undefined): string | undefined {
  if (kind === 'user' && !name.includes('@'))
    return `user:${name}, and who signs in is known by their e-mail address: write that`;
  if (kind !== 'group' || groups === undefined || groups.includes(name)) return undefined;
  return groups.length === 0
    ? `group:${name}, and groups come from tokens alone: set auth.jwt, or name people or roles`
    : `group:${name}, which is not among auth.jwt.groups: add it there`;
}
