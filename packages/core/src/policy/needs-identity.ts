import type { ApproverSpec, Policy, Rule } from './policy.ts';

/** What only somebody who is signed in has: to others such a predicate would never apply. */
const provenFields = /\bcaller\s*(?:\.\s*|\[\s*["'])(role|groups|id|email)\b/;

/**
 * Which rule can be followed only where people sign in, and what of it, in words; undefined if none. Roles and groups are nothing that
 * anybody may claim.
 */
export function needsIdentity({ rules }: Policy): string | undefined {
  for (const rule of rules) {
    const proven = approversOf(rule).find(({ kind }) => kind !== 'user');
    if (proven !== undefined) return `rule "${rule.name}" names ${proven.kind}:${proven.name}`;
    if (rule.demand?.notRequester === true) return `rule "${rule.name}" keeps out who asked (separation_of_duties)`;
    const [, field] = provenFields.exec(rule.when ?? '') ?? [];
    if (field !== undefined) return `rule "${rule.name}" asks for caller.${field}`;
  }
  return undefined;
}

function approversOf({ demand }: Rule): readonly ApproverSpec[] {
  return [...(demand?.approvers ?? []), ...(demand?.escalations ?? []).flatMap(({ to }) => to)];
}
