import type { LoggedConversation } from '../promises/read-log.ts';

/** By what a call, or what is asked because of one, was judged. */
type Judged = { readonly rule: string; readonly policyDigest: string };

/**
 * Where the orchestrators' files hold other rules, and no two of them name a rule alike: calls that were judged by another policy than
 * their run began with, and rules that stand in judgements of two policies.
 */
export function judgedByOthers(conversations: readonly LoggedConversation[]): string[] {
  const policyOf = new Map<string, string>();
  const wrong: string[] = [];
  for (const { id, events } of conversations) {
    const begun = new Map<string, string>();
    for (const { fact, revision } of events) {
      if (fact.case === 'runStarted') begun.set(fact.value.runId, fact.value.policyDigest);
      const judged: readonly Judged[] =
        fact.case === 'modelResponded' ? fact.value.calls : fact.case === 'approvalRequested' ? [fact.value] : [];
      for (const { rule, policyDigest } of judged) {
        if (rule === '') continue;
        const place = `conversation ${id}, event ${revision}: rule ${rule}`;
        if ('runId' in fact.value && policyDigest !== begun.get(fact.value.runId))
          wrong.push(`${place} is of another policy than the run began with`);
        const known = policyOf.get(rule) ?? policyDigest;
        policyOf.set(rule, known);
        if (policyDigest !== known) wrong.push(`${place} decides where the policy is another one`);
      }
    }
  }
  return wrong;
}
