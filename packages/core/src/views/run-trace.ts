import { iterationOfStep, ownStep, pathOfStep } from '../agent/step-id.ts';
import type { FactOf, OtherStreamFact, RecordedFact } from '../events/facts.ts';

/** What the events of one run tell of a node: what the state forgets when its step is over. */
export type NodeTrace = {
  /** How often it was begun. */
  readonly executions: number;
  /** When it was begun first; milliseconds since 1970. */
  readonly startedAt: number;
  /** When what goes on was begun; absent if nothing does. */
  readonly openSince?: number;
  /** What its finished executions took, in milliseconds. */
  readonly finishedMs: number;
  /** True if the execution that ended last failed. */
  readonly failed: boolean;
  /** The iteration that its latest execution came to, from 1 (loop); 0 for others. */
  readonly iteration: number;
  /** Tokens of its own model's answers, also to tool servers in the midst of its calls, as the provider reported them. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Names of the models that gave them, each once, in the order in which they first answered. */
  readonly models: readonly string[];
};

/** A run as its events tell it. As large as its tree, whatever the number of iterations. */
export type RunTrace = {
  readonly runId: string;
  readonly agentDigest: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Absent while it is open. */
  readonly settledAt?: number;
  /** By place in the tree (see `placeOf`); who was never begun is not in it. */
  readonly nodes: Readonly<Record<string, NodeTrace>>;
};

/** The name under which a trace holds the node at a path: the index of each child from the root down. */
export function placeOf(path: readonly number[]): string {
  return path.join('/');
}

/** The same for the node that a step executes. */
export function placeOfStep(stepId: string): string {
  return placeOf(pathOfStep(ownStep(stepId)));
}

/** Facts that tell nothing of how long a node takes. */
type NotTraced =
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
  | 'callEdited'
  | OtherStreamFact
  | 'conversationCreated'
  | 'userMessageReceived'
  | 'runClaimed'
  | 'runReleased'
  | 'modelFailed'
  | 'approvalRequested'
  | 'approvalResolved'
  | 'inputRequested'
  | 'toolCallStarted'
  | 'toolCallFinished'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'delegationFinished'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'delegationRequested'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'agentCalled'
  | 'agentReturned'
  | 'stepReminded'
  | 'runPaused'
  | 'runResumed'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

/** The trace after one more event. `RunStarted` begins another one; what is not of the run changes nothing. */
export function evolveTrace(trace: RunTrace | undefined, { fact, time }: RecordedFact): RunTrace | undefined {
  if (fact.case === 'runStarted') {
    const { runId, agentDigest } = fact.value;
    return { runId, agentDigest, startedAt: time, nodes: {} };
  }
  if (trace === undefined || !('runId' in fact.value) || fact.value.runId !== trace.runId) return trace;
  switch (fact.case) {
    case 'stepStarted':
      return begun(trace, fact.value.stepId, time);
    case 'modelResponded':
      return answered(trace, fact.value);
    case 'inputProvided':
      return fact.value.sampling === undefined ? trace : answered(trace, fact.value.sampling);
    case 'stepFinished':
      return finished(trace, fact.value, time);
    case 'stepCanceled':
      return canceled(trace, fact.value.stepId, time);
    case 'runCompleted':
    case 'runFailed':
    case 'runCanceled':
      return trace.settledAt === undefined ? { ...trace, settledAt: time } : trace;
    default:
      fact.case satisfies NotTraced;
      return trace;
  }
}

function begun(trace: RunTrace, stepId: string, time: number): RunTrace {
  // What an agent does that was called counts for the node that called it: its tokens, not its steps.
  if (ownStep(stepId) !== stepId) return trace;
  const before = trace.nodes[placeOfStep(stepId)];
  const within = iterationOfStep(stepId);
  const counted = within === undefined ? trace : changed(trace, within.loop, { iteration: within.iteration });
  const { executions = 0, startedAt = time } = before ?? {};
  const first = { finishedMs: 0, failed: false, inputTokens: 0, outputTokens: 0, models: [] };
  const node = { ...first, ...before, executions: executions + 1, startedAt, openSince: time, iteration: 0 };
  return { ...counted, nodes: { ...counted.nodes, [placeOfStep(stepId)]: node } };
}

type Answer = Pick<FactOf<'modelResponded'>, 'stepId' | 'usage' | 'model'>;

function answered(trace: RunTrace, { stepId, usage, model }: Answer): RunTrace {
  const { inputTokens = 0, outputTokens = 0, models = [] } = trace.nodes[placeOfStep(stepId)] ?? {};
  return changed(trace, stepId, {
    inputTokens: inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: outputTokens + (usage?.outputTokens ?? 0),
    models: model === '' || models.includes(model) ? models : [...models, model],
  });
}

function finished(trace: RunTrace, { stepId, failed }: FactOf<'stepFinished'>, time: number): RunTrace {
  return ownStep(stepId) === stepId ? ended(trace, placeOfStep(stepId), failed, time) : trace;
}

/** A step is ended with whatever goes on below it. */
function canceled(trace: RunTrace, stepId: string, time: number): RunTrace {
  if (ownStep(stepId) !== stepId) return trace;
  const place = placeOfStep(stepId);
  const within = Object.keys(trace.nodes).filter((one) => place === '' || `${one}/`.startsWith(`${place}/`));
  return within.reduce((now, one) => ended(now, one, true, time), trace);
}

function ended(trace: RunTrace, place: string, failed: boolean, time: number): RunTrace {
  const node = trace.nodes[place];
  if (node?.openSince === undefined) return trace;
  const { openSince, ...rest } = node;
  const over = { ...rest, finishedMs: node.finishedMs + elapsedMs(openSince, time), failed };
  return { ...trace, nodes: { ...trace.nodes, [place]: over } };
}

/** Changes nothing of a step that was never begun. */
function changed(trace: RunTrace, stepId: string, change: Partial<NodeTrace>): RunTrace {
  const place = placeOfStep(stepId);
  const node = trace.nodes[place];
  return node === undefined ? trace : { ...trace, nodes: { ...trace.nodes, [place]: { ...node, ...change } } };
}

/** Milliseconds from one time to another; none if clocks disagree about which comes first. */
export function elapsedMs(from: number, to: number): number {
  return Math.max(0, to - from);
}
