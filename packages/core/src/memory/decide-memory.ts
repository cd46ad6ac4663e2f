/** What may be saved, what of it is found, and what is told of that. */
import { fromJson, toJson } from '@bufbuild/protobuf';
import { TimestampSchema, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { type Fact, fact } from '../events/facts.ts';
import { memoryBytesMax, memoryKeyCharactersMax, memoryKeysMax, memoryValueBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { failedPrecondition, invalidArgument, notFound, resourceExhausted } from '../text/errors.ts';
import { type Json, parseJson } from '../text/json.ts';
import { quotedLines, quotedName, visibleLine } from '../text/visible.ts';
import { bytesOfMemory, idOfCall, isThere, type Memories, type Memory, type MemoryCall, memoriesAt } from './memory.ts';

/** What is to be saved. */
export type NewMemory = {
  readonly key: string;
  /** In canonical form. */
  readonly valueJson: string;
  /** Milliseconds since 1970; absent: it does not expire. */
  readonly expiresAt?: number;
};

/** Keys that an agent is told of when it asks for one that is not there. */
const keysTold = 20;

/** What is wrong with a key; undefined if nothing is. */
export function keyProblem(key: string): string | undefined {
  const isPlain = visibleLine(key) === key && key.trim() === key && !/\p{Surrogate}/u.test(key);
  if (key !== '' && isPlain && [...key].length <= memoryKeyCharactersMax) return undefined;
  return `a key has 1 to ${memoryKeyCharactersMax} printable characters, and no spaces at its ends`;
}

/** What is wrong with something that is to be saved, wherever that is; undefined if nothing is. */
export function memoryProblem({ key, valueJson }: NewMemory): string | undefined {
  const problem = keyProblem(key);
  if (problem !== undefined) return problem;
  const bytes = byteLength(valueJson);
  if (bytes <= memoryValueBytesMax) return undefined;
  return `a value has at most ${memoryValueBytesMax} bytes as JSON, and this one has ${bytes}`;
}

/** A time as RFC 3339 has it, in milliseconds since 1970; undefined if it is none. */
export function timeOf(text: string): number | undefined {
  try {
    return timestampMs(fromJson(TimestampSchema, text));
  } catch {
    return undefined;
  }
}

/** A time in milliseconds since 1970, as RFC 3339 has it. */
export const timeText = (ms: number): string => toJson(TimestampSchema, timestampFromMs(ms));

/** What becomes of something that is to be saved. `known`: this very call has saved it already. */
export type SaveDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly why: string };

/** Saves a value in an agent's memory; `call`: of the agent that does so, absent: a person does. */
export function saveMemory(
  memories: Memories,
  agent: string,
  { key, valueJson, expiresAt }: NewMemory,
  now: number,
  call?: MemoryCall,
): SaveDecision {
  if (call !== undefined && memories.calls.includes(idOfCall(call))) return { kind: 'known' };
  const why = memoryProblem({ key, valueJson }) ?? whyNoRoom(memories, { key, valueJson }, now);
  if (why !== undefined) return { kind: 'refused', why };
  if (expiresAt !== undefined && expiresAt <= now)
    return { kind: 'refused', why: `it would expire at ${timeText(expiresAt)}, and it is ${timeText(now)} now` };
  const until = expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) };
  return { kind: 'append', facts: [fact('memorySaved', { agent, key, valueJson, ...until, ...(call && { call }) })] };
}

function whyNoRoom(memories: Memories, made: NewMemory, now: number): string | undefined {
  const others = memoriesAt(memories, now).filter(({ key }) => key !== made.key);
  if (others.length >= memoryKeysMax)
    return `${others.length} keys are remembered already, which is the most; save it under one of them`;
  const bytes = others.reduce((sum, one) => sum + one.bytes, 0) + bytesOfMemory(made);
  if (bytes <= memoryBytesMax) return undefined;
  return `all values together have at most ${memoryBytesMax} bytes, and with this one they would have ${bytes}; save a shorter one, or save null under keys that are not needed`;
}

/** A change that a person makes. */
export type MemoryEdit = {
  /** What is there must be of this revision, 0: nothing must be there; absent: whatever there is. */
  readonly expected?: number | undefined;
  readonly now: number;
};

/**
 * Saves a value for a person.
 *
 * @throws DomainError `invalid_argument` for what is no key, value or time, `failed_precondition` if something else is there than was
 * expected, `resource_exhausted` if there is no room.
 */
export function setMemory(memories: Memories, agent: string, made: NewMemory, edit: MemoryEdit): readonly Fact[] {
  const problem = memoryProblem(made);
  if (problem !== undefined) throw invalidArgument(problem);
  requireExpected(memories, made.key, edit);
  const decision = saveMemory(memories, agent, made, edit.now);
  if (decision.kind === 'append') return decision.facts;
  const why = decision.kind === 'refused' ? decision.why : '';
  throw whyNoRoom(memories, made, edit.now) === undefined ? invalidArgument(why) : resourceExhausted(why);
}

/**
 * Removes what is there under a key.
 *
 * @throws DomainError `not_found` with what is there, `failed_precondition` if something else is there than was expected.
 */
export function removeMemory(memories: Memories, key: string, edit: MemoryEdit): readonly Fact[] {
  requireMemory(memories, key, edit.now);
  requireExpected(memories, key, edit);
  return [fact('memoryRemoved', { key })];
}

/** What is there under a key. @throws DomainError `not_found` with what is there. */
export function requireMemory(memories: Memories, key: string, now: number): Memory {
  const memory = memoryAt(memories, key, now);
  if (memory === undefined) throw notFound(noMemoryText(memories, key, now));
  return memory;
}

function requireExpected(memories: Memories, key: string, { expected, now }: MemoryEdit): void {
  const revision = memoryAt(memories, key, now)?.revision ?? 0;
  if (expected === undefined || expected === revision) return;
  const is = revision === 0 ? 'there is none now' : `it has revision ${revision} now`;
  const was = expected === 0 ? 'there was to be none' : `revision ${expected} was expected`;
  throw failedPrecondition(
    `the memory ${quotedName(key)} has been changed: ${is}, and ${was}; look at it and decide anew`,
    {
      reason: 'revision',
      revision: String(revision),
    },
  );
}

/** What is there under a key at a time; undefined if nothing is. */
export function memoryAt({ entries }: Memories, key: string, now: number): Memory | undefined {
  const memory = entries.get(key);
  return memory !== undefined && isThere(memory, now) ? memory : undefined;
}

/** What is told of a key under which nothing is there. */
export function noMemoryText(memories: Memories, key: string, now: number): string {
  const name = quotedName(key);
  const { expiresAt } = memories.entries.get(key) ?? {};
  const what =
    expiresAt === undefined
      ? `there is no memory ${name}`
      : `there is no memory ${name} any more: it expired at ${timeText(expiresAt)}`;
  const keys = memoriesAt(memories, now).map((one) => quotedName(one.key));
  if (keys.length === 0) return `${what}; nothing is remembered`;
  const told = keys.slice(0, keysTold).join(', ');
  const more = keys.length > keysTold ? ` and ${keys.length - keysTold} more` : '';
  return `${what}; there ${keys.length === 1 ? 'is' : 'are'} ${told}${more}`;
}

/** What an agent is told of its memory: the values under those of these keys under which something is there. */
export function toldMemories(memories: Memories, keys: readonly string[], now: number): string {
  const found = keys.map((key) => memoryAt(memories, key, now)).filter((one) => one !== undefined);
  return found.map(({ key, valueJson }) => `${quotedName(key)}:\n${quotedLines(valueJson)}`).join('\n\n');
}

/** Whether a key or the value under it holds each of some words, in whatever case. */
export function holdsWords({ key, valueJson }: Pick<Memory, 'key' | 'valueJson'>, words: readonly string[]): boolean {
  const texts = [key, ...textsOf(parseJson(valueJson))].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word.toLowerCase())));
}

/** What can be read in a value: names of members, texts, numbers, in any depth. */
function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(value as { readonly [key: string]: Json }).flatMap(([name, inner]) => [
    name,
    ...textsOf(inner),
  ]);
}
