// What a JSON text says that `JSON.parse` does not keep: it takes the last of two members with one name, and the nearest double of
// any number, both in silence. Whoever is shown such a text, or reads it with another parser, may see other values than those
// that are sent. RFC 8259 (sections 4 and 6) and I-JSON (RFC 7493, sections 2.2 and 2.3) warn of both.
import { canonicalJson, parseJson } from './json.ts';
import { endOfText, isFollowedByColon } from './raw-json.ts';
import { visibleText } from './visible.ts';

/** Something in a JSON text that does not survive being parsed. `at`: its place as a JSON pointer (RFC 6901). */
export type JsonLoss =
  | { readonly kind: 'repeated_name'; readonly at: string; readonly name: string }
  | { readonly kind: 'number'; readonly at: string; readonly text: string };

/** Characters of a place or a number that an error text repeats. */
const shownCharactersMax = 80;
/** A number of so many characters without an exponent has at most 15 significant digits, which a double always keeps. */
const safeNumberCharacters = 15;

/**
 * A member name that stands twice in one object of a JSON text; undefined if there is none. `JSON.parse` keeps the last
 * one in silence, so that `{"approved":false,"approved":true}` would approve although its fields disagree.
 *
 * The text must be valid JSON. Takes one pass, without recursion.
 */
export function repeatedName(text: string): string | undefined {
  for (const loss of jsonLosses(text)) if (loss.kind === 'repeated_name') return loss.name;
  return undefined;
}

/** The canonical form of arguments (`canonicalJson`), or why they have none, in words for the model that wrote them. */
export type CanonicalArguments = { readonly json: string } | { readonly problem: string };

/**
 * The one form in which the arguments of a call are stored, shown, approved and sent. There is none for a text that is not a JSON
 * object, names a member of an object twice, holds a number that is not the same after being parsed, or half a character.
 */
export function canonicalArguments(text: string): CanonicalArguments {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { problem: 'The arguments are not a JSON object; the call was not run.' };
  const problem = lossProblem(text);
  if (problem !== undefined) return { problem: cannotBeTaken(problem) };
  try {
    return { json: canonicalJson(parsed) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: cannotBeTaken(error.message) };
    throw error;
  }
}

/** The first thing in a JSON text that does not survive being parsed, in words that say what to write instead; undefined if all does. */
export function lossProblem(text: string): string | undefined {
  for (const loss of jsonLosses(text)) {
    if (loss.kind === 'repeated_name') return `the member ${shown(loss.at)} stands twice; write each member once`;
    const { at, text: number } = loss;
    if (isLargeInteger(number))
      return `the number ${shown(number)} at ${shown(at)} is out of range: integers beyond ${Number.MAX_SAFE_INTEGER} must be written as strings`;
    return `the number ${shown(number)} at ${shown(at)} is not kept exactly; write it as a string, or as a number that a double keeps`;
  }
  return undefined;
}

/**
 * True for a number that is the same to every reader once it was parsed and written again: its decimal value does not change, and
 * it is no integer beyond 2^53 - 1 written in digits. Of what was parsed already, the text is gone; pass the number as it is written
 * now (`JSON.stringify`).
 */
export function isExactNumber(text: string): boolean {
  if (text.length <= safeNumberCharacters && !/[eE]/.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const written = JSON.stringify(value);
  const isInDigits = /^-?\d+$/.test(text) || /^-?\d+$/.test(written);
  if (isInDigits && Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return decimalOf(text) === decimalOf(written);
}

/**
 * The places (JSON pointers) of numbers that may have been rounded before this text was written, `most` of them at most: integers
 * beyond 2^53 - 1, which a parser that reads doubles rounds in silence. For a text that was made of values that were parsed already.
 * What such a parser made of a decimal cannot be told.
 *
 * The text must be valid JSON. Takes one pass, without recursion.
 */
export function maybeRounded(text: string, most: number): string[] {
  const places: string[] = [];
  for (const { kind, at } of jsonLosses(text, isWithinSafeIntegers)) {
    if (kind === 'number') places.push(at);
    if (places.length >= most) break;
  }
  return places;
}

function isWithinSafeIntegers(text: string): boolean {
  const value = Number(text);
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

/** Of a number that is not exact (`isExactNumber`): true if it is so because it is an integer beyond 2^53 - 1. */
function isLargeInteger(inexact: string): boolean {
  const value = Number(inexact);
  return (
    /^-?\d+$/.test(inexact) || (Number.isInteger(value) && decimalOf(inexact) === decimalOf(JSON.stringify(value)))
  );
}

/** The value of a number's text, in one spelling: its digits without outer zeros, and the power of ten of the last one. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = trimmedZeros(digits);
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Not by a regular expression: it would start anew at each zero. */
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

type Open = {
  /** Names of an object so far; absent in a list. */
  readonly names?: Set<string>;
  /** The member or item that is being read. */
  name: string;
  index: number;
};

/** Everything in a JSON text that does not survive being parsed. The text must be valid JSON. Takes one pass, without recursion. */
function* jsonLosses(text: string, isKept: (number: string) => boolean = isExactNumber): Generator<JsonLoss> {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    const inner = open.at(-1);
    if (character === '{') open.push({ names: new Set(), name: '', index: 0 });
    else if (character === '[') open.push({ name: '', index: 0 });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && inner !== undefined) inner.index += 1;
    else if (character === '"') {
      const end = endOfText(text, at);
      if (inner?.names !== undefined && isFollowedByColon(text, end)) {
        inner.name = JSON.parse(text.slice(at, end)) as string;
        if (inner.names.has(inner.name)) yield { kind: 'repeated_name', at: pointer(open), name: inner.name };
        inner.names.add(inner.name);
      }
      at = end - 1;
    } else if (character === '-' || isDigit(character)) {
      const end = endOfNumber(text, at);
      const number = text.slice(at, end);
      if (!isKept(number)) yield { kind: 'number', at: pointer(open), text: number };
      at = end - 1;
    }
  }
}

function pointer(open: readonly Open[]): string {
  const parts = open.map(({ names, name, index }) => (names === undefined ? String(index) : name));
  return `/${parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789+-.eE'.includes(text[at] as string)) at += 1;
  return at;
}

function shown(text: string): string {
  const cut = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
  return visibleText(cut).replaceAll('\n', ' ');
}

function cannotBeTaken(problem: string): string {
  return `The arguments cannot be taken (${problem}); the call was not run.`;
}
