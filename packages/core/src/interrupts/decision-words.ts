import type { Json } from '../text/json.ts';

/** A decision as a person gives it. */
export type HumanDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'run_again' }
  | { readonly kind: 'happened'; readonly result: string }
  | { readonly kind: 'give_up' };

/** A decision, or why the input holds none. */
export type ParsedDecision =
  | { readonly ok: true; readonly decision: HumanDecision; readonly by?: string }
  | { readonly ok: false; readonly problem: string };

const approveWords = new Set(['yes', 'y', 'true', 'approve', 'approved', 'ok', 'confirm']);
const rejectWords = new Set(['no', 'n', 'false', 'reject', 'rejected', 'deny', 'denied', 'cancel']);
const doubtWords = new Set(['run_again', 'happened', 'give_up']);

/** Reads one word in any case and with blanks around it; undefined if it is no decision. */
export function decisionOfWord(word: string): 'approve' | 'reject' | undefined {
  const known = word.trim().toLowerCase();
  if (approveWords.has(known)) return 'approve';
  return rejectWords.has(known) ? 'reject' : undefined;
}

const accepted =
  'give {"approved": true|false}, or "action" or "answer" with one of yes, y, true, approve, approved, ok, confirm, ' +
  'no, n, false, reject, rejected, deny, denied, cancel';

/** The members that the body of a decision may have. */
export const decisionMembers: readonly string[] = ['approved', 'action', 'answer', 'result', 'by'];

/**
 * Reads the body of a decision. `approved`, `action` and `answer` may stand together only if they agree;
 * anything that is not recognisably a decision is a problem in words, never a guess.
 */
export function parseDecision(body: Json): ParsedDecision {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return problem(`the body is not a JSON object: ${accepted}`);
  const fields = body as { readonly [key: string]: Json };
  const given: { readonly field: string; readonly decision: HumanDecision['kind'] }[] = [];
  if (fields.approved !== undefined) {
    if (typeof fields.approved !== 'boolean') return problem(`"approved" must be true or false: ${accepted}`);
    given.push({ field: 'approved', decision: fields.approved ? 'approve' : 'reject' });
  }
  for (const field of ['action', 'answer'] as const) {
    const value = fields[field];
    if (value === undefined) continue;
    const decision = typeof value === 'string' ? wordIn(field, value) : undefined;
    if (decision === undefined) return problem(`"${field}" is no decision: ${accepted}`);
    given.push({ field, decision });
  }
  const first = given[0];
  if (first === undefined) return problem(`the body holds no decision: ${accepted}`);
  const other = given.find((one) => one.decision !== first.decision);
  if (other !== undefined) return problem(`"${first.field}" and "${other.field}" disagree: send one of them`);
  const by = fields.by;
  if (by !== undefined && typeof by !== 'string') return problem('"by" must be a text');
  const result = fields.result;
  if (result !== undefined && (typeof result !== 'string' || first.decision !== 'happened'))
    return problem('"result" is a text that goes with {"action": "happened"}');
  const decision: HumanDecision =
    first.decision === 'happened' ? { kind: 'happened', result: result ?? '' } : { kind: first.decision };
  return { ok: true, decision, ...(by === undefined ? {} : { by }) };
}

function wordIn(field: 'action' | 'answer', value: string): HumanDecision['kind'] | undefined {
  const word = value.trim().toLowerCase();
  if (field === 'action' && doubtWords.has(word)) return word as HumanDecision['kind'];
  return decisionOfWord(word);
}

function problem(text: string): ParsedDecision {
  return { ok: false, problem: text };
}
