import { isDeepStrictEqual } from 'node:util';
import { toBinary } from '@bufbuild/protobuf';
import {
  chainHash,
  chainStart,
  conversationOfStream,
  decidedWord,
  decodeRecorded,
  encodeSnapshot,
  fold,
  initialState,
  memoryStreamPrefix,
  project,
  type RecordedFact,
  runStanding,
} from '@stopgo/core';
import { processOf } from '@stopgo/log';
import { views, facts as wire } from '@stopgo/proto';
import { wrongWithAgents } from '../../promises/agent-rules.ts';
import { type RunRecord, rejectedAt, wrongInRun } from '../../promises/tree-rules.ts';
import { checkQuestions } from './checks-asked.ts';
import { checkSharedData } from './checks-data.ts';
import { checkMemories, memoryCallsOf } from './checks-memory.ts';
import { checkTasks } from './checks-tasks.ts';
import { runsIn } from './checks-tree.ts';
import { type Stream, short } from './event-store.ts';
import type { Answered, People } from './people.ts';
import type { World } from './world.ts';

const { CancelCause } = wire;

/** Everything that must hold of a world that has come to rest. */
export function checkEnd(world: World, people: People): void {
  for (const { what, holds, conversationId } of people.acknowledged)
    if (!holds())
      world.violation('d', `${what} in c-${conversationId.slice(-4)} was acknowledged and is not in the log`);
  for (const stream of world.store.conversations()) {
    checkOnce(world, stream);
    checkDecisions(world, stream, people.answers);
    checkRest(world, stream);
    checkOwners(world, stream);
    checkDoubts(world, stream);
    checkRows(world, stream);
    checkResults(world, stream);
    checkTasks(world, stream);
    checkSharedData(world, stream);
    checkQuestions(world, stream, people.respondents.refused);
    for (const run of runsIn(world, stream)) {
      for (const { rule, what } of wrongInRun(run)) world.violation(rule, what);
      for (const what of wrongWithAgents(run)) world.violation('m', what);
      countAgents(world, run);
      if (rejectedAt(run) !== undefined) world.count('runs ended by a rejection');
    }
  }
  checkMemories(world);
  for (const stream of world.store.streams.values()) checkChain(world, stream);
}

function countAgents(world: World, { facts }: RunRecord): void {
  for (const { fact } of facts) {
    if (fact.case === 'agentCalled') world.count('agents called');
    if (fact.case === 'agentCalled' && fact.value.callId.includes('/root')) world.count('agents called by called ones');
    if (fact.case === 'agentReturned') world.count(fact.value.isError ? 'agents failed' : 'agents returned');
    if (fact.case === 'stepReminded') world.count('agents reminded');
    if (fact.case === 'stepCanceled' && fact.value.cause === CancelCause.TIME) world.count('agents out of time');
    if (fact.case === 'runFailed' && fact.value.text.includes('took longer than')) world.count('runs out of time');
    if (fact.case === 'stepCanceled' && fact.value.cause === CancelCause.LIMIT) world.count('agents ended at a limit');
    if (fact.case === 'modelResponded')
      for (const call of fact.value.calls)
        if (call.agentRefusal !== 0) world.count(`agents refused ${call.agentRefusal}`);
  }
}

/** Rule c: what can happen once is on the record once; so is each command that carried a key. */
function checkOnce(world: World, stream: Stream): void {
  const seen = new Map<string, number>();
  for (const { fact, revision } of stream.facts) {
    for (const name of onceNames(fact)) {
      const before = seen.get(name);
      if (before !== undefined)
        world.violation('c', `${short(stream.name)}: ${name} is event ${before} and event ${revision}`);
      seen.set(name, revision);
    }
  }
}

function onceNames(fact: RecordedFact['fact']): string[] {
  const { value } = fact;
  const names =
    'idempotency' in value && value.idempotency !== undefined
      ? [`command ${value.idempotency.key} (${fact.case})`]
      : [];
  switch (fact.case) {
    case 'conversationCreated':
      return [...names, 'conversationCreated'];
    case 'runStarted':
    case 'userMessageReceived':
      return [...names, `${fact.case} ${fact.value.runId}`];
    case 'modelResponded':
    case 'modelFailed':
      return [`answer ${fact.value.runId} ${fact.value.stepId} ${fact.value.turn}`];
    case 'modelAnsweredNothing':
      return [`asking again ${fact.value.runId} ${fact.value.stepId} ${fact.value.turn}`];
    case 'stepCanceled':
      return [...names, `stepFinished ${fact.value.runId} ${fact.value.stepId}`];
    case 'stepStarted':
    case 'stepFinished':
      return [`${fact.case} ${fact.value.runId} ${fact.value.stepId}`];
    case 'agentCalled':
    case 'agentReturned':
      return [`${fact.case} ${fact.value.runId} ${fact.value.callId}`];
    case 'stepReminded':
      return [`reminder ${fact.value.runId} ${fact.value.stepId} ${fact.value.count}`];
    case 'toolCallStarted':
      return [`start of ${fact.value.runId} ${fact.value.callId} ${fact.value.attempt}`];
    case 'delegationStarted':
      return [`start of ${fact.value.runId} ${fact.value.callId} ${fact.value.attempt}`];
    case 'delegationAnswered':
      return [`answer to ${fact.value.approvalId}`];
    case 'toolCallFinished':
    case 'delegationFinished':
      return fact.value.late ? [] : [`result of ${fact.value.runId} ${fact.value.callId}`];
    case 'approvalRequested':
      return [`request ${fact.value.approvalId}`];
    case 'runCompleted':
    case 'runFailed':
    case 'runCanceled':
      return [...names, `end of ${fact.value.runId}`];
    default:
      return names;
  }
}

/** Rule b: what is recorded as a tool's result, a tool did. */
function checkResults(world: World, stream: Stream): void {
  const ran = new Set(world.tools.journal.map(({ runId, callId }) => `${runId} ${callId}`));
  for (const { runId, callId } of memoryCallsOf(stream)) ran.add(`${runId} ${callId}`);
  // The platform or people do these: the rules p and q say of each what is right.
  for (const { fact } of stream.facts)
    if (fact.case === 'modelResponded')
      for (const { callId, sharedBy, askedBy } of fact.value.calls)
        if (sharedBy !== '' || askedBy !== '') ran.add(`${fact.value.runId} ${callId}`);
  for (const { fact, revision } of stream.facts)
    if (fact.case === 'toolCallFinished' && !fact.value.isError && !ran.has(`${fact.value.runId} ${fact.value.callId}`))
      world.violation(
        'b',
        `${short(stream.name)} event ${revision}: a result of ${fact.value.callId}, which never ran`,
      );
}

/** Rule d: one decision for each approval, and everybody was told the truth about it. */
function checkDecisions(world: World, stream: Stream, answers: readonly Answered[]): void {
  const resolved = new Map<string, { readonly by: string; readonly what: string }>();
  const told = new Set<string>();
  for (const { fact, actor, revision } of stream.facts) {
    if (fact.case === 'approvalReminded' || fact.case === 'approvalEscalated') {
      const what = `${fact.case} ${fact.value.number} of ${fact.value.approvalId}`;
      world.count('reminders and escalations');
      if (told.has(what)) world.violation('d', `${short(stream.name)}: ${what} again by event ${revision}`);
      if (resolved.has(fact.value.approvalId)) world.violation('d', `${short(stream.name)}: ${what}, which is over`);
      told.add(what);
    }
    if (fact.case !== 'approvalResolved') continue;
    if (decidedWord(fact.value.decision) === 'expired') world.count('approvals that nobody decided in time');
    const { approvalId, decision } = fact.value;
    const before = resolved.get(approvalId);
    if (before !== undefined)
      world.violation('d', `${short(stream.name)}: approval ${approvalId} is decided again by event ${revision}`);
    else resolved.set(approvalId, { by: actor.id, what: decidedWord(decision) });
  }
  for (const answer of answers) {
    if (stream.name !== `conversation-${answer.conversationId}`) continue;
    const { person, kind, toldBy, toldWhat } = answer;
    const truth = resolved.get(answer.approvalId);
    const what = `${person} was told that the decision on ${answer.approvalId} was ${kind} (${toldWhat} by ${toldBy})`;
    const decided = `${truth?.what ?? 'nothing'} by ${truth?.by ?? 'nobody'}`;
    if (kind === 'taken' && truth?.by !== person) world.violation('d', `${what}; the log says ${decided}`);
    if (kind === 'refused' && (truth?.by !== toldBy || truth.what !== toldWhat))
      world.violation('d', `${what}; the log says ${decided}`);
    if (kind === 'refused' && toldBy === person && !answer.mayBeOwn)
      world.violation('d', `${what}, though it was theirs that took effect`);
  }
}

/** Rule e: nothing is left that a process should be doing. */
function checkRest(world: World, stream: Stream): void {
  const state = stream.states.at(-1) ?? initialState;
  const standing = runStanding(state);
  if (standing === 'working') world.violation('e', `${short(stream.name)} is still being worked on at the end`);
}

/** Facts that only the owner of a run may append. */
const ownersOnly = new Set([
  'stepStarted',
  'modelResponded',
  'modelFailed',
  'modelAnsweredNothing',
  'agentCalled',
  'agentReturned',
  'stepReminded',
  'toolCallStarted',
  'toolCallRefused',
  'delegationRequested',
  'delegationStarted',
  'delegationAnswered',
  'approvalRequested',
  'inputRequested',
  'stateSet',
  'stepFinished',
  'runReleased',
  'runCompleted',
  'runFailed',
]);

/** Of these, what asks people the questions of another agent. */
const asking = new Set(['approvalRequested', 'inputRequested']);

/** Rule g: epochs have one owner each, and only grow; what only the owner may append was appended by it. */
function checkOwners(world: World, stream: Stream): void {
  const epochs = new Map<string, number>();
  let owner = '';
  for (const made of stream.made) {
    // What a look at a task shows is put on the record by whoever looked.
    const isLook = made.append.facts.some((one) => one.case === 'delegationAsked');
    // Whoever sent a delegation may tell late what it came to, and with it what its node came to.
    const isOutcome = made.append.facts[0]?.case === 'delegationFinished';
    // Who changes a call asks for another approval of it.
    const isEdit = made.append.facts.some((one) => one.case === 'callEdited');
    for (const { fact, revision } of stream.facts.slice(made.firstRevision - 1, made.lastRevision)) {
      const where = `${short(stream.name)} event ${revision}`;
      if (fact.case === 'runStarted' || fact.case === 'runClaimed') {
        const { runId } = fact.value;
        const epoch = fact.value.owner?.epoch ?? 0;
        if (epoch <= (epochs.get(runId) ?? 0))
          world.violation('g', `${where}: epoch ${epoch} of run ${runId} is given twice`);
        epochs.set(runId, epoch);
        if (fact.case === 'runClaimed' && owner !== '' && owner !== made.instance) {
          world.count('takeovers');
          if (!world.befallen.has(owner) && world.network.isQuickerThan(world.scenario.ttlMs / 3))
            world.violation('i', `${where}: ${made.instance} takes the run from ${owner}, whom nothing befell`);
        }
        owner = fact.value.owner?.instance ?? '';
      }
      if (fact.case === 'callEdited') world.count('calls that people changed');
      const isTold =
        (isLook && asking.has(fact.case)) ||
        (isOutcome && fact.case === 'stepFinished') ||
        (isEdit && fact.case === 'approvalRequested');
      const isTime = fact.case === 'stepCanceled' && fact.value.cause !== CancelCause.PERSON;
      const isOwners = isTime || (ownersOnly.has(fact.case) && !isTold);
      if (isOwners && owner !== made.instance)
        world.violation(
          'g',
          `${where} (${fact.case}) is by ${made.instance}, but the owner is ${owner === '' ? 'nobody' : owner}`,
        );
      if (
        fact.case === 'runReleased' ||
        fact.case === 'runCompleted' ||
        fact.case === 'runFailed' ||
        fact.case === 'runCanceled'
      )
        owner = '';
      if (fact.case === 'toolCallFinished' && fact.value.late) world.count('late outcomes');
    }
  }
}

/** Rule i: a call is in doubt only if something befell the bridge or the tool server that it was sent to. */
function checkDoubts(world: World, stream: Stream): void {
  const bridges = new Map<string, string>();
  for (const { fact, revision } of stream.facts) {
    if (fact.case !== 'toolCallStarted' && fact.case !== 'toolCallInDoubt') continue;
    if (isDelegated(stream, fact.value)) continue;
    const attempt = `${fact.value.runId} ${fact.value.callId} ${fact.value.attempt}`;
    if (fact.case === 'toolCallStarted') {
      bridges.set(attempt, fact.value.bridgeInstance);
      continue;
    }
    const bridge = bridges.get(attempt) ?? '';
    if (!world.befallen.has(processOf(bridge)))
      world.violation(
        'i',
        `${short(stream.name)} event ${revision}: ${fact.value.callId} is in doubt, and ${bridge} could have told`,
      );
  }
}

/** Of a delegation anybody may be in doubt: no agent is asked to tell everything. */
function isDelegated(stream: Stream, { runId, callId }: { readonly runId: string; readonly callId: string }): boolean {
  return stream.facts.some(
    ({ fact }) => fact.case === 'delegationStarted' && fact.value.runId === runId && fact.value.callId === callId,
  );
}

/** Rule f: the rows made append by append are those made from the whole stream at once. */
function checkRows(world: World, stream: Stream): void {
  const events = stream.bytes.map((envelope) => decodeRecorded({ envelope }));
  const rows = project(initialState, events, { messagesAt: () => [], approval: () => undefined });
  const where = short(stream.name);
  const last = stream.states.at(-1) ?? initialState;
  if (!isDeepStrictEqual(fold(initialState, events), last))
    world.violation('f', `${where}: the state is not the fold of the events`);
  if (!equal(encodeSnapshot(rows.state), encodeSnapshot(last))) world.violation('f', `${where}: the snapshot differs`);
  const headOf = (head: views.ConversationHead | undefined) =>
    head === undefined ? new Uint8Array() : toBinary(views.ConversationHeadSchema, head);
  if (!equal(headOf(rows.head), headOf(stream.head)))
    world.violation('f', `${where}: the head differs from one made anew`);
  const messages = (all: readonly views.Message[]) =>
    all.map((one) => Buffer.from(toBinary(views.MessageSchema, one)).toString('hex'));
  if (!isDeepStrictEqual(messages(rows.messages), messages(stream.messages)))
    world.violation('f', `${where}: the messages differ from those made anew`);
  const approvals = (all: Iterable<views.Approval>) =>
    [...all].map((one) => Buffer.from(toBinary(views.ApprovalSchema, one)).toString('hex')).sort();
  if (!isDeepStrictEqual(approvals(rows.approvals), approvals(stream.approvals.values())))
    world.violation('f', `${where}: the approvals differ from those made anew`);
}

/** Rule f: the chain of hashes is that of the bytes. */
function checkChain(world: World, stream: Stream): void {
  let hash = chainStart;
  for (const [index, bytes] of stream.bytes.entries()) {
    hash = chainHash(hash, bytes);
    if (equal(hash, stream.hashes[index] ?? chainStart)) continue;
    world.violation('f', `${stream.name}: the chain of hashes breaks at event ${index + 1}`);
    return;
  }
  const isDefinition = conversationOfStream(stream.name) === undefined && !stream.name.startsWith(memoryStreamPrefix);
  if (isDefinition && stream.facts.length !== 1)
    world.violation('f', `${stream.name}: a definition is recorded ${stream.facts.length} times`);
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
