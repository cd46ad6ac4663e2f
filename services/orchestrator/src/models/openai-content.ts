import { isObject } from './json.ts';

type Part = Record<string, unknown>;

/** What a stream has brought of an answer beside its calls. */
export type Content = {
  /** Texts, and between them what else a provider puts into the content, such as Mistral's thoughts. */
  parts: Part[];
  /** Reasoning beside the content, by the field in which it came. */
  reasoning: Record<string, string>;
  /** OpenRouter's reasoning, signed or encrypted by the model behind it. */
  details: Part[];
};

const reasoningFields = ['reasoning', 'reasoning_content'];

/** Nothing yet. */
export function noContent(): Content {
  return { parts: [], reasoning: {}, details: [] };
}

/** Adds what a delta brings; gives back the visible text of it. */
export function addContent(content: Content, delta: Part): string {
  const { content: given, reasoning_details: details } = delta;
  for (const field of reasoningFields) {
    const text = delta[field];
    if (typeof text === 'string' && text !== '') content.reasoning[field] = (content.reasoning[field] ?? '') + text;
  }
  for (const detail of Array.isArray(details) ? details.filter(isObject) : []) addDetail(content.details, detail);
  const parts = typeof given === 'string' ? [{ type: 'text', text: given }] : Array.isArray(given) ? given : [];
  let text = '';
  for (const part of parts.filter(isObject)) {
    addPart(content.parts, part);
    text += textOf(part);
  }
  return text;
}

/** The visible text. */
export function visibleText(content: Content): string {
  return content.parts.map(textOf).join('');
}

/**
 * The fields of the assistant message in which all of it goes back; undefined if there is nothing in it beside text.
 * Details stand for the plain reasoning that came along with them, which is left out where it is not taken.
 */
export function replayFields(content: Content, takesReasoning: boolean): Part | undefined {
  const { parts, details } = content;
  const reasoning = takesReasoning ? content.reasoning : {};
  const isPlain = parts.every((part) => part.type === 'text');
  if (isPlain && details.length === 0 && Object.keys(reasoning).length === 0) return undefined;
  const kept = parts.filter((part) => part.type !== 'text' || textOf(part) !== '');
  return {
    content: isPlain ? visibleText(content) || null : kept,
    ...(details.length > 0 ? { reasoning_details: details } : reasoning),
  };
}

function textOf(part: Part): string {
  return part.type === 'text' && typeof part.text === 'string' ? part.text : '';
}

function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  if (before === undefined || before.type !== part.type) parts.push({ ...part });
  else if (part.type === 'text') before.text = textOf(before) + textOf(part);
  else if (part.type === 'thinking') {
    const thinking = [{ type: 'text', text: thoughtOf(before) + thoughtOf(part) }];
    Object.assign(before, part, { thinking });
  } else parts.push({ ...part });
}

function thoughtOf({ thinking }: Part): string {
  if (typeof thinking === 'string') return thinking;
  return (Array.isArray(thinking) ? thinking : [])
    .map((part: unknown) => (isObject(part) ? textOf(part) : ''))
    .join('');
}

/** Texts and summaries come in pieces of the same kind and number; everything else comes whole. */
function addDetail(details: Part[], detail: Part): void {
  const before = details.at(-1);
  const field = detail.type === 'reasoning.text' ? 'text' : detail.type === 'reasoning.summary' ? 'summary' : undefined;
  if (!before || !field || before.type !== detail.type || before.index !== detail.index) {
    details.push({ ...detail });
    return;
  }
  const given = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
  Object.assign(before, Object.fromEntries(given), { [field]: `${before[field] ?? ''}${detail[field] ?? ''}` });
}
