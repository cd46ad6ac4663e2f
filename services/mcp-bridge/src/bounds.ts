/** Every bound of the bridge, with its unit in the name. Tests give smaller ones; nothing else does. */
export type BridgeBounds = {
  /** How long a stdio server may take from its start to its list of tools, where its configuration says nothing else. */
  readonly stdioStartMs: number;
  /** The same of an HTTP server, which may not answer yet. */
  readonly httpStartMs: number;
  /** How often the log tells of a start that goes on. */
  readonly startTellEveryMs: number;
  /** Pause between two attempts to reach an HTTP server at start. */
  readonly httpStartPauseMs: number;
  /** Attempts to reach one at start where something answers that is no MCP server. */
  readonly otherPlaceTriesMax: number;
  /** How long one attempt to reconnect to an HTTP server may take, where its configuration says nothing else. */
  readonly reconnectMs: number;
  /** How long a stdio server has for the question which protocol it speaks; silence means the older one. */
  readonly probeMs: number;
  /** Silence after which one that is remembered to speak the older protocol is asked whether it speaks the newer one. */
  readonly hintSilenceMs: number;
  /** How long a server over HTTP that refuses the first message is asked whether it speaks the old transport. */
  readonly oldTransportMs: number;
  /** How long one listing of tools may take after the start. */
  readonly listMs: number;
  /** Age of a list after which it is read again, where the server does not tell its changes. */
  readonly listFreshMs: number;
  /** The same for a call that was approved. */
  readonly approvedListFreshMs: number;
  /** Times within `listPauseMs` that the list of a server which says that it changed is read again; then it has to wait. */
  readonly listReadsMax: number;
  /** First pause of such a list, and the longest that it grows to while the server goes on. */
  readonly listPauseMs: number;
  readonly listPauseMaxMs: number;
  /** Age of a list after which it is read again, though its server would have told a change. */
  readonly listRecheckMs: number;
  /** How long a server has for a sign of life that it is asked for. */
  readonly pingMs: number;
  /** How often a server that is connected is asked for one. */
  readonly probeEveryMs: number;
  /** Signs of life that a server may owe before it is given up, one for a call that took too long among them. */
  readonly signsMissedMax: number;
  /** Pages of one listing; a server with more is refused. */
  readonly listPagesMax: number;
  /** All definitions that are read of one list; further ones are left out. */
  readonly listBytesMax: number;
  /** Tools of one server; further ones are left out. */
  readonly toolsPerServerMax: number;
  /** Sentences that are kept of one server about tools that are left out. */
  readonly problemsMax: number;
  /** Lines about the tools of one server that are written within `linesPeriodMs`. */
  readonly linesMax: number;
  readonly linesPeriodMs: number;
  /** One tool's definition as canonical JSON; a larger one is left out. */
  readonly definitionBytesMax: number;
  /** How deep one tool's definition may be nested; a deeper one is left out. */
  readonly definitionDepthMax: number;
  /** Values (objects, lists, texts, numbers) in one tool's definition; one with more is left out. */
  readonly definitionValuesMax: number;
  /** All definitions together, so that the catalogue fits into one gRPC message; further tools are left out. */
  readonly catalogueBytesMax: number;
  /** One message of a server. A larger answer to a call is an error result, never kept in memory. */
  readonly messageBytesMax: number;
  /**
   * JSON values in one message of a server, which is skipped in the same way: 4 MB of `[1,1,…` would hold everybody up for seconds
   * while they are parsed and walked through.
   */
  readonly messageValuesMax: number;
  /** Requests to one HTTP server that may be open at the same time, on each connection to it. */
  readonly requestsOpenMax: number;
  /** Messages that may wait until a stdio server reads its input; with one more it is given up. */
  readonly sendsWaitingMax: number;
  /** Shortest and longest pause before an event stream that ended is opened again, whatever its server asks for. */
  readonly streamPauseMinMs: number;
  readonly streamPauseMaxMs: number;
  /** Calls of one server that wait for those that run. */
  readonly callsQueuedMax: number;
  /** Further attempts of a call that is safe to repeat, after its connection was lost. */
  readonly repeatsMax: number;
  /** How long a repeat waits for its server to come back. */
  readonly repeatWaitMs: number;
  /** How long a call waits for a server that is down, before it is refused. */
  readonly callWaitMs: number;
  /** How long one look into the log may take. */
  readonly recordAskMs: number;
  /** How long a call waits for a log that does not answer, before it is refused. */
  readonly recordWaitMs: number;
  /** How old a look at the record may be by the time that its call is sent, where the store is another process. */
  readonly recordFreshMs: number;
  /** How long one attempt to have a blob stored may take. */
  readonly blobAskMs: number;
  /** How long a result waits for a store that does not take its blobs, before it goes on without them. */
  readonly blobWaitMs: number;
  /** Bytes of blobs of all results that wait for the store; one result may always wait, any other goes on without its blobs. */
  readonly blobBytesWaitingMax: number;
  /** How long it may take to find out, or to record, what is accepted of one server. */
  readonly pinsMs: number;
  /** Definitions of tools that are recorded at the same time. */
  readonly definitionsAtOnce: number;
  /** Tools in one request to accept them. */
  readonly acceptedAtOnceMax: number;
  /** How long an HTTP call may be without any open request before it counts as lost (a stream may be resumed). */
  readonly streamResumeMs: number;
  /** First pause before a lost server is started or reached again; it doubles with each failure. */
  readonly backoffFirstMs: number;
  /** Longest such pause. */
  readonly backoffMaxMs: number;
  /** A server that stayed up for this long starts again with the first pause. */
  readonly backoffResetMs: number;
  /** Times in a row that a server may end soon after it came up, before it is tried again now and then only. */
  readonly crashesMax: number;
  /** Pause between two tries of a server that ends again and again. */
  readonly crashLoopPauseMs: number;
  /** Pause between two tries of a server that is refused for what it is. */
  readonly quarantinePauseMs: number;
  /** How long a stdio server has to end after its input was closed, and again after SIGTERM. */
  readonly endGraceMs: number;
  /** How long an HTTP server has to end its session. */
  readonly sessionEndMs: number;
  /** Questions of one call that people may be asked: at the same time, and in all. Further ones are answered with `cancel`. */
  readonly questionsOpenMax: number;
  readonly questionsPerCallMax: number;
  /** The same of requests to have a model asked; further ones are refused. */
  readonly samplingsOpenMax: number;
  readonly samplingsPerCallMax: number;
  /** How long one call may wait for models in all. */
  readonly samplingMs: number;
  /**
   * How much longer than it was said a question waits. Whoever drives the run puts on the record when its time is over, and has the server
   * told; this is for when nobody does.
   */
  readonly answerGraceMs: number;
  /** Times that a call of protocol 2026-07-28 may come back for answers. */
  readonly questionRoundsMax: number;
  /** How long a call whose question is gone may take to end with it, before that is told by itself. */
  readonly goneSettleMs: number;
  /** Longest that a question about an attempt is held back for news. */
  readonly newsWaitMs: number;
  /** How long an authorization server has for one answer, and how large that may be. */
  readonly loginMs: number;
  readonly loginBytesMax: number;
  /** A token of ours is renewed so long before it ends. */
  readonly loginEarlyMs: number;
  /** How long a token is used that does not say when it ends. */
  readonly loginTokenMs: number;
  /** Pause after a login that failed. */
  readonly loginPauseMs: number;
  /** How long a user has to connect an account. */
  readonly connectMs: number;
  /** After so long whoever was to refresh a token is taken to have failed, and how often is looked whether it has been. */
  readonly refreshLapseMs: number;
  readonly refreshLookMs: number;
  /** Connections to one server for callers of their own; whoever comes beyond that takes the place of one that is idle. */
  readonly principalsMax: number;
  /** How long such a connection stays open without a call. */
  readonly principalIdleMs: number;
  /** How long a call that was canceled while it ran may still answer, before it counts as lost. */
  readonly cancelWaitMs: number;
  /** How long a stop waits for the calls that run. */
  readonly drainMs: number;
  /** What is kept of a server's error output. */
  readonly stderrBytesMax: number;
  /** How long the outcome of an attempt is kept. */
  readonly outcomeKeepMs: number;
  /** All kept outcomes together; the oldest go first. */
  readonly outcomeBytesMax: number;
};

const second = 1_000;
const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

/** The bounds that hold unless a test says otherwise. */
export const bridgeBounds: BridgeBounds = {
  stdioStartMs: 5 * 60 * second,
  httpStartMs: 10 * second,
  httpStartPauseMs: 500,
  otherPlaceTriesMax: 3,
  startTellEveryMs: 10 * second,
  reconnectMs: 10 * second,
  probeMs: 3 * second,
  hintSilenceMs: 30 * second,
  oldTransportMs: 3 * second,
  listMs: 15 * second,
  listFreshMs: 30 * second,
  approvedListFreshMs: 1 * second,
  listReadsMax: 10,
  listPauseMs: 1 * second,
  listPauseMaxMs: 30 * second,
  listRecheckMs: 10 * 60 * second,
  pingMs: 5 * second,
  probeEveryMs: 30 * second,
  signsMissedMax: 2,
  listPagesMax: 64,
  listBytesMax: 6 * mebibyte,
  toolsPerServerMax: 512,
  problemsMax: 100,
  linesMax: 200,
  linesPeriodMs: 60 * second,
  definitionBytesMax: 64 * kibibyte,
  definitionDepthMax: 100,
  definitionValuesMax: 5_000,
  catalogueBytesMax: 3 * mebibyte,
  messageBytesMax: 16 * mebibyte,
  messageValuesMax: 250_000,
  requestsOpenMax: 1_024,
  sendsWaitingMax: 1_024,
  streamPauseMinMs: 100,
  streamPauseMaxMs: 30 * second,
  callsQueuedMax: 256,
  repeatsMax: 2,
  repeatWaitMs: 5 * second,
  callWaitMs: 10 * second,
  recordAskMs: 2 * second,
  recordWaitMs: 5 * second,
  recordFreshMs: 100,
  blobAskMs: 10 * second,
  blobWaitMs: 60 * second,
  blobBytesWaitingMax: 128 * mebibyte,
  pinsMs: 10 * second,
  definitionsAtOnce: 16,
  acceptedAtOnceMax: 512,
  streamResumeMs: 5 * second,
  backoffFirstMs: 500,
  backoffMaxMs: 30 * second,
  backoffResetMs: 60 * second,
  crashesMax: 8,
  crashLoopPauseMs: 5 * 60 * second,
  quarantinePauseMs: 5 * 60 * second,
  endGraceMs: 2 * second,
  sessionEndMs: 2 * second,
  questionsOpenMax: 8,
  questionsPerCallMax: 32,
  samplingsOpenMax: 4,
  samplingsPerCallMax: 16,
  samplingMs: 10 * 60 * second,
  answerGraceMs: 10 * second,
  questionRoundsMax: 10,
  goneSettleMs: 250,
  newsWaitMs: 60 * second,
  loginMs: 5 * second,
  loginBytesMax: 64 * kibibyte,
  loginEarlyMs: 30 * second,
  loginTokenMs: 5 * 60 * second,
  loginPauseMs: 1 * second,
  connectMs: 10 * 60 * second,
  refreshLapseMs: 20 * second,
  refreshLookMs: 100,
  principalsMax: 64,
  principalIdleMs: 5 * 60 * second,
  cancelWaitMs: 5 * second,
  drainMs: 5 * second,
  stderrBytesMax: 8 * kibibyte,
  outcomeKeepMs: 10 * 60 * second,
  outcomeBytesMax: 64 * mebibyte,
};
