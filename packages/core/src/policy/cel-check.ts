/** What an expression in CEL may name, and how much work it is. */
import type { parse } from '@bufbuild/cel';
import { suggest } from '../text/suggest.ts';

export type Expression = NonNullable<ReturnType<typeof parse>['expr']>;
type Comprehension = Extract<Expression['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** The parts of an expression, by how many loops each is in; those whose work grows with what they compare count for themselves. */
export type Cost = { readonly parts: readonly number[]; readonly comparing: readonly number[] };

/** What of `caller` an expression asks for: names of fields; `''`: it takes it as a whole, so any of them. */
export type OfCaller = { readonly ofCaller: ReadonlySet<string> };

/** The patterns of `matches` in an expression, and where each is written; one without a text is written as something else. */
export type OfPatterns = { readonly patterns: readonly { readonly text: string | undefined; readonly id: bigint }[] };

/** Sizes of all that an expression is evaluated over, together. */
export type Sizes = { readonly values: number; readonly bytes: number };

/** Something that is wrong with a part of an expression. */
export type ExpressionProblem = { readonly message: string; readonly id: bigint };

/** What a predicate may name, with the fields of each; undefined: any. */
const variables: Readonly<Record<string, readonly string[] | undefined>> = {
  args: undefined,
  call: ['server', 'tool', 'agent', 'agents', 'commit', 'node', 'annotations'],
  caller: ['id', 'email', 'name', 'role', 'groups', 'authenticated'],
  run: ['turn', 'calls', 'calls_of_server', 'calls_of_tool', 'tools', 'approvals'],
};

const loopsMax = 2;
const partsMax = 500;
/** Parts that one evaluation may come to; some tenths of a second where it is reached. */
const workMax = 1_000_000;
/** Loops go over what has at most so many values. */
const loopedValuesMax = 2_000;
/** A part may have to look at texts: so many bytes count as another part. */
const bytesPerPart = 4_096;
const comparing: ReadonlySet<string> = new Set(['@in', '_in_', '_==_', '_!=_', '_+_', 'contains', 'size']);

/** The cost of an expression, or what is wrong with it. `isFunction`: whether there is a function of a name. */
export function checkExpression(
  expression: Expression,
  isFunction: (name: string) => boolean,
): (Cost & OfCaller & OfPatterns) | ExpressionProblem {
  const visitor = new Visitor(isFunction);
  visitor.visit(expression, 0, []);
  const parts = visitor.parts.reduce((sum, some) => sum + some, 0);
  if (parts > partsMax) visitor.fault(expression.id, `it has ${parts} parts; at most ${partsMax} are taken`);
  const { comparing, ofCaller, patterns } = visitor;
  return visitor.problem ?? { parts: visitor.parts, comparing, ofCaller, patterns };
}

/** Goes through all parts of an expression, up to the first that something is wrong with. */
class Visitor {
  readonly parts: number[] = [];
  readonly comparing: number[] = [];
  readonly ofCaller = new Set<string>();
  readonly patterns: OfPatterns['patterns'][number][] = [];
  problem: ExpressionProblem | undefined;
  readonly #isFunction: (name: string) => boolean;

  constructor(isFunction: (name: string) => boolean) {
    this.#isFunction = isFunction;
  }

  fault(id: bigint, message: string): void {
    this.problem ??= { id, message };
  }

  /** Looks at a part that is in so many loops, with the names that those bind; the most loops that it itself is made of. */
  visit(one: Expression | undefined, loops: number, bound: readonly string[]): number {
    if (one === undefined || this.problem !== undefined) return 0;
    count(this.parts, loops);
    const { exprKind, id } = one;
    const all = (some: readonly (Expression | undefined)[]): number =>
      Math.max(0, ...some.map((inner) => this.visit(inner, loops, bound)));
    switch (exprKind.case) {
      case 'identExpr': {
        const { name } = exprKind.value;
        const known = Object.keys(variables);
        if (!bound.includes(name) && !known.includes(name)) this.fault(id, unknownName(name, known));
        if (name === 'caller' && !bound.includes(name)) this.ofCaller.add('');
        return 0;
      }
      case 'selectExpr': {
        const { operand, field } = exprKind.value;
        const of = operand?.exprKind.case === 'identExpr' ? operand.exprKind.value.name : '';
        const fields = bound.includes(of) || !Object.hasOwn(variables, of) ? undefined : variables[of];
        if (fields !== undefined && !fields.includes(field)) this.fault(id, unknownName(field, fields, of));
        return this.#visitField(operand, field, loops, bound);
      }
      case 'callExpr': {
        const { function: name, target, args } = exprKind.value;
        const isOperator = /^[_@!-]/.test(name);
        if (!isOperator && !this.#isFunction(name)) this.fault(id, `there is no function ${name}`);
        if (name === 'matches') this.#visitPattern(args.at(-1), id);
        if (comparing.has(name)) count(this.comparing, loops);
        const field = name === '_[_]' ? textOf(args[1]) : undefined;
        if (field !== undefined) return Math.max(this.#visitField(args[0], field, loops, bound), all([args[1]]));
        return all([target, ...args]);
      }
      case 'listExpr':
        return all(exprKind.value.elements);
      case 'structExpr': {
        const { messageName, entries } = exprKind.value;
        if (messageName !== '') this.fault(id, `there is no type ${messageName}`);
        return all(
          entries.flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value]),
        );
      }
      case 'comprehensionExpr':
        return this.#visitLoop(exprKind.value, id, loops, bound);
      default:
        return 0;
    }
  }

  #visitPattern(pattern: Expression | undefined, id: bigint): void {
    if (pattern?.exprKind.case === 'constExpr') this.patterns.push({ text: textOf(pattern), id: pattern.id });
    else this.fault(id, 'the pattern of matches must be a text that is written here');
  }

  /** Of `caller` its field is noted; else what the field is of. */
  #visitField(of: Expression | undefined, field: string, loops: number, bound: readonly string[]): number {
    const isCaller = of?.exprKind.case === 'identExpr' && of.exprKind.value.name === 'caller';
    if (!isCaller || bound.includes('caller')) return this.visit(of, loops, bound);
    count(this.parts, loops);
    this.ofCaller.add(field);
    return 0;
  }

  #visitLoop(loop: Comprehension, id: bigint, loops: number, bound: readonly string[]): number {
    // What another loop has made is gone through more slowly than what is given.
    const made = this.visit(loop.iterRange, loops, bound);
    this.visit(loop.accuInit, loops, bound);
    const inside = loops + made + 1;
    if (inside > loopsMax) {
      this.fault(id, `it has a loop of a loop of a loop; at most ${loopsMax} are taken`);
      return 0;
    }
    const within = [...bound, loop.iterVar, loop.iterVar2, loop.accuVar].filter((name) => name !== '');
    const parts = [loop.loopCondition, loop.loopStep, loop.result];
    return made + 1 + Math.max(0, ...parts.map((part) => this.visit(part, inside, within)));
  }
}

/** The text that an expression is; undefined if it is none that is written there. */
function textOf(one: Expression | undefined): string | undefined {
  const constant = one?.exprKind.case === 'constExpr' ? one.exprKind.value.constantKind : undefined;
  return constant?.case === 'stringValue' ? constant.value : undefined;
}

function count(of: number[], loops: number): void {
  while (of.length <= loops) of.push(0);
  of[loops] = (of[loops] ?? 0) + 1;
}

/** Why an evaluation over something of these sizes would be too much; undefined if it is not. */
export function workOf({ parts, comparing }: Cost, { values, bytes }: Sizes): string | undefined {
  const loops = parts.length - 1;
  if (loops > 0 && values > loopedValuesMax)
    return `it loops, and what it is about has ${values} values; at most ${loopedValuesMax} are gone through`;
  if (loops === 0) return isTooMuch((parts[0] ?? 0) * (1 + bytes / bytesPerPart) + (comparing[0] ?? 0) * values);
  const rounds = values + parts.reduce((sum, some) => sum + some, 0);
  const weigh = (some: readonly number[], each: number): number =>
    some.reduce((sum, number, depth) => sum + number * each * rounds ** depth, 0);
  return isTooMuch(weigh(parts, 1 + bytes / bytesPerPart) + weigh(comparing, values));
}

const isTooMuch = (work: number): string | undefined =>
  work > workMax ? 'what it is about is too large for it' : undefined;

function unknownName(name: string, known: readonly string[], of = ''): string {
  const meant = suggest(name, known);
  const [said, there] = of === '' ? [`there is no ${name}`, 'there are'] : [`${of} has no ${name}`, 'it has'];
  const list = `${there} ${known.join(', ')}`;
  return meant === undefined ? `${said}; ${list}` : `${said}; did you mean ${meant}? (${list})`;
}
