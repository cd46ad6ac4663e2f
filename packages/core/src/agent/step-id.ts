/**
 * Ids of steps, of the turns of their models, and of calls: places in a tree. They are the same after any replay, so that effects
 * are named by them everywhere.
 *
 * | id | names |
 * | --- | --- |
 * | `root` | the step of an agent's root |
 * | `root/1` | that of its second child |
 * | `root/1[2]/0` | that of the first child of the loop `root/1`, in the second iteration |
 * | `root/1#3` | the third question to the model of `root/1`; of an a2a node, its one message |
 * | `root/1#3.0` | the first call that the answer to it asks for |
 * | `root/1#3.0/root/2` | a step of the agent that this call calls: its tree begins anew at `root` |
 *
 * Iterations and turns count from 1, children and calls from 0: decimal, without leading zeros, at most nine digits.
 */

/** A child of a node: its index, and of a loop's child the iteration. */
export type Branch = { readonly index: number; readonly iteration?: number };

/** What an id says: of a step, unless it has a turn; of a turn, unless it has a call. */
export type Place = {
  /** The call of another agent in whose tree the step is; absent in the tree of the run's own agent. */
  readonly caller?: CallPlace;
  /** From the root of the tree down. */
  readonly path: readonly Branch[];
  readonly turn?: number;
  /** Index of the call among those of the turn's answer. */
  readonly call?: number;
};

/** The place of a call. */
export type CallPlace = Place & { readonly turn: number; readonly call: number };

/** Id of the root's step. */
export const rootStep = 'root';

const fromOne = '[1-9]\\d{0,8}';
const fromZero = `0|${fromOne}`;
const branch = `(?:\\[(${fromOne})\\])?/(${fromZero})`;
const branches = new RegExp(branch, 'g');
/** The part of one tree. */
const part = new RegExp(`^${rootStep}((?:${branch})*)(?:#(${fromOne})(?:\\.(${fromZero}))?)?`);

/** What an id says; undefined for what is none. */
export function parsePlace(id: string): Place | undefined {
  let rest = id;
  let caller: CallPlace | undefined;
  for (;;) {
    const [whole, path = '', , , turn, call] = part.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const place = { ...(caller && { caller }), path: branchesOf(path) };
    rest = rest.slice(whole.length);
    if (turn === undefined) return rest === '' ? place : undefined;
    if (call === undefined) return rest === '' ? { ...place, turn: Number(turn) } : undefined;
    caller = { ...place, turn: Number(turn), call: Number(call) };
    if (rest === '') return caller;
    if (!rest.startsWith('/')) return undefined;
    rest = rest.slice(1);
  }
}

function branchesOf(path: string): Branch[] {
  return [...path.matchAll(branches)].map(([, iteration, index]) =>
    iteration === undefined ? { index: Number(index) } : { index: Number(index), iteration: Number(iteration) },
  );
}

/** The id of a place: the text that {@link parsePlace} reads it from. */
export function printPlace({ caller, path, turn, call }: Place): string {
  const root = caller === undefined ? rootStep : `${printPlace(caller)}/${rootStep}`;
  const step = path.reduce((parent, { index, iteration }) => childStep(parent, index, iteration), root);
  if (turn === undefined) return step;
  return call === undefined ? turnId(step, turn) : callId(step, turn, call);
}

/** Id of the root's step of an agent that a call calls. */
export function calledRoot(call: string): string {
  return `${call}/${rootStep}`;
}

/** Id of the call in whose tree a step is; undefined in the tree of the run's own agent. */
export function callAbove(stepId: string): string | undefined {
  const at = stepId.lastIndexOf(`/${rootStep}`);
  return at < 0 ? undefined : stepId.slice(0, at);
}

/** The step of the run's own tree in which a step is: itself, or the one that called the agent, or the agent above it, whose step that is. */
export function ownStep(stepId: string): string {
  const at = stepId.indexOf(`/${rootStep}`);
  return at < 0 ? stepId : stepOfCall(stepId.slice(0, at));
}

/** Id of the step that a call is of. */
export function stepOfCall(call: string): string {
  return call.slice(0, call.lastIndexOf('#'));
}

/** Step id of a child: its position under its parent's step, for loops in one iteration (from 1). */
export function childStep(parent: string, index: number, iteration?: number): string {
  return iteration === undefined ? `${parent}/${index}` : `${parent}[${iteration}]/${index}`;
}

/** Id of the question that a step asks its model in a turn (from 1). */
export function turnId(stepId: string, turn: number): string {
  return `${stepId}#${turn}`;
}

/** Id of a call: its index among those that the answer to a turn's question asks for. */
export function callId(stepId: string, turn: number, index: number): string {
  return `${turnId(stepId, turn)}.${index}`;
}

/** Where a step stands in its agent's tree: from the root down, the index of each child, whatever the iteration; empty for no step. */
export function pathOfStep(stepId: string): number[] {
  return (parsePlace(stepId)?.path ?? []).map(({ index }) => index);
}

/** The loop and the iteration (from 1) of a step that is a loop's own child; undefined for others. */
export function iterationOfStep(stepId: string): { readonly loop: string; readonly iteration: number } | undefined {
  const place = parsePlace(stepId);
  const iteration = place?.path.at(-1)?.iteration;
  if (place === undefined || iteration === undefined) return undefined;
  return { loop: printPlace({ ...place, path: place.path.slice(0, -1) }), iteration };
}

/** True for a step below another one, however deep, and for one of an agent that was called there. */
export function isBelow(stepId: string, above: string): boolean {
  const next = stepId[above.length];
  return (next === '/' || next === '[' || next === '#') && stepId.startsWith(above);
}
