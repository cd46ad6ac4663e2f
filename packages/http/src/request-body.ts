import {
  invalidArgument,
  type Json,
  jsonValuesIn,
  lossProblem,
  repeatedName,
  suggest,
  visibleLine,
} from '@stopgo/core';
import express, { type Request, type RequestHandler } from 'express';
import { bodyDepthMax, bodyValuesMax } from './bounds.ts';

/** The members of a JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Reads the body of a request whatever its Content-Type says, at most `bytesMax` bytes (else 413). */
export const readBody = (bytesMax: number): RequestHandler =>
  express.raw({ type: () => true, limit: bytesMax, inflate: false });

/**
 * The JSON body of a request; undefined if the body is empty.
 *
 * @throws DomainError `invalid_argument` for what is not JSON in UTF-8, and for JSON that could not be stored or
 *   compared: half surrogate pairs, numbers beyond a double, a member named twice, nesting beyond `bodyDepthMax`,
 *   more values than `bodyValuesMax`.
 */
export function jsonBody(req: Request): Json | undefined {
  const bytes: unknown = req.body;
  if (!Buffer.isBuffer(bytes)) return undefined;
  const text = utf8Text(bytes);
  if (text.trim() === '') return undefined;
  if (jsonValuesIn(bytes) > bodyValuesMax) throw malformed(`it has more than ${bodyValuesMax} values; send fewer`);
  const value = parse(text);
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw malformed(`${JSON.stringify(repeated)} stands twice in one object`);
  refuseUnsound(value);
  return value;
}

/**
 * As {@link jsonBody}, for routes whose body is an object; an empty body is an empty object.
 *
 * @param members - the members that the route knows. Any other is refused: what is sent is never dropped silently.
 * @param notTaken - why the route does not take what others do, by the member: `is not taken, since …`.
 */
export function objectBody(
  req: Request,
  members: readonly string[],
  notTaken: Readonly<Record<string, string>> = {},
): JsonObject {
  const body = jsonBody(req);
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw malformed('expected a JSON object');
  const refused = Object.keys(notTaken).find((name) => Object.hasOwn(body, name));
  if (refused !== undefined) throw malformed(`"${refused}" ${notTaken[refused]}`);
  refuseUnknownMembers(body as JsonObject, members);
  return body as JsonObject;
}

/**
 * @param within - where the object stands in the body, such as `tools[0]`; empty for the body itself.
 * @throws DomainError `invalid_argument` that names the first member that is not one of `known`, and what was probably meant.
 */
export function refuseUnknownMembers(object: JsonObject, known: readonly string[], within = ''): void {
  const problem = unknownMember(Object.keys(object), known, within);
  if (problem !== undefined) throw malformed(problem);
}

/** That a name is none of those that are known, and what was probably meant; undefined if all are. As {@link refuseUnknownMembers}. */
export function unknownMember(names: readonly string[], known: readonly string[], within = ''): string | undefined {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const meant = suggest(unknown.slice(0, memberNameShownMax), known);
  const all = known.map((name) => `"${name}"`).join(', ');
  const hint = meant === undefined ? (all === '' ? 'none is known here' : `known: ${all}`) : `did you mean "${meant}"?`;
  const place = within === '' ? '' : ` in "${within}"`;
  return `unknown member ${shownName(unknown)}${place}; ${hint}`;
}

/** Characters of a member's name that an error shows and compares. */
const memberNameShownMax = 64;

const shownName = (name: string): string =>
  name.length > memberNameShownMax ? `"${visibleLine(name.slice(0, memberNameShownMax))}…"` : `"${visibleLine(name)}"`;

/**
 * As {@link objectBody}, for a body that is kept and sent on as values.
 *
 * @throws DomainError `invalid_argument` also for a number that is not the same after being parsed (`9007199254740993`, `1e-400`); it
 *   names the number and its place.
 */
export function exactObjectBody(req: Request, members: readonly string[]): JsonObject {
  const body = objectBody(req, members);
  const problem = Buffer.isBuffer(req.body) && req.body.length > 0 ? lossProblem(utf8Text(req.body)) : undefined;
  if (problem !== undefined) throw malformed(problem);
  return body;
}

/** The error for a body that cannot be read. */
export const malformed = (reason: string) => invalidArgument(`invalid request body: ${reason}`);

function utf8Text(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('it is not valid UTF-8');
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : 'it is not JSON');
  }
}

/** Walks without recursion: the depth is what has to be bounded. */
function refuseUnsound(root: Json): void {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, depth } = entry;
    if (typeof value === 'string') refuseHalfPairs(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw malformed('a number is too large');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > bodyDepthMax) throw malformed(`it is nested deeper than ${bodyDepthMax} levels`);
    for (const [key, member] of Object.entries(value)) {
      refuseHalfPairs(key);
      open.push({ value: member as Json, depth: depth + 1 });
    }
  }
}

function refuseHalfPairs(text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw malformed('a text holds half of a surrogate pair');
}
