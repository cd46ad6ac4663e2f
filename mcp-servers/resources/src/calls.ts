import type { CallOutcome, Parsed, RawArguments } from '@stopgo/tool-server';
import { compilePattern, type TextTest } from '@stopgo/tool-server/pattern';
import { parseAdd, parseList, parseRemove } from './arguments.ts';
import type { ResourceStore } from './store.ts';
import type { ToolName } from './tools.ts';

/** Executes one tool call. Bad arguments, a full store and a pattern that takes too long are outcomes; database errors are thrown. */
export function executeCall(store: ResourceStore, tool: ToolName, raw: RawArguments): CallOutcome {
  switch (tool) {
    case 'resources_add':
      return add(store, raw);
    case 'resources_remove':
      return remove(store, raw);
    case 'resources_list':
      return list(store, raw);
  }
}

function add(store: ResourceStore, raw: RawArguments): CallOutcome {
  const parsed = parseAdd(raw);
  if (parsed.kind === 'error') return failure(parsed.message);
  const outcome = store.add(parsed.value.name, parsed.value.value);
  if (outcome.kind === 'full') return failure('the store is full; remove resources before adding more');
  return success(outcome.resource);
}

function remove(store: ResourceStore, raw: RawArguments): CallOutcome {
  const parsed = parseRemove(raw);
  if (parsed.kind === 'error') return failure(parsed.message);
  const test = nameTest(parsed.value.pattern);
  if (test.kind === 'error') return failure(test.message);
  const outcome = store.remove(parsed.value.id, test.value);
  if (outcome.kind === 'too_slow') return failure(`${tooSlow}; nothing was removed`);
  return success({
    removed_count: outcome.count,
    removed_ids: nullIfEmpty(outcome.ids),
    ...truncation(outcome.ids.length, outcome.count),
  });
}

function list(store: ResourceStore, raw: RawArguments): CallOutcome {
  const parsed = parseList(raw);
  if (parsed.kind === 'error') return failure(parsed.message);
  const test = nameTest(parsed.value.pattern);
  if (test.kind === 'error') return failure(test.message);
  const outcome = store.list(test.value);
  if (outcome.kind === 'too_slow') return failure(tooSlow);
  return success({
    resources: nullIfEmpty(outcome.resources),
    count: outcome.count,
    ...truncation(outcome.resources.length, outcome.count),
  });
}

const tooSlow = 'pattern takes too long on the stored names; use a simpler one';

function nameTest(pattern: string | undefined): Parsed<TextTest | undefined> {
  if (pattern === undefined) return { kind: 'ok', value: undefined };
  const compiled = compilePattern(pattern);
  if (compiled.kind === 'invalid') return { kind: 'error', message: `invalid pattern: ${compiled.reason}` };
  return { kind: 'ok', value: compiled.test };
}

/** The count tells how many there are; the flag appears only where the array names fewer. */
function truncation(shown: number, count: number): { readonly truncated?: true } {
  return shown < count ? { truncated: true } : {};
}

function nullIfEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

function success(result: object): CallOutcome {
  return { text: JSON.stringify(result, null, 2), isError: false };
}

function failure(text: string): CallOutcome {
  return { text, isError: true };
}
