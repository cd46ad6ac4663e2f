import { approvals } from '@stopgo/proto';
import { choiceWords, type SaidKind } from '../events/decisions.ts';
import type { Json } from '../text/json.ts';
import { suggest } from '../text/suggest.ts';

const { APPROVE, REJECT, HAPPENED } = approvals.DecisionKind;

/** A decision as a person gives it. */
export type HumanDecision = {
  readonly kind: SaidKind;
  /** Of HAPPENED: what the call came to. */
  readonly result?: string;
  /** Of APPROVE: the arguments that it is approved with, as JSON text; absent: those that it has. */
  readonly argumentsJson?: string;
};

/** A decision, or why the input holds none. */
export type ParsedDecision =
  | { readonly ok: true; readonly decision: HumanDecision; readonly by?: string }
  | { readonly ok: false; readonly problem: string };

const approveWords = ['yes', 'y', 'true', 'approve', 'approved', 'ok', 'confirm'];
const rejectWords = ['no', 'n', 'false', 'reject', 'rejected', 'deny', 'denied', 'cancel'];

const answers: ReadonlyMap<string, typeof APPROVE | typeof REJECT> = new Map([
  ...approveWords.map((word) => [word, APPROVE] as const),
  ...rejectWords.map((word) => [word, REJECT] as const),
]);

const choices: ReadonlyMap<string, SaidKind> = new Map(
  Object.entries(choiceWords).map(([kind, word]) => [word, Number(kind) as SaidKind]),
);

/** Reads a yes or a no, in any case and with blanks around it; undefined if it is neither. */
export const decisionOfWord = (word: string): typeof APPROVE | typeof REJECT | undefined => answers.get(plain(word));

/** Reads that, or a word that an approval has among its choices. */
export const decisionOfChoice = (word: string): SaidKind | undefined =>
  decisionOfWord(word) ?? choices.get(plain(word));

const plain = (word: string): string => word.trim().toLowerCase();

const yesOrNo = [...approveWords, ...rejectWords];
const otherChoices = [...choices.keys()].filter((word) => !answers.has(word));

const accepted =
  `give {"approved": true|false}, or "action" or "answer" with one of ${yesOrNo.join(', ')}; ` +
  `"action" takes ${otherChoices.join(', ')} as well`;

/** The members that the body of a decision may have. */
export const decisionMembers: readonly string[] = [
  'approved',
  'action',
  'answer',
  'result',
  'reason',
  'arguments',
  'by',
];

/**
 * Reads the body of a decision. `approved`, `action` and `answer` may stand together only if they agree;
 * anything that is not recognisably a decision is a problem in words, never a guess.
 */
export function parseDecision(body: Json): ParsedDecision {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return problem(`the body is not a JSON object: ${accepted}`);
  const fields = body as { readonly [key: string]: Json };
  const given: { readonly field: string; readonly kind: SaidKind }[] = [];
  if (fields.approved !== undefined) {
    if (typeof fields.approved !== 'boolean') return problem(`"approved" must be true or false: ${accepted}`);
    given.push({ field: 'approved', kind: fields.approved ? APPROVE : REJECT });
  }
  for (const field of ['action', 'answer'] as const) {
    const value = fields[field];
    if (value === undefined) continue;
    const kind = typeof value === 'string' ? readers[field](value) : undefined;
    if (kind === undefined) {
      const known = field === 'action' ? [...yesOrNo, ...otherChoices] : yesOrNo;
      const meant = typeof value === 'string' ? suggest(value, known) : undefined;
      const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      return problem(`"${field}" is no decision${guess}: ${accepted}`);
    }
    given.push({ field, kind });
  }
  const first = given[0];
  if (first === undefined) return problem(`the body holds no decision: ${accepted}`);
  const other = given.find((one) => one.kind !== first.kind);
  if (other !== undefined) return problem(`"${first.field}" and "${other.field}" disagree: send one of them`);
  const by = fields.by;
  if (by !== undefined && typeof by !== 'string') return problem('"by" must be a text');
  const result = fields.result;
  if (result !== undefined && (typeof result !== 'string' || first.kind !== HAPPENED))
    return problem('"result" is a text that goes with {"action": "happened"}');
  const { kind } = first;
  const changed = fields.arguments;
  if (changed !== undefined && (!isObject(changed) || kind !== APPROVE))
    return problem('"arguments" is a JSON object that goes with {"action": "approve"}: the call is approved with them');
  const decision: HumanDecision = {
    kind,
    ...(kind === HAPPENED ? { result: result ?? '' } : {}),
    ...(changed === undefined ? {} : { argumentsJson: JSON.stringify(changed) }),
  };
  return { ok: true, decision, ...(by === undefined ? {} : { by }) };
}

const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An answer is a yes or a no; an action is any choice. */
const readers = { action: decisionOfChoice, answer: decisionOfWord } as const;

function problem(text: string): ParsedDecision {
  return { ok: false, problem: text };
}
