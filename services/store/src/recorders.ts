import { type Fact, type FactName, invalidArgument, permissionDenied, sha256Hex, toolStream } from '@stopgo/core';
import { facts, fromBinary } from '@stopgo/proto';
import type { PeerName } from '@stopgo/rpc';
import type { StreamAppend } from './event-log.ts';
import { namesIn } from './fact-names.ts';

/** The streams that a service appends to, by how their names begin. One that is not here appends to none. */
const streamsOf: Readonly<Partial<Record<PeerName, readonly string[]>>> = {
  approvals: ['conversation-', 'user-', 'apikey-', 'pins-', 'link-'],
  // Who operates the platform makes its first user.
  operator: ['user-', 'apikey-'],
  orchestrator: ['conversation-', 'agent-', 'toolset-', 'tool-', 'policy-', 'push-', 'memory-'],
  'mcp-bridge': ['pins-', 'tool-', 'connection-'],
  registry: ['repository-', 'agent-'],
};

const byDriver: readonly PeerName[] = ['orchestrator'];
const byBridge: readonly PeerName[] = ['mcp-bridge'];
const byRegistry: readonly PeerName[] = ['registry'];
const byPeople: readonly PeerName[] = ['approvals'];

/**
 * Which services record which fact. What lets a call run is for the approvals service alone: a bridge, next to which tool servers run,
 * must not be able to say it. The orchestrator says what a policy decides, and what nobody decided in time.
 */
const recordersOf: Readonly<Record<FactName, readonly PeerName[]>> = {
  conversationCreated: byDriver,
  userMessageReceived: byDriver,
  runStarted: byDriver,
  runClaimed: byDriver,
  runReleased: byDriver,
  stepStarted: byDriver,
  modelResponded: byDriver,
  modelFailed: byDriver,
  modelAnsweredNothing: byDriver,
  agentCalled: byDriver,
  agentReturned: byDriver,
  stepReminded: byDriver,
  stepCanceled: byDriver,
  runPaused: byDriver,
  runResumed: byDriver,
  // Whoever changes the arguments of a call asks for it anew.
  approvalRequested: ['approvals', 'orchestrator'],
  callEdited: byPeople,
  // Of the orchestrator not all: see `isOfNoPerson`.
  approvalResolved: ['approvals', 'orchestrator'],
  standingApprovalGranted: byPeople,
  standingApprovalRevoked: byPeople,
  approvalVoted: ['approvals'],
  approvalAssigned: byPeople,
  approvalReminded: byDriver,
  approvalEscalated: byDriver,
  inputRequested: byDriver,
  inputProvided: byDriver,
  inputWithdrawn: byDriver,
  toolCallStarted: byDriver,
  toolCallFinished: byDriver,
  toolCallInDoubt: byDriver,
  toolCallRefused: byDriver,
  delegationStarted: byDriver,
  delegationUpdated: byDriver,
  delegationFinished: byDriver,
  delegationRequested: byDriver,
  delegationAsked: byDriver,
  delegationAnswered: byDriver,
  stateSet: byDriver,
  runDataWritten: byDriver,
  runDataDeleted: byDriver,
  stepFinished: byDriver,
  runCompleted: byDriver,
  runFailed: byDriver,
  runCanceled: byDriver,
  pushConfigured: byDriver,
  pushRemoved: byDriver,
  pushClaimed: byDriver,
  pushAttempted: byDriver,
  pushReleased: byDriver,
  // An agent of the configuration when a run starts, one of a repository when it is found there.
  agentDefined: ['orchestrator', 'registry'],
  toolsetDefined: byDriver,
  policyDefined: byDriver,
  // A bridge defines what it meets, whoever offers it what is of the platform itself.
  toolDefined: ['orchestrator', 'mcp-bridge'],
  toolServerMet: byBridge,
  toolsAccepted: byPeople,
  userCreated: ['approvals', 'operator'],
  userChanged: byPeople,
  userSignedIn: byPeople,
  apiKeyIssued: ['approvals', 'operator'],
  apiKeyRevoked: byPeople,
  apiKeyUsed: byPeople,
  linkMade: byPeople,
  repositoryAdded: byRegistry,
  repositoryChanged: byRegistry,
  repositorySynced: byRegistry,
  repositorySyncFailed: byRegistry,
  memorySaved: byDriver,
  memoryRemoved: byDriver,
  repositoryRemoved: byRegistry,
  repositoryListed: byRegistry,
  repositoryUnlisted: byRegistry,
  accountConnected: byBridge,
  tokenRefreshBegun: byBridge,
  tokensRefreshed: byBridge,
  accountDisconnected: byBridge,
};

const { APPROVED, REJECTED, EXPIRED, WITHDRAWN } = facts.Decision;

/**
 * Checks that a service may append this. To the stream of a tool goes nothing but the definition that it is named after: whoever came
 * first with another one would say for ever what people and models are shown under this pin.
 *
 * @throws DomainError `permission_denied` that names the service and the stream, or the fact; `invalid_argument` for a definition that
 * is not the one its stream is named after.
 */
export function checkRecorder(peer: PeerName, { stream, events }: StreamAppend): void {
  const may = streamsOf[peer]?.some((prefix) => stream.startsWith(prefix)) ?? false;
  if (!may) throw permissionDenied(`the ${peer} appends nothing to ${stream}`, { peer, stream });
  for (const { payload } of events) {
    // Most kinds are told by their number alone; nothing is decoded twice.
    for (const name of namesIn(payload)) {
      if (!recordersOf[name].includes(peer) || (name === 'approvalResolved' && !mayResolve(peer, payload)))
        throw permissionDenied(`the ${peer} does not record ${name}: nothing was appended to ${stream}`, {
          peer,
          stream,
        });
    }
    if (stream.startsWith('tool-')) checkDefinition(stream, payload);
  }
}

/** Decoded as readers do it: of two facts in one payload the last one counts for both. */
function checkDefinition(stream: string, payload: Uint8Array): void {
  const { fact } = fromBinary(facts.PayloadSchema, payload);
  const isNamedAfter =
    fact.case === 'toolDefined' &&
    toolStream(fact.value.pin) === stream &&
    toolStream(sha256Hex(fact.value.definitionJson)) === stream;
  if (isNamedAfter) return;
  throw invalidArgument(`${stream} takes only the tool's definition that has this digest: nothing was appended to it`);
}

const mayResolve = (peer: PeerName, payload: Uint8Array): boolean =>
  peer === 'approvals' || isOfNoPerson(fromBinary(facts.PayloadSchema, payload).fact as Fact);

/** True for what became of an approval without anybody's word: a policy decided, its time was over, or nobody needs it any more. */
function isOfNoPerson(resolved: Fact): boolean {
  if (resolved.case !== 'approvalResolved') return true;
  const { decision, byPolicy, voter } = resolved.value;
  if (voter !== undefined) return false;
  if (decision === WITHDRAWN || decision === EXPIRED) return true;
  return byPolicy && (decision === APPROVED || decision === REJECTED);
}
