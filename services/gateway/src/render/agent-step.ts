import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type AgentStep, visibleText } from '@stopgo/core';
import type { Answer } from '../json-text.ts';
import { renderLimits } from './limits.ts';
import { shownLine } from './shown.ts';
import { rfc3339 } from './time.ts';
import { renderSource, renderUsage } from './usage.ts';

/** One agent's work in a run. */
export function renderAgentStep(step: AgentStep): Answer {
  const { id, agent, parent, state, waitsFor, error, endedBy, input, completion, source, spent, startedAt, endedAt } =
    step;
  return {
    id,
    agent: shownLine(agent),
    parent,
    state,
    waits_for: waitsFor?.map((one) => ({ ...one })),
    error: error && visibleText(error),
    ended_by: endedBy,
    input: visibleText(input),
    completion: completion && {
      status: completion.status,
      result: visibleText(completion.result),
      confidence: completion.confidence,
      requires_followup: completion.requiresFollowup,
    },
    agent_source: source && renderSource(source),
    usage: renderUsage(spent),
    turns: step.turns,
    tool_calls: step.toolCalls,
    agent_calls: step.agentCalls,
    limits: renderLimits(step.limits),
    shared_keys: step.sharedKeys?.map(shownLine),
    started_at: rfc3339(timestampFromMs(startedAt)),
    ended_at: endedAt === undefined ? undefined : rfc3339(timestampFromMs(endedAt)),
  };
}
