import { type AgentDefinition, type AgentNode, childrenOf } from '../agent/definition.ts';
import { serverOf } from '../events/target.ts';
import { openInterrupts } from '../interrupts/kinds.ts';
import type { CallState, ConversationState, RunState } from '../state/state.ts';
import type { Spent } from '../state/usage.ts';
import { callsOf, dueAnswers, isStepDue, type RunStanding, runStanding } from '../state/work.ts';
import { elapsedMs, type NodeTrace, placeOf, placeOfStep, type RunTrace } from './run-trace.ts';

/** A picture of an agent's tree, and of a run over it where there is one. */
export type Picture = {
  readonly agent: string;
  readonly root: PictureNode;
  readonly run?: PicturedRun;
};

export type PicturedRun = {
  readonly conversationId: string;
  readonly id: string;
  readonly standing: RunStanding;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** From its start to its end, or to now. */
  readonly tookMs: number;
  /** What its models' answers have used; absent: there is none. */
  readonly spent?: Spent;
};

export type PictureNode = {
  readonly node: AgentNode;
  readonly children: readonly PictureNode[];
  /** Absent if the picture is of the tree alone. */
  readonly progress?: NodeProgress;
};

/**
 * Where a node stands. Not reached: its turn may still come; skipped: it will not. Canceled: it was begun, and the run was
 * over before it. A node that was executed several times is told by its latest execution.
 */
export type NodeStatus = 'not reached' | 'running' | 'waiting' | 'done' | 'failed' | 'skipped' | 'canceled';

export type NodeProgress = {
  readonly status: NodeStatus;
  /** How often it was begun: more than once inside a loop. */
  readonly executions: number;
  /** The iteration that its latest execution came to, from 1 (loop); 0 for others and before the first. */
  readonly iteration: number;
  /** When it was begun first, in milliseconds since 1970; absent if it was not. */
  readonly startedAt?: number;
  /** What all its executions took, in milliseconds; one that goes on up to now. */
  readonly tookMs: number;
  /** Tokens of all its model answers and of those below it. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Names of the models that answered it, each once. */
  readonly models: readonly string[];
  /** What it waits for, all of it; of nodes below it they say it. */
  readonly waits: readonly Wait[];
};

/** What a call of a node waits for: somebody's approval, somebody's word on what became of it, a token, an answer. */
export type Wait = {
  readonly kind: 'approval' | 'in_doubt' | 'auth' | 'input';
  /** Of the approval or the input. */
  readonly id: string;
  /** Both empty if it is about no call; a delegation has no server. */
  readonly tool: string;
  readonly server: string;
  /** When it was asked for, in milliseconds since 1970. */
  readonly since: number;
};

/** The tree alone. */
export function pictureOfAgent(agent: AgentDefinition): Picture {
  return { agent: agent.name, root: drawn(agent.root) };
}

/**
 * A run over the tree that it was started with. The trace and the state are folded from the same events, up to the same
 * one, and the state's run is the trace's. `now` is in milliseconds since 1970.
 */
export function pictureOfRun(
  agent: AgentDefinition,
  trace: RunTrace,
  state: ConversationState & { readonly run: RunState },
  now: number,
): Picture {
  const { runId: id, startedAt, settledAt = now } = trace;
  const standing = runStanding(state);
  const tookMs = elapsedMs(startedAt, settledAt);
  const known: Known = { trace, until: settledAt, waits: waitsByPlace(state.run), busy: busyPlaces(state.run) };
  const { spent } = state.run;
  const run = { conversationId: state.id, id, standing, startedAt, tookMs, ...(spent && { spent }) };
  return { agent: agent.name, root: drawnIn(known, agent.root, [], trace.settledAt !== undefined), run };
}

type Known = {
  readonly trace: RunTrace;
  /** Up to when what goes on is counted. */
  readonly until: number;
  readonly waits: ReadonlyMap<string, readonly Wait[]>;
  /** Where a model or an agent is asked, or a call runs or may run. */
  readonly busy: ReadonlySet<string>;
};

type Drawn = PictureNode & { readonly progress: NodeProgress };

function drawn(node: AgentNode): PictureNode {
  return { node, children: childrenOf(node).map(drawn) };
}

/** `isOver`: nothing above it goes on, so that what has not begun will not. */
function drawnIn(known: Known, node: AgentNode, path: readonly number[], isOver: boolean): Drawn {
  const place = placeOf(path);
  const trace = known.trace.nodes[place];
  const isEnded = trace !== undefined && trace.openSince === undefined;
  const children = childrenOf(node).map((child, index) => drawnIn(known, child, [...path, index], isOver || isEnded));
  const waits = known.waits.get(place) ?? [];
  const sum = (of: (progress: NodeProgress) => number): number =>
    children.reduce((total, child) => total + of(child.progress), 0);
  const { executions = 0, iteration = 0, finishedMs = 0, openSince = known.until } = trace ?? {};
  const progress: NodeProgress = {
    status: statusOf(trace, isOver, () => openStatus(known, place, waits, children)),
    executions,
    iteration,
    ...(trace === undefined ? {} : { startedAt: trace.startedAt }),
    tookMs: finishedMs + elapsedMs(openSince, known.until),
    inputTokens: (trace?.inputTokens ?? 0) + sum((one) => one.inputTokens),
    outputTokens: (trace?.outputTokens ?? 0) + sum((one) => one.outputTokens),
    models: trace?.models ?? [],
    waits,
  };
  return { node, children, progress };
}

function statusOf(trace: NodeTrace | undefined, isOver: boolean, open: () => NodeStatus): NodeStatus {
  if (trace === undefined) return isOver ? 'skipped' : 'not reached';
  if (trace.openSince === undefined) return trace.failed ? 'failed' : 'done';
  return isOver ? 'canceled' : open();
}

/** A node that asks a human waits, whatever else it does; one above it does as long as nothing below it goes on. */
function openStatus(known: Known, place: string, waits: readonly Wait[], children: readonly Drawn[]): NodeStatus {
  if (waits.length > 0) return 'waiting';
  const below = place === '' ? '' : `${place}/`;
  const isBusy = children.length > 0 && [...known.busy].some((one) => one.startsWith(below));
  return !isBusy && children.some((child) => child.progress.status === 'waiting') ? 'waiting' : 'running';
}

function busyPlaces(run: RunState): ReadonlySet<string> {
  const isBusy = Object.values(run.steps).filter((step) => {
    if (step.finished !== undefined) return false;
    return isStepDue(step, run) || callsOf(step, run).some((call) => isBusyCall(run, call));
  });
  return new Set(isBusy.map((step) => placeOfStep(step.id)));
}

function isBusyCall(run: RunState, call: CallState): boolean {
  const { phase } = call;
  return phase === 'ready' || phase === 'started' || (phase === 'asking' && dueAnswers(run, call).length > 0);
}

function waitsByPlace(run: RunState): ReadonlyMap<string, readonly Wait[]> {
  const all = new Map<string, Wait[]>();
  const add = (callId: string, wait: Pick<Wait, 'kind' | 'id' | 'since'>): void => {
    const { stepId = '', tool = '', target } = run.calls[callId] ?? {};
    const server = serverOf(target);
    const place = placeOfStep(stepId);
    all.set(place, [...(all.get(place) ?? []), { ...wait, tool, server }]);
  };
  for (const { interrupt, shownAs } of openInterrupts(run)) {
    if (shownAs === undefined) continue;
    const { id, callId, requestedAt: since } = interrupt;
    add(callId, { kind: shownAs, id, since });
  }
  return all;
}
