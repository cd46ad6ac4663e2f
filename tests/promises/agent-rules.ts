import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { RecordedFact } from '@stopgo/core';
import { type RunRecord, rejectedAt } from './tree-rules.ts';

/**
 * What holds of agents that call each other, read from the raw facts: an agent works on a call once, below those that wait for it, and
 * nothing below a call happens before it is called or after it has returned.
 */
export function wrongWithAgents(run: RunRecord): string[] {
  const { where, agent, facts } = run;
  const wrong: string[] = [];
  const called = new Map<string, string>();
  const returned = new Set<string>();
  const canceled: string[] = [];
  let isOver = false;
  const limits = facts.flatMap(({ fact }) => (fact.case === 'runStarted' ? [fact.value.agentLimits] : []))[0];
  for (const { fact, revision } of facts) {
    const at = `${where} event ${revision}`;
    const id = 'stepId' in fact.value ? fact.value.stepId : 'callId' in fact.value ? fact.value.callId : '';
    // Once a run is over, whoever cannot tell how an attempt ended says so.
    const isLate = (fact.case === 'toolCallFinished' && fact.value.late) || (fact.case === 'toolCallInDoubt' && isOver);
    isOver ||= fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled';
    if (!isLate && canceled.some((step) => isWithin(id, step)))
      wrong.push(`${at}: ${fact.case} of ${id}, which was ended before`);
    for (const caller of callersOf(id)) {
      if (!called.has(caller)) wrong.push(`${at}: ${fact.case} of ${id}, and nobody was called at ${caller}`);
      if (returned.has(caller) && !isLate) wrong.push(`${at}: ${fact.case} of ${id} after ${caller} has returned`);
    }
    if (fact.case === 'agentCalled') {
      const { callId, agent: name } = fact.value;
      const path = [agent.name, ...callersOf(callId).map((caller) => called.get(caller) ?? '')];
      if (called.has(callId)) wrong.push(`${at}: ${callId} is called again`);
      if (limits?.circlesAllowed === false && path.includes(name)) wrong.push(`${at}: ${[...path, name].join(' → ')}`);
      called.set(callId, name);
      if (path.length >= (limits?.depthMax ?? 0)) wrong.push(`${at}: ${path.length + 1} agents one below another`);
      if (called.size > (limits?.callsMax ?? 0)) wrong.push(`${at}: ${called.size} calls of agents`);
      const open = [...called.keys()].filter((one) => !returned.has(one)).length;
      if (open > 64) wrong.push(`${at}: ${open} agents work at once`);
    }
    if (fact.case === 'stepCanceled') {
      const { stepId } = fact.value;
      canceled.push(stepId);
      // Whoever works below it ends with it; of its own agent the caller is told.
      for (const one of called.keys()) if (isWithin(stepOf(one), stepId)) returned.add(one);
    }
    if (fact.case === 'agentReturned') {
      const { callId } = fact.value;
      if (!called.has(callId) || returned.has(callId)) wrong.push(`${at}: ${callId} returns, and nobody works on it`);
      const below = [...called.keys()].filter((one) => one.startsWith(`${callId}/`) && !returned.has(one));
      if (below.length > 0) wrong.push(`${at}: ${callId} returns while ${below.join()} goes on`);
      returned.add(callId);
    }
    // A no to the run's own agent ends whatever else goes on.
    if (fact.case === 'runCompleted' && called.size > returned.size && rejectedAt(run) === undefined)
      wrong.push(`${at}: it ends while an agent works`);
  }
  return [...wrong, ...pastTime(run), ...whilePaused(run)];
}

/** A run that is paused begins nothing, and asks no model twice. */
function whilePaused({ where, facts }: RunRecord): string[] {
  const wrong: string[] = [];
  let answers: Set<string> | undefined;
  for (const { fact, revision } of facts) {
    if (fact.case === 'runPaused') answers = new Set();
    if (fact.case === 'runResumed') answers = undefined;
    if (answers === undefined) continue;
    const isAgain = fact.case === 'modelResponded' && answers.has(fact.value.stepId);
    if (notWhilePaused.has(fact.case) || isAgain)
      wrong.push(`${where} event ${revision}: ${fact.case} while it is paused`);
    if (fact.case === 'modelResponded') answers.add(fact.value.stepId);
  }
  return wrong;
}

const notWhilePaused = new Set([
  'stepStarted',
  'toolCallStarted',
  'delegationRequested',
  'delegationStarted',
  'delegationAnswered',
  'agentCalled',
  'agentReturned',
  'stepReminded',
  'runCompleted',
]);

/** An agent whose time is over begins nothing: whoever put something of it on the record then has ended it in the same append. */
function pastTime({ where, facts }: RunRecord): string[] {
  const times = facts.flatMap(({ fact, revision }) => {
    if (fact.case !== 'agentCalled' && fact.case !== 'runStarted') return [];
    const endsAt = fact.value.timeLimit?.endsAt;
    if (endsAt === undefined) return [];
    const root = fact.case === 'runStarted' ? 'root' : `${fact.value.callId}/root`;
    return [{ root, since: revision, endsAt: timestampMs(endsAt) }];
  });
  return times.flatMap(({ root, since, endsAt }) =>
    facts
      .filter(
        ({ fact, time, revision }) =>
          begins.has(fact.case) &&
          'stepId' in fact.value &&
          time > endsAt + pausedMs(facts, since, revision) &&
          isWithin(fact.value.stepId, root),
      )
      .filter(
        (one) =>
          !facts.some((other) => other.revision > one.revision && other.time === one.time && ends(other.fact, root)),
      )
      .map(({ fact, revision }) => `${where} event ${revision}: ${fact.case} below ${root}, whose time is over`),
  );
}

/**
 * How long a run was paused between two events; for ever, if it is still paused then. A pause lasts at least nothing: who resumes may have
 * a clock that is behind.
 */
function pausedMs(facts: readonly RecordedFact[], from: number, to: number): number {
  let ms = 0;
  let since: number | undefined;
  for (const { fact, revision, time } of facts) {
    if (revision <= from || revision > to) continue;
    if (fact.case === 'runPaused') since ??= time;
    if (fact.case === 'runResumed') ms += Math.max(0, time - (since ?? time));
    if (fact.case === 'runResumed') since = undefined;
  }
  return since === undefined ? ms : Number.POSITIVE_INFINITY;
}

const begins = new Set(['stepStarted', 'agentCalled', 'modelResponded', 'toolCallStarted']);

function ends(fact: RecordedFact['fact'], root: string): boolean {
  if (fact.case === 'stepCanceled') return isWithin(root, fact.value.stepId);
  if (fact.case === 'agentReturned') return isWithin(root, `${fact.value.callId}/root`);
  return fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled';
}

/** The id itself, or what is below it. */
function isWithin(id: string, step: string): boolean {
  return id === step || (id.startsWith(step) && /[/[#]/.test(id[step.length] ?? ''));
}

const stepOf = (callId: string): string => callId.slice(0, callId.lastIndexOf('#'));

/** The calls in whose trees something is, the outermost first. */
function callersOf(id: string): string[] {
  return [...id.matchAll(/\/root/g)].map(({ index }) => id.slice(0, index));
}
