/** What agents may use: where somebody has to let them use more, or they end. */
import { facts as wire } from '@stopgo/proto';
import { type Definitions, definitionOf } from '../agent/definitions.ts';
import type { AgentLimits } from '../agent/platform-agent.ts';
import { callAbove, calledRoot, isBelow, rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import { withdrawnWithin } from '../interrupts/below-step.ts';
import type { RunState } from '../state/state.ts';
import { nothingSpent, plus, type Spent } from '../state/usage.ts';
import { limitEnds, limitPauses, usedOf } from '../text/limit-words.ts';
import type { Effect } from './effect.ts';

/** What an agent has used, with all that it called. */
type Used = { readonly spent: Spent; readonly agentCalls: number; readonly times: number };

/** An agent that may not use more. */
type Reached = {
  readonly stepId: string;
  readonly agent: string;
  readonly onLimit: AgentLimits['onLimit'];
  readonly used: string;
};

/**
 * The facts that follow where what is owed would go beyond what an agent may use, the outermost agent first: it ends, or the run is paused
 * until a person lets it use as much again. None where all may begin.
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
    const used = limits && overLimit(limits, usedBy(run, root));
    if (limits && used !== undefined) return { stepId: root, agent: agent.name, onLimit: limits.onLimit, used };
  }
  return undefined;
}

/** The roots of the agents in whose trees a step is, the outermost first. */
function rootsAbove(stepId: string): string[] {
  const roots: string[] = [];
  for (let call = callAbove(stepId); call !== undefined; call = callAbove(call)) roots.unshift(calledRoot(call));
  return [rootStep, ...roots];
}

function usedBy(run: RunState, root: string): Used {
  const own = root === rootStep ? undefined : run.calls[callAbove(root) ?? '']?.called;
  if (own === undefined)
    return { spent: run.spent ?? nothingSpent, agentCalls: run.agentCalls ?? 0, times: run.limitTimes ?? 1 };
  // What those have used that work below it counts for it when they return; here it counts at once.
  const below = Object.values(run.calls).filter(({ id, called }) => called !== undefined && isBelow(id, root));
  const spent = below.reduce((sum, { called }) => plus(sum, called?.usage ?? nothingSpent), own.usage);
  return { spent, agentCalls: own.agentCalls ?? 0, times: own.limitTimes ?? 1 };
}

/** What of it is used up, in words; undefined if nothing is. A call of an agent is counted when it is asked for. */
function overLimit(
  { agentCallsMax, tokensMax, costMax }: AgentLimits,
  { spent, agentCalls, times }: Used,
): string | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  const nanoUsd = spent.costNanoUsd ?? 0;
  if (tokensMax !== undefined && tokens >= tokensMax * times) return usedOf('tokens', tokens, tokensMax * times);
  const nanoMax = costMax === undefined ? undefined : costMax * 1_000 * times;
  if (nanoMax !== undefined && nanoUsd >= nanoMax) return usedOf('dollars', nanoUsd, nanoMax);
  if (agentCallsMax !== undefined && agentCalls > agentCallsMax * times)
    return usedOf('agent calls', agentCalls, agentCallsMax * times);
  return undefined;
}

function factsOf(run: RunState, { stepId, agent, onLimit, used }: Reached): readonly Fact[] {
  const runId = run.id;
  if (onLimit === 'ask') return [fact('runPaused', { runId, reason: limitPauses(agent, used), limitStepId: stepId })];
  const text = limitEnds(agent, used);
  const end =
    stepId === rootStep
      ? fact('runFailed', { runId, text })
      : fact('stepCanceled', { runId, stepId, cause: wire.CancelCause.LIMIT, text });
  return [...withdrawnWithin(run, stepId, text), end];
}
