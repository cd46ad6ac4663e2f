import { decisionOfChoice, type HumanDecision, isUuid, type Json, parseDecision } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { hitlExtension } from './approval-message.ts';
import { isObject } from './dialect.ts';
import { textOf } from './parts.ts';
import { type Message, RequestMalformedError } from './protocol.ts';

/** What a message says about an approval. */
export type SaidDecision = {
  /** Absent: it was said of whatever is pending. */
  readonly approvalId?: string;
  readonly decision: HumanDecision;
  /** Why, in the words of whoever decides. */
  readonly said?: string;
  /** Who decided, as the sender says. */
  readonly by?: string;
  /** Arguments that came along: those of the call as the sender means it. */
  readonly arguments?: Json;
};

/**
 * The decisions that a message holds: in the shapes of the extension `hitl/v1`, in data parts, else in words (`yes`,
 * or a line `yes <approval id>` for each); lines on other approvals count beside data, if there is nothing else. None, if it is about something else.
 *
 * @throws A2AError if it means to decide but does not say clearly what.
 */
export function decisionsIn({ metadata, parts }: Message): readonly SaidDecision[] {
  const extension: unknown = metadata?.[hitlExtension];
  const said = [
    extension,
    ...parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : [])),
  ].flatMap((value: unknown) => structured(value));
  const text = textOf(parts);
  if (said.length === 0) return unambiguous(inWords(text));
  const lines = linesIn(text);
  const named = lines.flat();
  const words = named.length > 0 ? named : inWords(text);
  for (const word of words) if (said.some((one) => contradicts(one, word))) throw new RequestMalformedError(twoThings);
  const isOther = (word: SaidDecision) =>
    word.approvalId !== undefined &&
    !said.some(({ approvalId }) => (approvalId ?? word.approvalId) === word.approvalId);
  const others = words.filter(isOther);
  // Words beside data may be about it, and quote what they do not mean: among them, a line on another approval is not clear.
  if (others.length > 0 && lines.some((line) => line.length === 0)) throw new RequestMalformedError(amongWords);
  return unambiguous([...said, ...others]);
}

const amongWords =
  'beside its data, the message has a line on another approval among other words; put that decision in the data, or say nothing else';

const twoThings = 'the text of the message decides otherwise than its data; say one thing';

/** True if a word says something else of the same approval; what names none is of all. */
const contradicts = ({ approvalId, decision }: SaidDecision, word: SaidDecision): boolean =>
  (word.approvalId === undefined || approvalId === undefined || word.approvalId === approvalId) &&
  word.decision.kind !== decision.kind;

/**
 * True for data that means to decide, so that in a task it is no message to the agent: it names an approval as such, and says
 * what is decided. Of the extension's type it does by that alone. A bare `id` may be of anything.
 */
export const isDecisionData = (value: unknown): boolean => structuredItems(value) !== undefined;

function structured(value: unknown): SaidDecision[] {
  return (structuredItems(value) ?? []).map((item) => {
    const id = approvalIdIn(item);
    const parsed = parseDecision({
      ...present('approved', item.approved ?? item.confirmed),
      ...present('action', item.action ?? item.decision),
      ...present('answer', item.answer),
      ...present('result', item.result),
      ...present('by', item.by),
    } as Json);
    if (!parsed.ok) {
      // In the words that the sender has used.
      const problem = item.action === undefined ? parsed.problem.replace('"action"', '"decision"') : parsed.problem;
      throw new RequestMalformedError(`the decision cannot be read: ${problem}`);
    }
    return {
      ...(id === undefined ? {} : { approvalId: id }),
      decision: parsed.decision,
      ...withReason(parsed.decision, item.reason),
      ...present('by', parsed.by),
      ...present('arguments', item.arguments as Json | undefined),
    };
  });
}

/** Why, where it is a no: other clients give a reason with all that they say. */
function withReason({ kind }: HumanDecision, reason: unknown): { readonly said?: string } {
  const { REJECT, WITHDRAW } = approvals.DecisionKind;
  return typeof reason === 'string' && (kind === REJECT || kind === WITHDRAW) ? { said: reason } : {};
}

type Item = Readonly<Record<string, unknown>>;

function structuredItems(value: unknown): readonly Item[] | undefined {
  if (!isObject(value)) return undefined;
  if (value.type === 'tool_approval_response')
    return Array.isArray(value.approvals) ? value.approvals.filter(isObject) : undefined;
  if (value.type === 'ask_user_response') return undefined;
  const items: readonly unknown[] = Array.isArray(value.decisions) ? value.decisions : [value];
  return items.length > 0 && items.every(isDecision) ? items : undefined;
}

const decisionFields = ['approved', 'confirmed', 'action', 'decision', 'answer'];

const isDecision = (value: unknown): value is Item =>
  isObject(value) &&
  uuidIn(approvalNamedIn(value)) !== undefined &&
  decisionFields.some((name) => value[name] !== undefined);

const approvalNamedIn = (item: Item): unknown => item.approval_id ?? item.approvalId ?? item.action_id;

const approvalIdIn = (item: Item): string | undefined => uuidIn(approvalNamedIn(item) ?? item.id);

function uuidIn(id: unknown): string | undefined {
  return typeof id === 'string' && isUuid(id.toLowerCase()) ? id.toLowerCase() : undefined;
}

const present = (name: string, value: unknown): object => (value === undefined ? {} : { [name]: value });

/** A word and the approval that it is about; what a call came to may follow. */
const wordAndId = /^\s*([a-z_]+)[\s:]+([0-9a-f-]{36})\s*(?::\s*(\S.*?)\s*)?$/i;

/** By line that is not empty: the decision that it is, naming its approval. */
function linesIn(text: string): SaidDecision[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, word = '', id = '', result = ''] = wordAndId.exec(line) ?? [];
    const decision = decisionOf(word, result);
    return decision !== undefined && isUuid(id.toLowerCase()) ? [{ approvalId: id.toLowerCase(), decision }] : [];
  });
}

function inWords(text: string): SaidDecision[] {
  const named = linesIn(text);
  if (named.length > 0 && named.every((line) => line.length > 0)) return named.flat();
  const decision = decisionOf(text);
  return decision === undefined ? [] : [{ decision }];
}

function decisionOf(text: string, result = ''): HumanDecision | undefined {
  const kind = decisionOfChoice(text);
  if (kind === approvals.DecisionKind.HAPPENED) return { kind, result };
  return kind === undefined || result !== '' ? undefined : { kind };
}

function unambiguous(said: readonly SaidDecision[]): readonly SaidDecision[] {
  const ids = said.map(({ approvalId }) => approvalId);
  if (new Set(ids).size !== ids.length) {
    throw new RequestMalformedError('the message decides twice on one approval; decide once on each');
  }
  return said;
}
