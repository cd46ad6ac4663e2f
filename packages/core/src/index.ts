/** What the platform's services may use of the core. A name is here because something outside uses it. */

export type { AgentSource, CallingLimits } from './agent/calling.ts';
export {
  type A2aNode,
  type AgentDefinition,
  type AgentNode,
  agentFromDefinition,
  childrenOf,
  defineAgent,
  defineToolset,
  instructionsName,
  isPipeline,
  type LlmNode,
  nodeAt,
  type OfferedTool,
  pinsOfToolset,
  type RemoteAgent,
  type ServerInstructions,
  type Toolset,
  toolsetFromDefinition,
} from './agent/definition.ts';
export { definitionChanges } from './agent/definition-changes.ts';
export {
  allDefinitions,
  type DefinedRun,
  type Definitions,
  type Digests,
  definedAs,
  definitionOf,
  digestsIn,
  type RunDefinition,
  type StepDefinition,
} from './agent/definitions.ts';
export { streamsNamedBy } from './agent/named-streams.ts';
export {
  acceptTools,
  evolvePins,
  isHeld,
  meetServer,
  type PinnedTool,
  type PinState,
  type Pins,
  pinState,
  pinsStream,
  serverIdentity,
  unmet,
} from './agent/pins.ts';
export type { AgentLimits, ContextScope, NamedContext, PlatformAgent } from './agent/platform-agent.ts';
export { withServerInstructions } from './agent/server-instructions.ts';
export { callAbove, rootStep } from './agent/step-id.ts';
export {
  agentsInPrompt,
  type CallableAgent,
  expandTemplate,
  templateVariables,
  toolsInPrompt,
  unknownVariablesIn,
  withoutVariables,
} from './agent/template.ts';
export { agentCallOf } from './calls/agent.ts';
export { askedFields, questionProblem } from './calls/asked-values.ts';
export { exitLoopTool } from './calls/control/exit-loop.ts';
export { controlTools } from './calls/control/tools.ts';
export { describeCall, describeQuestion, isDescriptionCut } from './calls/description.ts';
export type { RequestedCall } from './calls/judge.ts';
export { isSent, type SentTarget, sentKindOf } from './calls/kinds.ts';
export { memoryRequestOf, takenSchemaJson } from './calls/memory.ts';
export { offeredTo } from './calls/offers.ts';
export type { CallOutcomeCommand, RemoteTask } from './calls/outcome.ts';
export { agentTool, delegationOf, remoteAgentOf, remoteAgentsOf, withAgentsDescribed } from './calls/remote-agent.ts';
export { takesTool } from './calls/takes-tool.ts';
export { ticketOf } from './calls/ticket.ts';
export { type ConnectedAccount, type Connection, evolveConnection, noConnection } from './connections/connection.ts';
export {
  checkContextId,
  type EarlierText,
  type EarlierTexts,
  latestThatFit,
  nothingEarlier,
  textToTell,
} from './conversation/context.ts';
export { cancelStep, pauseRun, type ResumeDecision, resumeRun } from './conversation/decide-control.ts';
export {
  cancelRun,
  createConversation,
  failRun,
  type MessageDecision,
  receiveMessage,
} from './conversation/decide-conversation.ts';
export {
  attemptPush,
  claimPush,
  configurePush,
  type NamingOfWebhook,
  type PushAttempt,
  type PushOwner,
  releasePush,
  removePush,
  tellWebhooks,
  webhookIdPrefix,
} from './conversation/decide-push.ts';
export { evolvePush, liveConfigs, noPush, webhooksNamedBy } from './conversation/push.ts';
export { requireReach } from './conversation/require-reach.ts';
export { type BlobRef, blobName, blobRefs, blobRefsToWire, isBlobDigest } from './events/blobs.ts';
export { chainHash, chainStart } from './events/chain.ts';
export { choiceWords, decidedWord, isSaidKind } from './events/decisions.ts';
export {
  type Actor,
  actorFromWire,
  actorToWire,
  decodeEvent,
  decodeRecorded,
  encodeFact,
  type Fact,
  type FactName,
  type FactOf,
  fact,
  newEvents,
  type OtherStreamFact,
  type RecordedFact,
  schemaVersion,
} from './events/facts.ts';
export {
  agentStream,
  apiKeyOfStream,
  apiKeyStream,
  connectionStream,
  connectionStreamPrefix,
  conversationOfPush,
  conversationOfStream,
  conversationStream,
  isUuid,
  linkStream,
  memoryStream,
  memoryStreamPrefix,
  parseStreamName,
  policyStream,
  pushStream,
  repositoryListStream,
  repositoryStream,
  type StreamName,
  toolStream,
  toolsetStream,
  userOfStream,
  userStream,
} from './events/ids.ts';
export { mediaTypeOf } from './events/media-type.ts';
export { type CallTarget, nameOfTarget, remoteOf, serverOf } from './events/target.ts';
export { approvalKindWord } from './interrupts/approval-words.ts';
export { isAskedOf } from './interrupts/asked-of.ts';
export { askedWords, askingsOf, isAskedOfAll, unnamedBy, votedWord } from './interrupts/askings.ts';
export type { CallAsked, DelegationAskedCommand, RemoteQuestion } from './interrupts/commands.ts';
export { provideAccount, provideToken, resolveApproval, serversWanting } from './interrupts/decide-approval.ts';
export { assignApproval } from './interrupts/decide-assign.ts';
export { type ProvideDecision, provideInput } from './interrupts/decide-inputs.ts';
export { type AskedIn, delegationAsked } from './interrupts/decide-questions.ts';
export { grantStanding, revokeStanding } from './interrupts/decide-standing.ts';
export { decidedByOf, decidedByText, nobodyDecided } from './interrupts/decided-by.ts';
export {
  decisionMembers,
  decisionOfChoice,
  decisionOfWord,
  type HumanDecision,
  parseDecision,
} from './interrupts/decision-words.ts';
export { isDue, nextDue } from './interrupts/due.ts';
export { inputMode, inputText } from './interrupts/input-text.ts';
export { openInterrupts } from './interrupts/kinds.ts';
export { isLinkOver, isLinkText, linkDigestOf, linkKey, linkText, makeLink } from './interrupts/link.ts';
export { demandText } from './interrupts/may-decide.ts';
export { assigneeOf, overdueFrom } from './interrupts/overdue.ts';
export { keyOfWords, stateOfQuestion } from './interrupts/question-identity.ts';
export { type SamplingAsked, samplingProblem, samplingResult } from './interrupts/sampling.ts';
export { voterOf } from './interrupts/voter.ts';
export {
  apiKeyIdOf,
  apiKeyText,
  evolveApiKey,
  isApiKey,
  issueApiKey,
  isUseStale,
  keyProblem,
  noApiKey,
  noteKeyUse,
  revokeApiKey,
  scopesOf,
} from './people/api-key.ts';
export { checkIssue, endOf } from './people/may-issue.ts';
export { type Action, mayReach, publicActions, reachOf, requireAllowed, whyNotAllowed } from './people/permissions.ts';
export { isPersonStream, personRow } from './people/person-row.ts';
export {
  anonymous,
  type Principal,
  principalKey,
  type Scope,
  type SetupPrincipal,
  scopes,
  type UserPrincipal,
  userKey,
} from './people/principal.ts';
export { isRole, type Role, roleFromWire, roleNamed, roles, roleToWire } from './people/roles.ts';
export {
  changeUser,
  checkEmail,
  checkRole,
  createUser,
  evolveUser,
  groupsOfKey,
  isSignInStale,
  type NewUser,
  noUser,
  signIn,
  userIdOf,
} from './people/user.ts';
export {
  effectiveHints,
  type HintOrigin,
  type HintOrigins,
  type HintSource,
  type Hints,
  hintOrigins,
  isRepeatable,
  malformedHint,
  policyVerdict,
  saysBoth,
  saysNothing,
} from './policy/hints.ts';
export {
  judgeByPolicy,
  looksAt,
  nobody,
  nothingYet,
  type PolicyCall,
  type PolicyContext,
} from './policy/judge-policy.ts';
export { needsIdentity, restOnClaimedName } from './policy/needs-identity.ts';
export { notifyOf, webhookNamePattern } from './policy/notify.ts';
export {
  type ApproverSpec,
  type DemandSpec,
  definePolicy,
  type Policy,
  policyFromDefinition,
  type Rule,
} from './policy/policy.ts';
export type { PolicyProblem } from './policy/policy-reader.ts';
export { readPolicy } from './policy/read-policy.ts';
export { unreachableApprovers } from './policy/unreachable.ts';
export type { ListedRepository, RepositoryAuth, RepositoryList } from './repository/list.ts';
export { emptyRepositoryList, evolveRepositoryList } from './repository/list.ts';
export { checkNewRepository, checkSyncInterval, requireListed } from './repository/list-rules.ts';
export {
  type AgentRepository,
  evolveRepository,
  type FileAgent,
  type FileError,
  type KnownFile,
  noRepository,
  type RepositorySource,
} from './repository/repository.ts';
export type { RunCommand } from './run/commands.ts';
export { type EditDecision, editableTool, editCall } from './run/decide-edit.ts';
export { decideLate } from './run/decide-late.ts';
export { decideRun, mayAskAgain } from './run/decide-run.ts';
export type { Effect } from './run/effect.ts';
export { evolve, fold } from './run/evolve.ts';
export { type Advance, advance, anticipate } from './run/interpreter.ts';
export { messageRows } from './run/messages.ts';
export { callerOf } from './state/caller.ts';
export { demandFromWire } from './state/demand.ts';
export {
  type Approval,
  approvalIn,
  decisionOn,
  interruptsOf,
  type ServerQuestion,
  serverQuestions,
} from './state/interrupt.ts';
export { outputFromWire, outputText } from './state/output.ts';
export { placeholdersOf, resolvePrompt } from './state/placeholders.ts';
export { anonymousPrincipal, contextOf, principalOf } from './state/principal.ts';
export type { IdempotencyKey } from './state/request.ts';
export {
  type AskedQuestion,
  type CallState,
  type ConversationState,
  decodeSnapshot,
  encodeSnapshot,
  foldVersion,
  type InputAction,
  initialState,
  type LeftElsewhere,
  type Output,
  type Owner,
  type RunState,
  type SettledInput,
} from './state/state.ts';
export { type AnswerUsage, type Spent, spentToWire } from './state/usage.ts';
export {
  dueAnswers,
  hasWork,
  isUnderWay,
  mayStillNameBlobs,
  parkedCalls,
  parkedTasks,
  pendingApprovals,
  type RunStanding,
  runStanding,
} from './state/work.ts';
export {
  appendBytesMax,
  appendEventsMax,
  argumentsBytesMax,
  blobBytesMax,
  blobsPerResultMax,
  callsPerAnswerMax,
  contextTextsBytesMax,
  contextTextsMax,
  descriptionBytesMax,
  inputMessageBytesMax,
  inputReasonBytesMax,
  messageBytesMax,
  remoteQuestionsBytesMax,
  remoteQuestionsMax,
  saidBytesMax,
  samplingTokensMax,
  structuredBytesMax,
  taskWordBytesMax,
  textBytesMax,
} from './text/bounds.ts';
export { byteLength, type CutText, cutText } from './text/cut.ts';
export type { Defined } from './text/defined.ts';
export { callDigest, sha256Hex, toolPin, uuidFrom } from './text/digest.ts';
export { durationPattern, formatDuration, parseDuration } from './text/duration.ts';
export {
  canceled,
  conflict,
  DomainError,
  dataLoss,
  deadlineExceeded,
  type ErrorKind,
  failedPrecondition,
  internalError,
  invalidArgument,
  notFound,
  permissionDenied,
  resourceExhausted,
  unauthenticated,
  unavailable,
  unimplemented,
} from './text/errors.ts';
export { canonicalArguments, isExactNumber, lossProblem, maybeRounded, repeatedName } from './text/exact-json.ts';
export { matchesAny, matchesGlob } from './text/glob.ts';
export { canonicalJson, type Json, parseJson } from './text/json.ts';
export { JsonValueCounter, jsonValuesIn } from './text/json-values.ts';
export { lookAlikeKeys } from './text/look-alike.ts';
export { AmbiguousMember, type JsonStep, objectTextsAt } from './text/raw-json.ts';
export { suggest } from './text/suggest.ts';
export {
  agentUnavailable,
  canceledByUser,
  canceledText,
  noSuchAgent,
  respondFirst,
  saidByNode,
  taskText,
  toolHeld,
  waitingText,
} from './text/texts.ts';
export {
  firstHidden,
  isDeceptive,
  markedForModel,
  quotedName,
  spelledName,
  visibleJson,
  visibleLine,
  visibleText,
  visibleUrl,
} from './text/visible.ts';
export { type AgentStep, AgentSteps } from './views/agent-steps.ts';
export { type CalledPrompt, calledPrompt } from './views/called-context.ts';
export { failureText } from './views/failure.ts';
export {
  type NodeProgress,
  type NodeStatus,
  type Picture,
  type PicturedRun,
  type PictureNode,
  pictureOfAgent,
  pictureOfRun,
  type Wait,
} from './views/picture.ts';
export { bareView, type EarlierRows, type ProjectedRows, project } from './views/projection.ts';
export { type PromptMessage, type PromptScope, promptMessages } from './views/prompt-messages.ts';
export { evolveTrace, type RunTrace } from './views/run-trace.ts';
export { asksSince, standingOf } from './views/standing.ts';
export { type FinishedCall, type Transcript, TranscriptBuilder } from './views/transcript.ts';
