import { isDeepStrictEqual } from 'node:util';
import {
  type AgentDefinition,
  type AgentNode,
  type ConversationState,
  canonicalJson,
  isRepeatable,
  type Json,
  parseJson,
  type RecordedFact,
} from '@stopgo/core';
import type { ExecuteRequest, ModelRequest } from '@stopgo/orchestrator';
import { facts as wire } from '@stopgo/proto';
import { checkPrompt, runsIn } from './checks-tree.ts';
import { lastEdit, yesNeeded } from './edits.ts';
import { digestOf, isGated, type ToolEffect } from './gated.ts';
import type { World } from './world.ts';

/**
 * What is checked in the very step in which it happens. The first two rules read the raw facts and the tools' journal only:
 * a defect in the fold cannot hide from them.
 */

type CallPlace = { readonly runId: string; readonly callId: string };

function factsOf(world: World, conversationId: string): readonly RecordedFact[] {
  return world.stream(conversationId)?.facts ?? [];
}

function describe(key: CallPlace & { readonly conversationId: string }): string {
  return `call ${key.callId} of c-${key.conversationId.slice(-4)}`;
}

/** Rules a and b, when a tool runs: it was approved if it had to be, exactly so, and it does not run again unbidden. */
export function checkEffect(world: World, effect: ToolEffect): void {
  const facts = factsOf(world, effect.conversationId);
  const what = `${effect.tool} ran for ${describe(effect)} (attempt ${effect.attempt})`;
  const asked = facts.flatMap(({ fact }) =>
    fact.case === 'modelResponded' && fact.value.runId === effect.runId ? fact.value.calls : [],
  );
  const call = asked.find((one) => one.callId === effect.callId);
  const edit = lastEdit(facts, effect);
  const wanted = edit?.argumentsJson ?? call?.argumentsJson;
  if (call === undefined || wanted === undefined || canonical(wanted) !== canonical(effect.argumentsJson))
    world.violation(
      'a',
      `${what} with ${effect.argumentsJson}; ${edit === undefined ? 'the model asked for' : 'somebody changed it to'} ${wanted ?? 'no such call'}`,
    );
  // What somebody changed waits for people, whatever it would have needed by itself.
  if ((isGated(effect.definition) || edit !== undefined) && !isApproved(world, facts, effect, edit?.revision))
    world.violation('a', `${what} without an approval of exactly that`);
  if (edit !== undefined) world.count('changed calls that ran');
  if (isRepeatable(effect.definition.hints) && call?.repeatable !== false) return;
  const times = world.tools.journal.filter(
    (one) => one.conversationId === effect.conversationId && isSame(one, effect),
  ).length;
  const bidden = facts.filter(
    ({ fact }) =>
      fact.case === 'approvalResolved' && isSame(fact.value, effect) && fact.value.decision === wire.Decision.RUN_AGAIN,
  ).length;
  // Whoever puts a call in doubt leaves it to a human to say what became of it: from then on it must not happen any more.
  const doubt = facts.find(
    ({ fact }) =>
      fact.case === 'toolCallInDoubt' && isSame(fact.value, effect) && fact.value.attempt === effect.attempt,
  );
  if (doubt !== undefined) world.violation('b', `${what} after event ${doubt.revision} put that in doubt`);
  if (times > 1 + bidden) world.violation('b', `${what}: ${times} times, and a human said run again ${bidden} times`);
}

/**
 * True if the log holds an approval of this call, with these arguments, of this tool as it is defined now, asked for since it was
 * changed last: by as many people as the rules want, or by policy where policy may give it.
 */
function isApproved(world: World, facts: readonly RecordedFact[], effect: ToolEffect, since = 0): boolean {
  const digest = digestOf(effect.definition, effect.argumentsJson);
  const needed = world.scenario.edits ? yesNeeded(effect.argumentsJson) : 1;
  if (needed === undefined) return false;
  const requests = facts.flatMap(({ fact, revision }) =>
    fact.case === 'approvalRequested' &&
    revision > since &&
    isSame(fact.value, effect) &&
    fact.value.kind === wire.ApprovalKind.TOOL &&
    fact.value.digest === digest
      ? [fact.value.approvalId]
      : [],
  );
  return facts.some(
    ({ fact, actor }) =>
      fact.case === 'approvalResolved' &&
      requests.includes(fact.value.approvalId) &&
      fact.value.decision === wire.Decision.APPROVED &&
      (fact.value.byPolicy
        ? since === 0 && mayRunAtOnce(world, facts, effect)
        : actor.kind === 'approver' &&
          saidYes(facts, fact.value.approvalId) >= Math.max(needed, votesOf(facts, fact.value.approvalId))),
  );
}

/** So many different people have said yes to an approval. */
function saidYes(facts: readonly RecordedFact[], approvalId: string): number {
  const yes = facts.filter(
    ({ fact }) =>
      (fact.case === 'approvalVoted' || fact.case === 'approvalResolved') &&
      fact.value.approvalId === approvalId &&
      fact.value.decision === wire.Decision.APPROVED,
  );
  return new Set(yes.map(({ actor }) => actor.id)).size;
}

/** So many have to. */
function votesOf(facts: readonly RecordedFact[], approvalId: string): number {
  const asked = facts.find(({ fact }) => fact.case === 'approvalRequested' && fact.value.approvalId === approvalId);
  return asked?.fact.case === 'approvalRequested' ? (asked.fact.value.demand?.votes ?? 1) : 0;
}

/** True inside `parallel` and `loop`, unless the node or the tool wants a human asked. Walks the recorded tree by itself. */
function mayRunAtOnce(world: World, facts: readonly RecordedFact[], effect: ToolEffect): boolean {
  const started = facts.find(({ fact }) => fact.case === 'runStarted' && fact.value.runId === effect.runId)?.fact;
  const caller = effect.callId.lastIndexOf('/root');
  const called = facts.find(
    ({ fact }) =>
      fact.case === 'agentCalled' &&
      fact.value.runId === effect.runId &&
      fact.value.callId === effect.callId.slice(0, Math.max(0, caller)),
  )?.fact;
  const follows = caller > 0 ? called : started;
  const digest = follows?.case === 'runStarted' || follows?.case === 'agentCalled' ? follows.value.agentDigest : '';
  const defined = world.store.stream(`agent-${digest}`)?.facts[0]?.fact;
  if (defined?.case !== 'agentDefined') return false;
  let node: AgentNode | undefined = (JSON.parse(defined.value.definitionJson) as AgentDefinition).root;
  let isInside = false;
  const [path = ''] = effect.callId.slice(Math.max(0, caller)).replace(/^\//, '').split('#');
  for (const segment of path.split('/').slice(1)) {
    if (node === undefined || !('children' in node)) return false;
    isInside ||= node.type !== 'sequential';
    node = node.children[Number(segment.replace(/\[.*/, ''))];
  }
  return isInside && node?.type === 'llm' && node.approval !== 'require' && !effect.definition.approvalRequired;
}

function canonical(text: string): string {
  const parsed: Json | undefined = parseJson(text);
  return parsed === undefined ? text : canonicalJson(parsed);
}

function isSame(one: CallPlace, other: CallPlace): boolean {
  return one.runId === other.runId && one.callId === other.callId;
}

/** Where the claim stands by which a process owns the run now; undefined if it does not. */
export function ownedSince(facts: readonly RecordedFact[], runId: string, instance: string): number | undefined {
  let since: number | undefined;
  for (const { fact, revision } of facts) {
    if (!('runId' in fact.value) || fact.value.runId !== runId) continue;
    if (fact.case === 'runStarted' || fact.case === 'runClaimed')
      since = fact.value.owner?.instance === instance ? revision : undefined;
    if (fact.case === 'runReleased') since = undefined;
  }
  return since;
}

/** Rules c and g, when a call is sent: by the process whose own append began it, and not for a result that is on the record. */
export function checkSent(world: World, instance: string, request: ExecuteRequest): void {
  const { conversationId } = request.key;
  const facts = factsOf(world, conversationId);
  const what = `${instance} sent ${describe(request.key)} (attempt ${request.key.attempt})`;
  world.trace(() => what);
  const started = facts.find(
    ({ fact }) =>
      fact.case === 'toolCallStarted' && isSame(fact.value, request.key) && fact.value.attempt === request.key.attempt,
  );
  const isFenced = facts.some(
    ({ fact }) =>
      fact.case === 'modelResponded' &&
      fact.value.runId === request.key.runId &&
      fact.value.calls.some((call) => call.callId === request.key.callId && !call.repeatable),
  );
  if (isFenced && started === undefined && !becameRepeatable(facts, request.key))
    world.violation('g', `${what}, and its start is not on the record`);
  if (started !== undefined && started.actor.id !== instance)
    world.violation('g', `${what}, but ${started.actor.id} put its start on the record`);
  const done = facts.find(({ fact }) => isResult(fact, request.key));
  const since = ownedSince(facts, request.key.runId, instance);
  if (done !== undefined && since !== undefined && (done.revision < since || done.actor.id === instance))
    world.violation('c', `${what}, whose result is event ${done.revision}`);
}

function becameRepeatable(facts: readonly RecordedFact[], key: CallPlace): boolean {
  return facts.some(({ fact }) => fact.case === 'toolCallRefused' && isSame(fact.value, key) && fact.value.repeatable);
}

function isResult(fact: RecordedFact['fact'], key: CallPlace): boolean {
  if (fact.case === 'toolCallFinished') return isSame(fact.value, key) && !fact.value.late;
  if (fact.case !== 'approvalResolved' || !isSame(fact.value, key)) return false;
  const { decision } = fact.value;
  const { REJECTED, HAPPENED, GIVE_UP } = wire.Decision;
  return decision === REJECTED || decision === HAPPENED || decision === GIVE_UP;
}

/** Rule c, when a model is asked: not for an answer that is on the record, and with every result that is. */
export function checkModelRequest(
  world: World,
  instance: string,
  asking: { readonly conversationId: string; readonly runId: string; readonly stepId: string; readonly turn: number },
  request: ModelRequest,
): void {
  const { conversationId, runId, stepId, turn } = asking;
  const facts = factsOf(world, conversationId);
  const since = ownedSince(facts, runId, instance);
  if (since === undefined) return;
  const what = `${instance} asked the model of ${stepId} turn ${turn} in c-${conversationId.slice(-4)}`;
  const answered = facts.find(
    ({ fact }) =>
      (fact.case === 'modelResponded' || fact.case === 'modelFailed') &&
      fact.value.runId === runId &&
      fact.value.stepId === stepId &&
      fact.value.turn === turn,
  );
  if (answered !== undefined) world.violation('c', `${what}, whose answer is event ${answered.revision}`);
  const stream = world.stream(conversationId);
  const run = stream === undefined ? undefined : runsIn(world, stream).find((one) => one.runId === runId);
  checkPrompt(world, run, stepId, request.system);
  const shown = new Map(
    request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map((result) => [result.callId, result.content] as const) : [],
    ),
  );
  for (const { fact, revision } of facts) {
    const isAsked = fact.case === 'inputRequested' && fact.value.agentQuestion !== undefined;
    if (isAsked && fact.value.runId === runId && fact.value.stepId === stepId)
      if (!shown.has(`${runId} ${fact.value.callId}`))
        world.violation('q', `${what}, which waits for people to answer event ${revision}`);
    if (
      fact.case !== 'toolCallFinished' ||
      fact.value.late ||
      fact.value.runId !== runId ||
      fact.value.stepId !== stepId
    )
      continue;
    const told = shown.get(`${runId} ${fact.value.callId}`);
    const edit = lastEdit(facts, fact.value);
    // Of a changed call it is also told what was called.
    const isToldThat =
      edit === undefined
        ? told === fact.value.content
        : told?.endsWith(fact.value.content) === true && told.includes(edit.argumentsJson);
    if (!isToldThat) world.violation('c', `${what} without the result that is event ${revision}: ${told ?? 'nothing'}`);
  }
}

const matched = new WeakSet<ConversationState>();

/** Rule f: what a driver believes is what the log says at that revision. */
export function checkLive(world: World, instance: string, conversationId: string, state: ConversationState): void {
  if (matched.has(state)) return;
  const recorded = world.stream(conversationId)?.states[state.revision];
  if (recorded !== undefined && (recorded === state || isDeepStrictEqual(recorded, state))) {
    matched.add(state);
    return;
  }
  const difference = recorded === undefined ? 'there is no such revision' : firstDifference(recorded, state, '');
  world.violation(
    'f',
    `${instance} believes another state of c-${conversationId.slice(-4)} at ${state.revision}: ${difference}`,
  );
}

function firstDifference(expected: unknown, actual: unknown, path: string): string {
  if (typeof expected !== 'object' || typeof actual !== 'object' || expected === null || actual === null)
    return `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const one = (expected as Record<string, unknown>)[key];
    const other = (actual as Record<string, unknown>)[key];
    if (!isDeepStrictEqual(one, other)) return firstDifference(one, other, `${path}.${key}`);
  }
  return `${path} differs`;
}
