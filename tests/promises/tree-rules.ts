import { isDeepStrictEqual } from 'node:util';
import {
  type AgentDefinition,
  type AgentNode,
  nodeAt,
  outputFromWire,
  outputText,
  placeholdersOf,
  type RecordedFact,
} from '@stopgo/core';
import { create, facts as wire } from '@stopgo/proto';

/**
 * What holds of every run of a tree, read from the raw facts and the recorded definition: a defect in the interpreter or the
 * fold cannot hide from it.
 */

const { Decision, RefusalReason } = wire;

/** The facts of one run, and the tree that it runs. */
export type RunRecord = {
  readonly where: string;
  readonly runId: string;
  readonly agent: AgentDefinition;
  readonly facts: readonly RecordedFact[];
  /** The recorded definition of a digest. */
  readonly agentOf: (digest: string) => AgentDefinition | undefined;
};

/** Every run in a conversation's events; `agentOf` gives the recorded definition of a digest. */
export function runsOf(
  where: string,
  events: readonly RecordedFact[],
  agentOf: (digest: string) => AgentDefinition | undefined,
): RunRecord[] {
  return events.flatMap(({ fact }) => {
    if (fact.case !== 'runStarted') return [];
    const { runId, agentDigest } = fact.value;
    const agent = agentOf(agentDigest);
    if (agent === undefined) return [];
    const facts = events.filter((one) => 'runId' in one.fact.value && one.fact.value.runId === runId);
    return [{ where: `${where} run ${runId.slice(0, 4)}`, runId, agent, facts, agentOf }];
  });
}

/** The definition that an agent's stream holds; undefined if it is none. */
export function agentIn(events: readonly RecordedFact[]): AgentDefinition | undefined {
  const fact = events[0]?.fact;
  return fact?.case === 'agentDefined' ? (JSON.parse(fact.value.definitionJson) as AgentDefinition) : undefined;
}

/** All that is wrong with a run, one line each, with the rule it breaks. */
export function wrongInRun(run: RunRecord): { readonly rule: 'j' | 'k'; readonly what: string }[] {
  return [
    ...treesOf(run).flatMap((tree) => outOfTurn(tree).map((what) => ({ rule: 'j', what }) as const)),
    ...afterRejection(run).map((what) => ({ rule: 'k', what }) as const),
  ];
}

/**
 * The trees of a run, each as if it were the only one: that of its own agent, and those of the agents that were called. Their steps and
 * calls are named as in their own tree; what was written to the session state is in all of them.
 */
function treesOf(run: RunRecord): RunRecord[] {
  const roots = run.facts.flatMap(({ fact }) => {
    if (fact.case !== 'agentCalled') return [];
    const agent = run.agentOf(fact.value.agentDigest);
    return agent === undefined ? [] : [{ prefix: `${fact.value.callId}/`, agent }];
  });
  return [{ prefix: '', agent: run.agent }, ...roots].map(({ prefix, agent }) => ({
    ...run,
    agent,
    where: prefix === '' ? run.where : `${run.where} below ${prefix}`,
    facts: run.facts.flatMap((one) => inTree(one, prefix)),
  }));
}

/** An event as it is in a tree; nothing if it is in none, or in another one. */
function inTree(one: RecordedFact, prefix: string): RecordedFact[] {
  const { fact } = one;
  if (fact.case === 'stateSet') return [one];
  const id = 'stepId' in fact.value ? fact.value.stepId : 'callId' in fact.value ? fact.value.callId : '';
  if (id === '') return prefix === '' ? [one] : [];
  if (!id.startsWith(prefix) || id.slice(prefix.length).includes('/root')) return [];
  if (prefix === '') return [one];
  const cut = (text: string): string => (text.startsWith(prefix) ? text.slice(prefix.length) : text);
  const value = {
    ...fact.value,
    ...('stepId' in fact.value ? { stepId: cut(fact.value.stepId) } : {}),
    ...('callId' in fact.value ? { callId: cut(fact.value.callId) } : {}),
    ...('calls' in fact.value && fact.case === 'modelResponded'
      ? { calls: fact.value.calls.map((call) => ({ ...call, callId: cut(call.callId) })) }
      : {}),
  };
  return [{ ...one, fact: { case: fact.case, value } as RecordedFact['fact'] }];
}

type Ended = { readonly output: unknown; readonly isExit: boolean; readonly isFailed: boolean };

/** Rule j: steps begin in their turn with what was written before, and end when all inside has; branches are kept in order. */
function outOfTurn({ where, agent, facts }: RunRecord): string[] {
  const wrong: string[] = [];
  const going = new Set<string>();
  const ended = new Map<string, Ended>();
  const written = new Map<string, unknown>();
  for (const { fact, revision } of facts) {
    const at = `${where} event ${revision}`;
    if (fact.case === 'stepStarted') {
      const { stepId, bindings } = fact.value;
      const node = nodeAt(agent, stepId)?.node;
      const parent = parentOf(stepId);
      if (going.has(stepId) || ended.has(stepId)) wrong.push(`${at}: ${stepId} begins again`);
      if (parent !== undefined && !going.has(parent))
        wrong.push(`${at}: ${stepId} begins, and ${parent} does not go on`);
      const before = elderOf(agent, stepId);
      const elder = before === undefined ? undefined : ended.get(before);
      if (before !== undefined && (elder === undefined || elder.isExit || elder.isFailed))
        wrong.push(
          `${at}: ${stepId} begins though ${before} ${elder === undefined ? 'goes on' : 'ended the sequence'}`,
        );
      const bound = new Map(bindings.map(({ key, value }) => [key, value?.parts ?? []]));
      for (const key of node?.type === 'llm' ? placeholdersOf(node.prompt) : [])
        if (!isDeepStrictEqual(bound.get(key), written.get(key)))
          wrong.push(`${at}: ${stepId} begins with {${key}} as it was not written last`);
      going.add(stepId);
    }
    if (fact.case === 'stateSet') written.set(fact.value.key, fact.value.value?.parts ?? []);
    if (fact.case === 'stepFinished') {
      const { stepId, output, exitLoop: isExit, failed: isFailed } = fact.value;
      for (const inside of going)
        if (inside !== stepId && isInside(inside, stepId)) wrong.push(`${at}: ${stepId} ends while ${inside} goes on`);
      const parts = output?.parts ?? [];
      const node = nodeAt(agent, stepId)?.node;
      if (node?.type === 'parallel' && !isFailed) {
        const branches = node.children.map((_, index) => ended.get(`${stepId}/${index}`)?.output ?? 'none');
        if (!isDeepStrictEqual(parts, branches.flat())) wrong.push(`${at}: ${stepId} lost what its branches came to`);
      }
      for (const callId of node?.type === 'llm' && !isFailed ? withoutEnd(stepId, facts, revision) : [])
        wrong.push(`${at}: ${stepId} ends, and its call ${callId} has no end`);
      going.delete(stepId);
      ended.set(stepId, { output: parts, isExit, isFailed });
    }
    if (fact.case === 'stepCanceled') {
      const { stepId, text } = fact.value;
      if (!going.has(stepId)) wrong.push(`${at}: ${stepId} is ended, which does not go on`);
      for (const one of [...going]) if (one === stepId || isInside(one, stepId)) going.delete(one);
      ended.set(stepId, { output: [create(wire.OutputPartSchema, { text })], isExit: false, isFailed: true });
    }
    const step = 'stepId' in fact.value ? fact.value.stepId : undefined;
    const isOfStep = fact.case === 'modelResponded' || fact.case === 'modelFailed' || fact.case === 'toolCallStarted';
    if (isOfStep && step !== undefined && !going.has(step))
      wrong.push(`${at}: ${fact.case} of ${step}, which does not go on`);
  }
  return wrong;
}

/** The calls of a step that had not ended by a revision. */
function withoutEnd(stepId: string, facts: readonly RecordedFact[], by: number): string[] {
  const calls = facts.flatMap(({ fact }) =>
    fact.case === 'modelResponded' && fact.value.stepId === stepId ? fact.value.calls : [],
  );
  return calls.filter((call) => endOfCall(call, facts).at > by).map((call) => call.callId);
}

function parentOf(stepId: string): string | undefined {
  const [, parent] = /^(.*?)(?:\[\d+\])?\/\d+$/.exec(stepId) ?? [];
  return parent;
}

function isInside(stepId: string, other: string): boolean {
  return stepId.startsWith(`${other}/`) || stepId.startsWith(`${other}[`);
}

/** The step that has to be finished before another may begin. */
function elderOf(agent: AgentDefinition, stepId: string): string | undefined {
  const [, parent = '', iteration, index] = /^(.*?)(?:\[(\d+)\])?\/(\d+)$/.exec(stepId) ?? [];
  const node: AgentNode | undefined = parent === '' ? undefined : nodeAt(agent, parent)?.node;
  if (node?.type !== 'sequential' && node?.type !== 'loop') return undefined;
  const suffix = iteration === undefined ? '' : `[${iteration}]`;
  if (Number(index) > 0) return `${parent}${suffix}/${Number(index) - 1}`;
  return Number(iteration) > 1 ? `${parent}[${Number(iteration) - 1}]/${node.children.length - 1}` : undefined;
}

/** What must not happen any more once a rejection has ended a run. */
const begins = new Set([
  'stepStarted',
  'toolCallStarted',
  'delegationRequested',
  'delegationStarted',
  'inputRequested',
  'stateSet',
  'agentCalled',
]);

/** Rule k: once a human has rejected all that an answer asked for, nothing new begins and nothing waits any more. */
function afterRejection(run: RunRecord): string[] {
  const { where, facts } = run;
  const over = rejectedAt(run);
  if (over === undefined) return [];
  const wrong: string[] = [];
  const open = new Set<string>();
  let end: string | undefined;
  for (const { fact, revision } of facts) {
    if (fact.case === 'approvalRequested') open.add(fact.value.approvalId);
    if (fact.case === 'approvalResolved') open.delete(fact.value.approvalId);
    // What another agent's task asks is put on the record all the same, so that the task is ended there.
    const isElsewhere = fact.case === 'inputRequested' && fact.value.question !== '';
    if (revision > over && begins.has(fact.case) && !isElsewhere)
      wrong.push(`${where} event ${revision}: ${fact.case} after the rejection took effect with event ${over}`);
    if (fact.case !== 'runCompleted' && fact.case !== 'runFailed' && fact.case !== 'runCanceled') continue;
    end = fact.case;
    // Nobody may have looked at the rejection before the time of the agent was over.
    if (fact.case === 'runFailed' && fact.value.text.includes('took longer than')) continue;
    if (fact.case === 'runFailed' || (fact.case === 'runCompleted' && textOf(fact.value.output) !== canceled))
      wrong.push(`${where} event ${revision}: it ends otherwise than by the rejection of event ${over}`);
    // A cancel withdraws the rest by ending the run.
    if (fact.case === 'runCompleted' && open.size > 0)
      wrong.push(`${where} event ${revision}: it ends, and ${open.size} approvals were never withdrawn`);
  }
  if (end === undefined) wrong.push(`${where}: it goes on after the rejection of event ${over}`);
  return wrong;
}

const canceled = 'Operation cancelled by user.';

function textOf(output: Parameters<typeof outputFromWire>[0]): string {
  return outputText(outputFromWire(output), () => '');
}

/**
 * The revision from which on a rejection has ended the run: all calls of some answer are done, and all of them that a human
 * was asked for were rejected.
 */
export function rejectedAt({ agent, facts }: Pick<RunRecord, 'agent' | 'facts'>): number | undefined {
  const ends = facts.flatMap(({ fact, revision }) => {
    if (fact.case !== 'modelResponded' || fact.value.calls.length === 0) return [];
    // Agents that are called are told of every no.
    if (fact.value.stepId.includes('/root')) return [];
    const node = nodeAt(agent, fact.value.stepId)?.node;
    if (node?.type !== 'llm' || node.onReject === 'continue') return [];
    const calls = fact.value.calls.map((call) => endOfCall(call, facts));
    const gated = calls.filter((call) => call.isGated);
    if (gated.length === 0 || !gated.every((call) => call.isRejected)) return [];
    const at = Math.max(revision, ...calls.map((call) => call.at));
    // Somebody may have ended the step before anybody looked at the rejection: then that is what it came to.
    const { stepId } = fact.value;
    const isEnded = facts.some(
      ({ fact: later, revision: then }) =>
        later.case === 'stepCanceled' && then > at && isAtOrBelow(stepId, later.value.stepId),
    );
    return Number.isFinite(at) && !isEnded ? [at] : [];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** True for a step itself, and for what is below it. */
const isAtOrBelow = (stepId: string, above: string): boolean =>
  stepId === above || ['/', '[', '#'].some((next) => stepId.startsWith(above + next));

type CallEnd = { readonly isGated: boolean; readonly isRejected: boolean; readonly at: number };

/** How a call ended, and when; an infinite revision if it has not. */
function endOfCall(call: wire.Call, facts: readonly RecordedFact[]): CallEnd {
  const { REFUSED, CONTROL, GATED } = wire.Disposition;
  const isAsked = call.disposition === GATED;
  if (call.disposition === REFUSED || call.disposition === CONTROL) return { isGated: false, isRejected: false, at: 0 };
  const elsewhere = new Set<string>();
  let isChanged = false;
  let isGated = isAsked;
  for (const { fact, revision: at } of facts) {
    if (!('callId' in fact.value) || fact.value.callId !== call.callId) continue;
    if (fact.case === 'toolCallRefused' && fact.value.reason === RefusalReason.PIN_CHANGED) isChanged = true;
    if (fact.case === 'approvalRequested' && fact.value.kind === wire.ApprovalKind.TOOL) isGated ||= isChanged;
    const isFinished = fact.case === 'toolCallFinished' || fact.case === 'delegationFinished';
    if (isFinished && !fact.value.late) return { isGated, isRejected: false, at };
    if (fact.case === 'agentReturned') return { isGated, isRejected: false, at };
    if (fact.case === 'approvalRequested' && fact.value.kind === wire.ApprovalKind.PROXY)
      elsewhere.add(fact.value.approvalId);
    // A no to a question of another agent is not a no to the call.
    if (fact.case !== 'approvalResolved' || elsewhere.has(fact.value.approvalId)) continue;
    const { decision, said, voter } = fact.value;
    // Who is told why goes on: a rejection with a reason, and that nobody decided in time.
    if (decision === Decision.REJECTED || decision === Decision.EXPIRED)
      return { isGated, isRejected: said === '', at };
    if (decision === Decision.WITHDRAWN && voter !== undefined) return { isGated, isRejected: false, at };
    if (decision === Decision.HAPPENED || decision === Decision.GIVE_UP) return { isGated, isRejected: false, at };
  }
  return { isGated, isRejected: false, at: Number.POSITIVE_INFINITY };
}
