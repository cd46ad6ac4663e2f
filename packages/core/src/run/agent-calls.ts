/** Calls of agents of this platform: who works on one, and what that comes to. */
import { facts as wire } from '@stopgo/proto';
import type { AgentSource } from '../agent/calling.ts';
import type { Digests } from '../agent/definitions.ts';
import type { ContextScope } from '../agent/platform-agent.ts';
import { type Fact, fact } from '../events/facts.ts';
import { completionToWire } from '../state/completion.ts';
import { outputToWire } from '../state/output.ts';
import type { CallState, RunState, StepState } from '../state/state.ts';
import { type TimeLimit, timeLimitToWire } from '../state/time-limit.ts';
import { nothingSpent, spentToWire } from '../state/usage.ts';
import { agentsToldBytesMax, memoriesToldBytesMax, stateToldBytesMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';

/** An agent is to work on a call: this is what its name means. */
export type CallAgent = Digests & {
  readonly type: 'callAgent';
  readonly callId: string;
  readonly agent: string;
  readonly contextScope: ContextScope;
  readonly source?: AgentSource;
  /** What it is told of the agents that it may call; absent: nothing. */
  readonly agentsTold?: string;
  /** What it is told of its own memory; absent: nothing. */
  readonly memoriesTold?: string;
  /** What it is told of session state, and of what the agents of the run share; absent: nothing. */
  readonly stateTold?: string;
};

const scopes = {
  FULL: wire.ContextScope.FULL,
  NONE: wire.ContextScope.NONE,
  SPECIFIC: wire.ContextScope.SPECIFIC,
} as const;

/** The fact that an agent works on a call; none if the call does not wait for one. */
export function agentCalled(
  run: RunState,
  revision: number,
  command: CallAgent,
  timeLimit: TimeLimit | undefined,
): Fact[] {
  const {
    callId,
    agent,
    agentDigest,
    toolsetDigest,
    policyDigest = '',
    source,
    agentsTold = '',
    memoriesTold = '',
    stateTold = '',
  } = command;
  const call = run.calls[callId];
  if (call?.phase !== 'ready' || call.target?.kind !== 'agent') return [];
  return [
    fact('agentCalled', {
      ...{ runId: run.id, stepId: call.stepId, callId, agent, agentDigest, toolsetDigest, policyDigest },
      ...(source && { source }),
      contextScope: scopes[command.contextScope],
      contextRevision: revision,
      agentsTold: cutText(agentsTold, agentsToldBytesMax).text,
      memoriesTold: cutText(memoriesTold, memoriesToldBytesMax).text,
      stateTold: cutText(stateTold, stateToldBytesMax).text,
      ...(timeLimit && { timeLimit: timeLimitToWire(timeLimit) }),
    }),
  ];
}

/** The fact that an agent is done with a call, for whatever reason. */
export function returned(
  { run, now }: { readonly run: RunState; readonly now: number },
  call: CallState,
  end: NonNullable<StepState['finished']>,
): Fact {
  const { called } = call;
  const { completion } = end;
  const { id: callId, stepId, tool } = call;
  return fact('agentReturned', {
    ...{ runId: run.id, stepId, callId, agent: called?.agent ?? '', tool },
    output: outputToWire(end.output),
    isError: end.failed,
    ...(completion && { completion: completionToWire(completion) }),
    usage: spentToWire(called?.usage ?? nothingSpent),
    durationMs: Math.max(0, now - (called?.since ?? now)),
    ...(called?.source && { source: called.source }),
  });
}
