import { rootStep } from '@stopgo/core/step-id';
import type { NodeState, Run, RunNode, RunOutline, RunState } from './run-node.ts';
import type { NodeRecord, RunRecord } from './run-record.ts';
import { nothingSpent, plus } from './spent.ts';

type Seen = {
  readonly node: RunNode;
  /** People are asked, by it or below it. */
  readonly isAsking: boolean;
  /** Something goes on, in it or below it. */
  readonly isBusy: boolean;
  /** An agent that it has called works, in its own tree. */
  readonly hasCalled: boolean;
};

/** A run as it stands. `now` is in milliseconds since 1970: what goes on is counted up to it. */
export function viewOf(run: RunRecord, now: number): Run {
  const children = new Map<string, NodeRecord[]>();
  for (const node of run.nodes.values()) {
    if (node.parent === undefined) continue;
    const others = children.get(node.parent);
    if (others === undefined) children.set(node.parent, [node]);
    else others.push(node);
  }
  const nodes: RunNode[] = [];
  const root = run.nodes.get(rootStep);
  const seen = root === undefined ? undefined : see(root, 0);
  const { id, number, message, startedAt, endedAt } = run;
  return {
    ...{ id, number, message, startedAt, endedAt, nodes },
    state: runState(run, seen),
    spent: seen?.node.spent ?? nothingSpent,
  };

  function see(record: NodeRecord, depth: number): Seen {
    // Its place is before those below it, which are seen first.
    const place = nodes.length;
    nodes.length += 1;
    const below = (children.get(record.id) ?? []).map((child) => see(child, depth + 1));
    const { state, isAsking, isBusy } = standing(run, record, below);
    const node = shown(record, { depth, state, below, now: run.endedAt ?? now });
    nodes[place] = node;
    const isOpenAgent = record.kind === 'agent' && record.ended === undefined && record.phase === 'running';
    const hasCalled = isOpenAgent || (record.kind === 'step' && below.some((one) => one.hasCalled));
    return { node, isAsking, isBusy, hasCalled };
  }
}

/** A run in a line. Of one that is over nothing has to be worked out. */
export function outlineOf(run: RunRecord): RunOutline {
  const { id, number, message, ended } = run;
  return { id, number, message, state: ended ?? viewOf(run, 0).state };
}

type Standing = { readonly state: NodeState; readonly isAsking: boolean; readonly isBusy: boolean };

/**
 * An agent asks people when somebody is asked by it or below it; a step of its tree only when nothing below it goes on meanwhile. So
 * `GET /runs/ID/steps` and `stopgo graph` have it.
 */
function standing(run: RunRecord, record: NodeRecord, below: readonly Seen[]): Standing {
  const idle = { isAsking: false, isBusy: false };
  if (record.ended !== undefined) return { state: record.ended, ...idle };
  if (run.ended !== undefined) return { state: 'canceled', ...idle };
  const isAskingItself = record.waits.size > 0 || record.phase === 'gated' || record.phase === 'doubt';
  if (record.kind === 'tool' || record.kind === 'remote' || record.phase !== 'running') {
    if (record.phase === 'doubt') return { state: 'doubt', isAsking: true, isBusy: false };
    if (isAskingItself) return { state: 'waiting', isAsking: true, isBusy: false };
    if (record.phase === 'running') return { state: 'running', isAsking: false, isBusy: true };
    return run.isPaused ? { state: 'paused', ...idle } : { state: 'ready', isAsking: false, isBusy: true };
  }
  const isAsking = isAskingItself || below.some((one) => one.isAsking);
  const isOpenBelow = below.some((one) => isOpen(one.node.state));
  const isBusy = isOpenBelow ? below.some((one) => one.isBusy) : !isAskingItself && !run.isPaused;
  const asksItself =
    isAskingItself ||
    below.some(({ node, isAsking: asks }) => asks && (node.kind === 'tool' || node.kind === 'remote'));
  const waits = record.kind === 'agent' ? isAsking : asksItself || (isAsking && !isBusy);
  if (waits) return { state: 'waiting', isAsking, isBusy };
  if (run.isPaused && !isBusy) return { state: 'paused', isAsking, isBusy };
  const depends = record.kind === 'agent' && below.some((one) => one.hasCalled);
  return { state: depends ? 'dependency' : 'running', isAsking, isBusy };
}

const isOpen = (state: NodeState): boolean =>
  ['ready', 'running', 'waiting', 'dependency', 'paused', 'doubt'].includes(state);

function runState(run: RunRecord, root: Seen | undefined): RunState {
  if (run.ended !== undefined) return run.ended;
  if (run.isPaused) return 'paused';
  return root?.isAsking === true && !root.isBusy ? 'waiting' : 'working';
}

type Context = {
  readonly depth: number;
  readonly state: NodeState;
  readonly below: readonly Seen[];
  readonly now: number;
};

function shown(record: NodeRecord, { depth, state, below, now }: Context): RunNode {
  const { id, parent, kind, name, type, server, round, startedAt, endedAt, attempts, own, reason } = record;
  const open = [...record.waits.values()];
  return {
    ...{ id, parent, depth, kind, name, type, server, round, state, startedAt, endedAt, attempts, own, reason },
    ...{ asked: record.asked, args: record.args, gave: record.gave, completion: record.completion },
    ...{ source: record.source, waits: open, approvals: [...record.approvals.values()], answers: [...record.answers] },
    notes: record.notes.filter((note) => note !== ''),
    waitedMs: record.waitedMs + open.reduce((sum, { since }) => sum + Math.max(0, now - since), 0),
    tookMs: tookOf(record, state, now),
    spent: below.reduce((sum, one) => plus(sum, one.node.spent), own),
  };
}

/** A call has taken as long as it ran, whatever it waited for; all else from its beginning to its end. */
function tookOf({ kind, ranMs, ranAt, startedAt, endedAt }: NodeRecord, state: NodeState, now: number) {
  if (kind === 'tool' || kind === 'remote') {
    if (ranMs !== undefined) return ranMs;
    const since = ranAt ?? startedAt;
    return state === 'running' && since !== undefined ? Math.max(0, now - since) : undefined;
  }
  return startedAt === undefined ? undefined : Math.max(0, (endedAt ?? now) - startedAt);
}
