import { readPredicate } from './cel.ts';
import type { ApproverSpec, Policy, Rule } from './policy.ts';

/** What only somebody who is signed in has: to others such a predicate would never apply. */
const provenFields: ReadonlySet<string> = new Set(['role', 'groups', 'id', 'email', 'authenticated']);

/**
 * Which rule can be followed only where people sign in, and what of it, in words; undefined if none. Roles and groups are nothing that
 * anybody may claim. Whoever takes the caller as a whole asks for those, too.
 */
export function needsIdentity({ rules }: Policy): string | undefined {
  for (const rule of rules) {
    const proven = approversOf(rule).find(({ kind }) => kind !== 'user');
    if (proven !== undefined) return `rule "${rule.name}" names ${proven.kind}:${proven.name}`;
    if (rule.demand?.notRequester === true) return `rule "${rule.name}" keeps out who asked (separation_of_duties)`;
    const asked = [...askedOfCaller(rule)].find((field) => field === '' || provenFields.has(field));
    if (asked !== undefined) return `rule "${rule.name}" asks for ${asked === '' ? 'caller' : `caller.${asked}`}`;
  }
  return undefined;
}

/** Names of the rules that rest on the caller's name: where nobody signs in, anybody may claim any. */
export function restOnClaimedName({ rules }: Policy): readonly string[] {
  return rules.filter((rule) => askedOfCaller(rule).has('name')).map(({ name }) => name);
}

function askedOfCaller({ when = '' }: Rule): ReadonlySet<string> {
  const predicate = when === '' ? undefined : readPredicate(when);
  return predicate !== undefined && 'ofCaller' in predicate ? predicate.ofCaller : new Set();
}

function approversOf({ demand }: Rule): readonly ApproverSpec[] {
  return [...(demand?.approvers ?? []), ...(demand?.escalations ?? []).flatMap(({ to }) => to)];
}
