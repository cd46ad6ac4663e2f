import type { facts as wire } from '@stopgo/proto';
import type { AccountFact, Fact, PersonFact, RepositoryFact } from '../events/facts.ts';
import {
  agentStream,
  conversationStream,
  policyStream,
  type StreamName,
  toolStream,
  toolsetStream,
  userStream,
} from '../events/ids.ts';
import { recordedTarget } from '../events/target.ts';
import { pinsOfToolset } from './definition.ts';

/**
 * The streams that a fact cannot be understood without: definitions by their digest, and other conversations. They were in the
 * log before it, and nothing in the log is ever deleted: one that is not there now was lost.
 *
 * Blobs are not streams, and the tasks of other agents are in logs of others.
 */
export function streamsNamedBy(one: Fact): readonly StreamName[] {
  switch (one.case) {
    case 'conversationCreated':
      return one.value.earlier.map(({ conversationId }) => conversationStream(conversationId));
    case 'runStarted':
    case 'agentCalled':
      return [
        ...(one.value.agentDigest === '' ? [] : [agentStream(one.value.agentDigest)]),
        ...(one.value.toolsetDigest === '' ? [] : [toolsetStream(one.value.toolsetDigest)]),
        ...(one.value.policyDigest === '' ? [] : [policyStream(one.value.policyDigest)]),
      ];
    case 'modelResponded':
      return one.value.calls.filter(isOfTool).map(({ pin }) => toolStream(pin));
    case 'toolsetDefined':
      return readablePins(one.value.definitionJson).map(toolStream);
    case 'toolServerMet':
    case 'toolsAccepted':
      return one.value.tools.map(({ pin }) => toolStream(pin));
    case 'apiKeyIssued':
      return one.value.userId === '' ? [] : [userStream(one.value.userId)];
    case 'linkMade':
      return [conversationStream(one.value.conversationId), userStream(one.value.userId)];
    case 'repositorySynced':
      return one.value.files.flatMap(({ agentDigest }) => (agentDigest === '' ? [] : [agentStream(agentDigest)]));
    case 'memorySaved':
      return one.value.call === undefined ? [] : [conversationStream(one.value.call.conversationId)];
    case 'pushConfigured':
      return [conversationStream(one.value.conversationId)];
    default:
      one.case satisfies NamingNothing;
      return [];
  }
}

/** True for a call of a tool that was defined: others have pins that name no stream, or none. */
function isOfTool(call: wire.Call): boolean {
  return recordedTarget(call)?.kind === 'tool' && call.pin !== '';
}

/** Facts that can be understood alone. */
type NamingNothing =
  | AccountFact
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
  | 'callEdited'
  | Exclude<PersonFact, 'apiKeyIssued'>
  | 'memoryRemoved'
  | Exclude<RepositoryFact, 'repositorySynced'>
  | 'userMessageReceived'
  | 'runClaimed'
  | 'runReleased'
  | 'stepStarted'
  | 'modelFailed'
  | 'approvalRequested'
  | 'approvalResolved'
  | 'inputRequested'
  | 'inputProvided'
  | 'toolCallStarted'
  | 'toolCallFinished'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'delegationFinished'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'runCompleted'
  | 'runFailed'
  | 'runCanceled'
  | 'delegationRequested'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'agentReturned'
  | 'stepReminded'
  | 'stepCanceled'
  | 'runPaused'
  | 'runResumed'
  | 'pushRemoved'
  | 'pushClaimed'
  | 'pushAttempted'
  | 'pushReleased'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked'
  | 'agentDefined'
  | 'policyDefined'
  | 'toolDefined';

/** None of a definition that is damaged: that shows in the hash of its event. */
function readablePins(definitionJson: string): readonly string[] {
  try {
    return pinsOfToolset(definitionJson);
  } catch {
    return [];
  }
}
