/** What agents may use: where somebody has to let them use more, or they end. */
import { facts as wire } from '@stopgo/proto';
import { type Definitions, definitionOf } from '../agent/definitions.ts';
import type { AgentLimits } from '../agent/platform-agent.ts';
import { callAbove, calledRoot, isBelow, rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import { withdrawnWithin } from '../interrupts/below-step.ts';
import { type GivenLimits, limitUseToWire } from '../state/given-limits.ts';
import type { RunState } from '../state/state.ts';
import { nothingSpent, plus, type Spent } from '../state/usage.ts';
import { type LimitKind, type LimitUse, limitEnds, limitPauses } from '../text/limit-words.ts';
import type { Effect } from './effect.ts';

/** What an agent has used, with all that it called. */
type Used = {
  readonly spent: Spent;
  readonly agentCalls: number;
  /** How many times its limits it may use. */
  readonly times: number;
  readonly given: GivenLimits;
};

/** An agent that may not use more. */
type Reached = {
  readonly stepId: string;
  readonly agent: string;
  readonly onLimit: AgentLimits['onLimit'];
  readonly used: readonly LimitUse[];
};

/**
 * The facts that follow where what is owed would go beyond what an agent may use, the outermost agent first: it ends, or the run is paused
 * until a person lets it use more. None where all may begin.
 */
export function limitFacts(definitions: Definitions, run: RunState, effects: readonly Effect[]): readonly Fact[] {
  for (const effect of effects) {
    const at =
      effect.kind === 'model' ? effect.stepId : effect.kind === 'agent' ? run.calls[effect.id]?.stepId : undefined;
    const reached = at === undefined ? undefined : reachedAt(definitions, run, at);
    if (reached !== undefined) return factsOf(run, reached);
  }
  return [];
}

function reachedAt(definitions: Definitions, run: RunState, stepId: string): Reached | undefined {
  for (const root of rootsAbove(stepId)) {
    const { agent } = definitionOf(definitions, run, root);
    const limits = agent.platform?.limits;
    const used = limits === undefined ? [] : usedUp(limits, usedBy(run, root));
    if (limits !== undefined && used.length > 0)
      return { stepId: root, agent: agent.name, onLimit: limits.onLimit, used };
  }
  return undefined;
}

/** The roots of the agents in whose trees a step is, the outermost first. */
function rootsAbove(stepId: string): string[] {
  const roots: string[] = [];
  for (let call = callAbove(stepId); call !== undefined; call = callAbove(call)) roots.unshift(calledRoot(call));
  return [rootStep, ...roots];
}

/**
 * What of something an agent has used, with all that it called. `root`: of its tree; undefined if it works no more. Calls of agents are
 * counted when they are asked for.
 */
export function usedAt(run: RunState, root: string, kind: LimitKind): number | undefined {
  const step = run.steps[root];
  return step !== undefined && step.finished === undefined ? amountOf(usedBy(run, root), kind) : undefined;
}

/** True if nothing more may begin. A call of an agent that is counted has not begun yet. */
export function isUsedUp({ kind, used, most }: LimitUse): boolean {
  return kind === 'agent_calls' ? used > most : used >= most;
}

function usedBy(run: RunState, root: string): Used {
  const own = root === rootStep ? undefined : run.calls[callAbove(root) ?? '']?.called;
  const { limitTimes: times = 1, givenLimits: given = {}, agentCalls = 0 } = own ?? run;
  if (own === undefined) return { spent: run.spent ?? nothingSpent, agentCalls, times, given };
  // What those have used that work below it counts for it when they return; here it counts at once.
  const below = Object.values(run.calls).filter(({ id, called }) => called !== undefined && isBelow(id, root));
  const spent = below.reduce((sum, { called }) => plus(sum, called?.usage ?? nothingSpent), own.usage);
  return { spent, agentCalls, times, given };
}

function amountOf({ spent, agentCalls }: Used, kind: LimitKind): number {
  if (kind === 'tokens') return spent.inputTokens + spent.outputTokens;
  return kind === 'cost' ? (spent.costNanoUsd ?? 0) : agentCalls;
}

/** What is used up of what its definition, and then people, let it use. Whoever resumes it lets it use as much again. */
function usedUp({ agentCallsMax, tokensMax, costMax }: AgentLimits, used: Used): readonly LimitUse[] {
  const defined: Readonly<Record<LimitKind, number | undefined>> = {
    tokens: tokensMax,
    cost: costMax === undefined ? undefined : costMax * 1_000,
    agent_calls: agentCallsMax,
  };
  return (Object.keys(defined) as LimitKind[]).flatMap((kind) => {
    const { most, since } = used.given[kind] ?? { most: defined[kind], since: 1 };
    if (most === undefined) return [];
    const use = { kind, used: amountOf(used, kind), most: most * (used.times - since + 1) };
    return isUsedUp(use) ? [use] : [];
  });
}

function factsOf(run: RunState, { stepId, agent, onLimit, used }: Reached): readonly Fact[] {
  const runId = run.id;
  if (onLimit === 'ask') {
    const reached = used.map(limitUseToWire);
    const why = { reason: limitPauses(agent, used), limitStepId: stepId, limitAgent: agent, reached };
    return [fact('runPaused', { runId, ...why })];
  }
  const text = limitEnds(agent, used);
  const end =
    stepId === rootStep
      ? fact('runFailed', { runId, text })
      : fact('stepCanceled', { runId, stepId, cause: wire.CancelCause.LIMIT, text });
  return [...withdrawnWithin(run, stepId, text), end];
}
