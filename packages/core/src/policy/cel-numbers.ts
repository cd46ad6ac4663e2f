/** Arithmetic that CEL never does: it compares numbers of different kinds, but adds and multiplies only those of one. */
import type { Expression, ExpressionProblem } from './cel-check.ts';

const arithmetic: ReadonlyMap<string, string> = new Map([
  ...['+', '-', '*', '/', '%'].map((sign) => [`_${sign}_`, sign] as const),
]);

/** Said of an evaluation that came to this. */
const mixed = /^found no matching overload for '_[-+*/%]_' applied to '\((double|int|uint), (double|int|uint)\)'$/;

/** What an evaluation that CEL has no function for could have meant, after its own words; empty if it is no such arithmetic. */
export const ofMixedNumbers = (words: string): string =>
  mixed.test(words)
    ? '; CEL reckons with numbers of one kind, and those of args are doubles: write 2.0 for 2, double(…) or int(…)'
    : '';

/**
 * The first part of an expression that reckons with a number of `args` (a double) and a whole number that is written there, so that it can never
 * be evaluated; undefined if there is none.
 */
export function mixedNumbers(one: Expression | undefined): ExpressionProblem | undefined {
  if (one === undefined) return undefined;
  return ofPart(one) ?? firstOf(partsOf(one));
}

function firstOf(parts: readonly (Expression | undefined)[]): ExpressionProblem | undefined {
  for (const part of parts) {
    const found = mixedNumbers(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofPart({ exprKind, id }: Expression): ExpressionProblem | undefined {
  if (exprKind.case !== 'callExpr') return undefined;
  const { function: name, args } = exprKind.value;
  const sign = arithmetic.get(name);
  if (sign === undefined) return undefined;
  const whole = args.map(wholeIn).find((number) => number !== undefined);
  const field = args.map(fieldOfArgs).find((found) => found !== undefined);
  if (whole === undefined || field === undefined) return undefined;
  const why = 'it can never be evaluated: numbers of args are doubles, and CEL';
  const message =
    sign === '%'
      ? `${why} takes % of whole numbers alone; write int(${field})`
      : `${why} takes ${sign} of two of one kind; write ${whole}.0 in place of ${whole}`;
  return { message, id };
}

/** The whole number that an expression is, as it is written. */
function wholeIn({ exprKind }: Expression): string | undefined {
  const constant = exprKind.case === 'constExpr' ? exprKind.value.constantKind : undefined;
  return constant?.case === 'int64Value' || constant?.case === 'uint64Value' ? String(constant.value) : undefined;
}

/** A field of `args`, as it is written: `args.order.amount`. Of what an index finds nothing is said. */
function fieldOfArgs({ exprKind }: Expression): string | undefined {
  if (exprKind.case !== 'selectExpr') return undefined;
  const { operand, field, testOnly } = exprKind.value;
  if (operand === undefined || testOnly) return undefined;
  const isArgs = operand.exprKind.case === 'identExpr' && operand.exprKind.value.name === 'args';
  const of = isArgs ? 'args' : fieldOfArgs(operand);
  return of === undefined ? undefined : `${of}.${field}`;
}

function partsOf({ exprKind }: Expression): readonly (Expression | undefined)[] {
  switch (exprKind.case) {
    case 'selectExpr':
      return [exprKind.value.operand];
    case 'callExpr':
      return [exprKind.value.target, ...exprKind.value.args];
    case 'listExpr':
      return exprKind.value.elements;
    case 'structExpr':
      return exprKind.value.entries.map(({ value }) => value);
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return [iterRange, accuInit, loopCondition, loopStep, result];
    }
    default:
      return [];
  }
}
