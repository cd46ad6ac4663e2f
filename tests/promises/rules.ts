import { type AgentDefinition, decidedWord, type Fact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { Acknowledged } from './acknowledged.ts';
import type { ToolRun } from './journal.ts';
import { askingTool, wrongWithQuestions } from './people-asked.ts';
import type { LoggedConversation } from './read-log.ts';
import { callsOf, type RecordedCall } from './recorded-calls.ts';
import { runsOf, wrongInRun } from './tree-rules.ts';

// The rules know nothing of how the platform works. They compare what independent witnesses wrote down: the tools, the
// clients, and the event log. They hold whatever befalls the platform; what depends on that is for each test to add.

/** What is left after the end, each part written by somebody else. */
export type Witnessed = {
  /** By the store. */
  readonly conversations: readonly LoggedConversation[];
  /** By the store: the agents that runs were started with, by digest. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** What the store found wrong with its chains and views. */
  readonly problems: readonly string[];
  /** By the tools. */
  readonly toolRuns: readonly ToolRun[];
  /** By the clients. */
  readonly acknowledged: readonly Acknowledged[];
};

/** A call as the log has it, and what the tools say of it, in the order in which it ran. */
export type CallAndRuns = { readonly call: RecordedCall; readonly runs: readonly ToolRun[] };

/** Tools that must not run without a yes of a human. */
const gatedTools: readonly string[] = ['resources_add', 'resources_remove'];
/** Tools that may run as often as anybody likes. */
const repeatableTools: readonly string[] = ['resources_list', 'ledger_put'];

const { Decision } = facts;

/** Everything that is wrong, one line each. Empty: all of these promises were kept. */
export function brokenRules(witnessed: Witnessed): string[] {
  const recorded = witnessed.conversations.flatMap(callsOf);
  const names = new Set(recorded.map(nameOf));
  return [
    ...recorded
      .filter((call, index) => recorded.findIndex((other) => nameOf(other) === nameOf(call)) < index)
      .map((call) => `two recorded calls cannot be told apart: ${nameOf(call)}`),
    ...witnessed.problems.map((problem) => `the log or its views do not verify: ${problem}`),
    ...witnessed.toolRuns
      .filter((run) => !names.has(nameOf(run)))
      .map((run) => `a tool ran what no model asked for: ${nameOf(run)}`),
    ...callsAndRuns(witnessed).flatMap((one) => [
      ...unapproved(one),
      ...unfenced(one),
      ...invented(one),
      ...dropped(one.call),
    ]),
    ...witnessed.acknowledged.flatMap((promise) => forgotten(promise, witnessed)),
    ...witnessed.conversations.flatMap((one) => [...decidedTwice(one), ...leftAlone(one)]),
    ...witnessed.conversations.flatMap((one) => treeRules(one, witnessed)),
    ...witnessed.conversations.flatMap(({ id, events }) => wrongWithQuestions(`conversation ${id}`, events)),
  ];
}

/** Every call on the record with its runs. */
export function callsAndRuns({ conversations, toolRuns }: Witnessed): CallAndRuns[] {
  const byName = new Map<string, ToolRun[]>();
  for (const run of toolRuns) byName.set(nameOf(run), [...(byName.get(nameOf(run)) ?? []), run]);
  return conversations.flatMap(callsOf).map((call) => ({ call, runs: byName.get(nameOf(call)) ?? [] }));
}

/** What a call is recognised by in a journal: every story gives its calls arguments that no other has. */
export function nameOf({ tool, argumentsJson }: Pick<ToolRun, 'tool' | 'argumentsJson'>): string {
  return `${tool} ${argumentsJson}`;
}

/** True if the tool may run as often as anybody likes. */
export function isRepeatable({ tool }: Pick<ToolRun, 'tool'>): boolean {
  return repeatableTools.includes(tool);
}

/** Invariant 3: a gated call runs only after an approval of exactly this call. */
function unapproved({ call, runs }: CallAndRuns): string[] {
  if (!gatedTools.includes(call.tool)) return [];
  // Policy may give it only where the node that asks does not want a human to.
  const yes = call.decisions.filter(
    ({ decision, digest, byPolicy }) =>
      decision === Decision.APPROVED && digest === call.digest && (!byPolicy || call.mayBeAutomatic),
  );
  return runs
    .filter((run) => !yes.some(({ at }) => at <= run.begunAt))
    .map((run) => `a gated call ran without an approval before it: ${nameOf(run)}`);
}

/** Invariant 4, first half: what must not be repeated is on the record before it runs. */
function unfenced({ call, runs }: CallAndRuns): string[] {
  if (isRepeatable(call)) return [];
  return runs
    .filter((run) => !call.starts.some((at) => at <= run.begunAt))
    .map((run) => `a call ran before it was on the record: ${nameOf(run)}`);
}

/** A result stands in the log only if the tool came to the end of a call. */
function invented({ call, runs }: CallAndRuns): string[] {
  // People answer in the tool's place.
  if (call.tool === askingTool || !call.hasResult || runs.some((run) => run.endedAt !== undefined)) return [];
  return [`a result was recorded of a call that the tool never ended: ${nameOf(call)}`];
}

/** A yes is acted upon: the call has an end, or a human who was asked about it gave one, or its run was ended by one. */
function dropped(call: RecordedCall): string[] {
  const ends: readonly facts.Decision[] = [Decision.HAPPENED, Decision.GIVE_UP];
  const isApproved = call.decisions.some(({ decision }) => decision === Decision.APPROVED);
  const isEnded =
    call.hasEnd ||
    call.isRejectedWithRun ||
    call.cancels.length > 0 ||
    call.decisions.some(({ decision }) => ends.includes(decision));
  return isApproved && !isEnded ? [`an approved call has no end: ${nameOf(call)}`] : [];
}

/** Steps in their turn, finished ones kept, and what a rejection withdraws. */
function treeRules({ id, events }: LoggedConversation, { agents }: Witnessed): string[] {
  const runs = runsOf(`conversation ${id}`, events, (digest) => agents.get(digest));
  return runs.flatMap((run) => wrongInRun(run).map(({ what }) => `a tree is not as it should be: ${what}`));
}

/** Invariant 2: what was answered with a 2xx is in the log, once. */
function forgotten(promise: Acknowledged, { conversations }: Witnessed): string[] {
  const events = conversations.find(({ id }) => id === promise.conversationId)?.events ?? [];
  const times = events.filter(({ fact }) => keeps(fact, promise)).length;
  return times === 1
    ? []
    : [`an acknowledged ${promise.kind} is in the log ${times} times: ${JSON.stringify(promise)}`];
}

function keeps(fact: Fact, promise: Acknowledged): boolean {
  switch (promise.kind) {
    case 'message':
      return (
        fact.case === 'userMessageReceived' &&
        fact.value.text === promise.text &&
        fact.value.idempotency?.key === promise.key
      );
    case 'decision':
      return (
        fact.case === 'approvalResolved' &&
        fact.value.approvalId === promise.approvalId &&
        fact.value.idempotency?.key === promise.key &&
        decidedWord(fact.value.decision) === promise.decision
      );
    case 'answer':
      return (
        fact.case === 'inputProvided' &&
        fact.value.inputId === promise.inputId &&
        fact.value.idempotency?.key === promise.key
      );
    case 'cancel':
      return fact.case === 'runCanceled' && fact.value.idempotency?.key === promise.key;
  }
}

/** Invariant 5: one decision for each approval. */
function decidedTwice({ id, events }: LoggedConversation): string[] {
  const seen = new Set<string>();
  return events.flatMap(({ fact }) => {
    if (fact.case !== 'approvalResolved') return [];
    const { approvalId } = fact.value;
    if (!seen.has(approvalId)) {
      seen.add(approvalId);
      return [];
    }
    return [`approval ${approvalId} of conversation ${id} was decided twice`];
  });
}

/** Invariants 6 and 12: every run is settled, or waits for a human. */
function leftAlone({ id, events }: LoggedConversation): string[] {
  const open = new Set<string>();
  const pending = new Set<string>();
  for (const { fact } of events) {
    if (fact.case === 'runStarted') open.add(fact.value.runId);
    if (fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled')
      open.delete(fact.value.runId);
    if (fact.case === 'approvalRequested') pending.add(fact.value.approvalId);
    if (fact.case === 'approvalResolved') pending.delete(fact.value.approvalId);
  }
  return open.size === 0 || pending.size > 0 ? [] : [`conversation ${id} has a run that nobody brings to an end`];
}
