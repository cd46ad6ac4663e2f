/**
 * Predicates of rules, in CEL. What one may name, and how much work it is at most, is known before it is evaluated: both follow from
 * its text and from the sizes of what it is evaluated over, never from time.
 */
import { type CelMap, celEnv, celMap, isCelError, parse, plan } from '@bufbuild/cel';
import {
  type Cost,
  checkExpression,
  type Expression,
  type ExpressionProblem,
  type OfCaller,
  type Sizes,
  workOf,
} from './cel-check.ts';
import { mixedNumbers, ofMixedNumbers } from './cel-numbers.ts';
import { Patterns, unreadablePattern } from './cel-patterns.ts';

/** A predicate that can be evaluated. */
export type Predicate = OfCaller & {
  readonly cost: Cost;
  readonly evaluate: ReturnType<typeof plan>;
  /** What tries its patterns; absent: it has none. */
  readonly patterns?: Patterns;
  /** A part of it that can never be evaluated. What is written anew is refused for it; what is on the record is evaluated as it was. */
  readonly never?: PredicateProblem;
};

/** What is wrong with the text of a predicate, and where in it that is: characters from 0. */
export type PredicateProblem = { readonly message: string; readonly offset: number };

type Name = 'args' | 'call' | 'caller' | 'run';

/** What a predicate is evaluated over, by name. */
export type Bindings = { readonly [name in Name]: CelMap };

/**
 * What predicates are evaluated over. Mappings are maps, so that no name of a language's own is found in them. They are made CEL's once, and not
 * each time that a predicate names one.
 */
export function bindings(maps: { readonly [name in Name]: ReadonlyMap<string, unknown> }): Bindings {
  const made = (map: ReadonlyMap<string, unknown>): CelMap => celMap(map as Parameters<typeof celMap>[0]);
  return { args: made(maps.args), call: made(maps.call), caller: made(maps.caller), run: made(maps.run) };
}

/** What a predicate says. `unknown`: nothing; a person is to be asked. */
export type Evaluation =
  | { readonly kind: 'value'; readonly value: boolean }
  | { readonly kind: 'unknown'; readonly why: string };

const environment = celEnv();

/** Reads a predicate, or says what is wrong with it. Never throws. */
export function readPredicate(text: string): Predicate | PredicateProblem {
  try {
    const parsed = parse(text);
    const expression: Expression | undefined = parsed.expr;
    if (expression === undefined) return { message: 'it says nothing', offset: 0 };
    const checked = checkExpression(expression, (name) => environment.funcs.find(name) !== undefined);
    const placed = ({ message, id }: ExpressionProblem): PredicateProblem => ({
      message,
      offset: parsed.sourceInfo?.positions[String(id)] ?? 0,
    });
    if ('message' in checked) return placed(checked);
    const never = mixedNumbers(expression) ?? unreadablePattern(checked.patterns);
    const patterns = checked.patterns.length === 0 ? undefined : new Patterns();
    return {
      cost: checked,
      ofCaller: checked.ofCaller,
      evaluate: plan(patterns === undefined ? environment : celEnv({ re2: patterns }), parsed),
      ...(patterns && { patterns }),
      ...(never && { never: placed(never) }),
    };
  } catch (error) {
    return { message: wordsOf(error), offset: offsetOf(error) };
  }
}

/** Evaluates a predicate over something of these sizes. Never throws. */
export function evaluate(predicate: Predicate, bindings: Bindings, sizes: Sizes): Evaluation {
  const problem = workOf(predicate.cost, sizes);
  if (problem !== undefined) return { kind: 'unknown', why: problem };
  try {
    predicate.patterns?.begin();
    const result: unknown = predicate.evaluate(bindings as Parameters<Predicate['evaluate']>[0]);
    if (typeof result === 'boolean') return { kind: 'value', value: result };
    return { kind: 'unknown', why: isCelError(result) ? advised(result.message) : 'it came to no true or false' };
  } catch (error) {
    return { kind: 'unknown', why: advised(wordsOf(error)) };
  }
}

const advised = (words: string): string => `${words}${ofMixedNumbers(words)}`;

function wordsOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  const raw = error instanceof Error && 'rawMessage' in error ? error.rawMessage : undefined;
  if (typeof raw === 'string') return raw;
  return error instanceof Error ? error.message : String(error);
}

function offsetOf(error: unknown): number {
  const location = error instanceof Error && 'location' in error ? error.location : undefined;
  const { start } = (location ?? {}) as { readonly start?: { readonly offset?: unknown } };
  return typeof start?.offset === 'number' ? start.offset : 0;
}
