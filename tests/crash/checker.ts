import { decisionKind, type Fact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { Acknowledged } from './client.ts';
import type { Evidence, LoggedConversation } from './evidence.ts';
import type { ToolRun } from './journal.ts';
import { callsOf, type RecordedCall } from './recorded-calls.ts';

// The checker knows nothing of how the platform works. It compares what independent witnesses wrote down: the tools, the
// model, the client, the harness, and the event log.

/** Tools that must not run without a yes of a human. */
const gatedTools: readonly string[] = ['resources_add', 'resources_remove'];
/** Tools that may run as often as anybody likes. */
const repeatableTools: readonly string[] = ['resources_list'];

const { Decision } = facts;

/** Everything that is wrong, one line each. Empty: all promises were kept. */
export function check(evidence: Evidence): string[] {
  const calls = new Map<string, RecordedCall>();
  const violations: string[] = [];
  for (const call of evidence.conversations.flatMap(callsOf)) {
    if (calls.has(nameOf(call))) violations.push(`two recorded calls cannot be told apart: ${nameOf(call)}`);
    calls.set(nameOf(call), call);
  }
  return [
    ...violations,
    ...evidence.problems.map((problem) => `the log or its views do not verify: ${problem}`),
    ...runsThatNobodyRecorded(evidence.toolRuns, calls),
    ...[...calls.values()].flatMap((call) => {
      const runs = evidence.toolRuns.filter((run) => nameOf(run) === nameOf(call));
      return [
        ...unapproved(call, runs),
        ...repeated(call, runs),
        ...invented(call, runs),
        ...dropped(call),
        ...doubted(call, evidence),
      ];
    }),
    ...evidence.acknowledged.flatMap((promise) => forgotten(promise, evidence)),
    ...evidence.conversations.flatMap((one) => [...decidedTwice(one), ...leftAlone(one), ...askedAgain(one, evidence)]),
  ];
}

function nameOf({ tool, argumentsJson }: Pick<ToolRun, 'tool' | 'argumentsJson'>): string {
  return `${tool} ${argumentsJson}`;
}

function runsThatNobodyRecorded(runs: readonly ToolRun[], calls: ReadonlyMap<string, RecordedCall>): string[] {
  return runs
    .filter((run) => !calls.has(nameOf(run)))
    .map((run) => `a tool ran what no model asked for: ${nameOf(run)}`);
}

/** Invariant 3: a gated call runs only after an approval of exactly this call. */
function unapproved(call: RecordedCall, runs: readonly ToolRun[]): string[] {
  if (!gatedTools.includes(call.tool)) return [];
  const yes = call.decisions.filter(({ decision, digest }) => decision === Decision.APPROVED && digest === call.digest);
  return runs
    .filter((run) => !yes.some(({ at }) => at <= run.begunAt))
    .map((run) => `a gated call ran without an approval before it: ${nameOf(run)}`);
}

/** Invariant 4: fenced before it runs, and once, unless a human said to run it again in between. */
function repeated(call: RecordedCall, runs: readonly ToolRun[]): string[] {
  if (repeatableTools.includes(call.tool)) return [];
  const unfenced = runs.filter((run) => !call.starts.some((at) => at <= run.begunAt));
  const again = runs.filter((run, index) => {
    const before = runs[index - 1];
    if (before === undefined) return false;
    return !call.decisions.some(
      ({ decision, at }) => decision === Decision.RUN_AGAIN && at >= before.begunAt && at <= run.begunAt,
    );
  });
  return [
    ...unfenced.map((run) => `a call ran before it was on the record: ${nameOf(run)}`),
    ...again.map((run) => `a call ran twice and nobody asked for it: ${nameOf(run)}`),
  ];
}

/** A result stands in the log only if the tool came to the end of a call. */
function invented(call: RecordedCall, runs: readonly ToolRun[]): string[] {
  if (!call.hasResult || runs.some((run) => run.endedAt !== undefined)) return [];
  return [`a result was recorded of a call that the tool never ended: ${nameOf(call)}`];
}

/** A yes is acted upon: the call has an end, or a human who was asked about it gave one, or its run was canceled. */
function dropped(call: RecordedCall): string[] {
  const ends: readonly facts.Decision[] = [Decision.HAPPENED, Decision.GIVE_UP];
  const isApproved = call.decisions.some(({ decision }) => decision === Decision.APPROVED);
  const isEnded =
    call.hasEnd || call.cancels.length > 0 || call.decisions.some(({ decision }) => ends.includes(decision));
  return isApproved && !isEnded ? [`an approved call has no end: ${nameOf(call)}`] : [];
}

/** A call is in doubt only if since its start something died, or the call was asked to stop. */
function doubted(call: RecordedCall, { deaths }: Evidence): string[] {
  return call.doubts
    .filter((doubt, index) => {
      const start = call.starts[index] ?? Number.POSITIVE_INFINITY;
      return ![...deaths, ...call.cancels].some((cause) => cause >= start && cause <= doubt);
    })
    .map(() => `a call is in doubt although nothing died and nobody stopped it: ${nameOf(call)}`);
}

/** Invariant 2: what was answered with a 2xx is in the log, once. */
function forgotten(promise: Acknowledged, { conversations }: Evidence): string[] {
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
        decisionKind(fact.value.decision) === promise.decision
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

/** Invariant 8: a model is not asked again for an answer that is on the record. */
function askedAgain({ id, events }: LoggedConversation, { modelRequests, lives }: Evidence): string[] {
  const first = events.find(({ fact }) => fact.case === 'userMessageReceived')?.fact;
  if (first?.case !== 'userMessageReceived') return [];
  const text = JSON.stringify(first.value.text);
  const requests = modelRequests.filter(({ body }) => body.includes(text));
  const turns = [...new Set(requests.map(({ historyLength }) => historyLength))].sort((one, other) => one - other);
  const answers = events.filter(({ fact }) => fact.case === 'modelResponded' || fact.case === 'modelFailed');
  if (turns.length < answers.length)
    return [`conversation ${id} has ${answers.length} answers, and the model was asked for ${turns.length}`];
  return turns.flatMap((turn, index) => {
    const asked = requests.filter(({ historyLength }) => historyLength === turn).map(({ life }) => life);
    const inOneLife = asked.length - new Set(asked).size;
    const answer = answers[index];
    const answeredIn = answer === undefined ? lives.length : lives.findIndex(({ endedAt }) => answer.time <= endedAt);
    const late = asked.filter((life) => life > answeredIn).length;
    return [
      ...(inOneLife > 0 ? [`conversation ${id} asked the model twice for turn ${index + 1}`] : []),
      ...(late > 0 ? [`conversation ${id} asked the model for turn ${index + 1} after its answer was recorded`] : []),
    ];
  });
}
