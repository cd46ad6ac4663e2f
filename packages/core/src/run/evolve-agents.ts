/** What the calls of agents of this platform change in a run. */
import { facts } from '@stopgo/proto';
import type { ContextScope } from '../agent/platform-agent.ts';
import { callAbove, isBelow } from '../agent/step-id.ts';
import { isAgentCall } from '../calls/judged-in.ts';
import type { FactOf } from '../events/facts.ts';
import { withCall, withoutSettled, withStep } from '../state/run-changes.ts';
import { sourceFromWire } from '../state/source.ts';
import type { CalledAgent, RunState } from '../state/state.ts';
import { withTimeLimit } from '../state/time-limit.ts';
import { nothingSpent, plus, type Spent, spentByAnswer } from '../state/usage.ts';

function scopeFromWire(scope: facts.ContextScope): ContextScope {
  if (scope === facts.ContextScope.NONE) return 'NONE';
  return scope === facts.ContextScope.SPECIFIC ? 'SPECIFIC' : 'FULL';
}

/** An agent works on a call. */
export function evolveCalled(run: RunState, called: FactOf<'agentCalled'>, time: number): RunState {
  const { agent, agentDigest, toolsetDigest, policyDigest, contextRevision, source } = called;
  const working: CalledAgent = {
    ...{ agent, agentDigest, toolsetDigest },
    ...(policyDigest === '' ? {} : { policyDigest }),
    contextScope: scopeFromWire(called.contextScope),
    contextRevision,
    since: time,
    ...(source === undefined ? {} : { source: sourceFromWire(source) }),
    usage: nothingSpent,
    ...withTimeLimit(called.timeLimit),
  };
  return withCall(run, called.callId, {
    phase: 'called',
    attempt: (run.calls[called.callId]?.attempt ?? 0) + 1,
    called: working,
  });
}

/** Its work is of no further use but for what it came to: that is the call's result. */
export function evolveReturned(run: RunState, returned: FactOf<'agentReturned'>, revision: number): RunState {
  const call = run.calls[returned.callId];
  if (call?.phase !== 'called') return run;
  const { called, ...rest } = call;
  const steps = Object.fromEntries(Object.entries(run.steps).filter(([id]) => !isBelow(id, call.id)));
  const outcome = returned.isError ? 'error' : 'result';
  const done = { ...rest, phase: 'done', outcome, resultRevision: revision } as const;
  const next = withoutSettled({ ...run, steps, calls: { ...run.calls, [call.id]: done } });
  return called === undefined ? next : withCallerUsage(next, call.stepId, called.usage);
}

/** Calls of agents count from when they are asked for: what is under way in other branches counts, too. One that was refused does not. */
export function withAgentCalls(
  run: RunState,
  stepId: string,
  calls: readonly Pick<facts.Call, 'platformAgent'>[],
): RunState {
  const more = calls.filter(isAgentCall).length;
  if (more === 0) return run;
  let next = { ...run, agentCalls: (run.agentCalls ?? 0) + more };
  for (let above = callAbove(stepId); above !== undefined; above = callAbove(above)) {
    const call = next.calls[above];
    if (call?.called === undefined) continue;
    const called = { ...call.called, agentCalls: (call.called.agentCalls ?? 0) + more };
    next = { ...next, calls: { ...next.calls, [above]: { ...call, called } } };
  }
  return next;
}

/** It is told to say that it has done its task. */
export function evolveStepReminded(run: RunState, { stepId, turn, count }: FactOf<'stepReminded'>): RunState {
  const step = run.steps[stepId];
  return step === undefined ? run : withStep(run, { ...step, reminded: { turn, count } });
}

/** What an answer of a model has used counts for the run, and for the agent in whose tree the step is. */
export function withAnswerUsage(run: RunState, stepId: string, usage: FactOf<'modelResponded'>['usage']): RunState {
  const spent = spentByAnswer(usage);
  return withCallerUsage({ ...run, spent: plus(run.spent ?? nothingSpent, spent) }, stepId, spent);
}

/** The same of what a model answered to a tool server; there is no answer if there is an error. */
export function withSamplingUsage(run: RunState, answer: FactOf<'inputProvided'>['sampling']): RunState {
  return answer === undefined || answer.error !== '' ? run : withAnswerUsage(run, answer.stepId, answer.usage);
}

/** What an agent used that was called counts for its caller once it returns; for the run it counted at once. */
export function withCallerUsage(run: RunState, stepId: string, spent: Spent): RunState {
  const caller = callAbove(stepId);
  const call = caller === undefined ? undefined : run.calls[caller];
  if (call?.called === undefined) return run;
  const called = { ...call.called, usage: plus(call.called.usage, spent) };
  return { ...run, calls: { ...run.calls, [call.id]: { ...call, called } } };
}

/** What is known of an agent that may call others. */
export function callingOf({ agentLimits, agentSource, timeLimit }: FactOf<'runStarted'>): Partial<RunState> {
  return {
    ...withTimeLimit(timeLimit),
    ...(agentLimits === undefined
      ? {}
      : {
          agentLimits: {
            depthMax: agentLimits.depthMax,
            callsMax: agentLimits.callsMax,
            circlesAllowed: agentLimits.circlesAllowed,
          },
        }),
    ...(agentSource === undefined ? {} : { source: sourceFromWire(agentSource) }),
  };
}
