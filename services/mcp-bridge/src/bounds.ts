/** Every bound of the bridge, with its unit in the name. Tests give smaller ones; nothing else does. */
export type BridgeBounds = {
  /** How long a stdio server may take from its start to its list of tools. */
  readonly stdioStartMs: number;
  /** How long the start waits for an HTTP server that does not answer yet. */
  readonly httpStartMs: number;
  /** Pause between two attempts to reach an HTTP server at start. */
  readonly httpStartPauseMs: number;
  /** How long one attempt to reconnect may take. */
  readonly reconnectMs: number;
  /** How long a stdio server has for the question which protocol it speaks; silence means the older one. */
  readonly probeMs: number;
  /** How long one listing of tools may take after the start. */
  readonly listMs: number;
  /** Age of a list after which it is read again, where the server does not tell its changes. */
  readonly listFreshMs: number;
  /** How long a stdio server that let a call time out has for a sign of life, before it is ended and started again. */
  readonly pingMs: number;
  /** Pages of one listing; a server with more is refused. */
  readonly listPagesMax: number;
  /** Tools of one server; further ones are left out. */
  readonly toolsPerServerMax: number;
  /** One tool's definition as canonical JSON; a larger one is left out. */
  readonly definitionBytesMax: number;
  /** How deep one tool's definition may be nested; a deeper one is left out. */
  readonly definitionDepthMax: number;
  /** All definitions together, so that the catalogue fits into one gRPC message; further tools are left out. */
  readonly catalogueBytesMax: number;
  /** One message of a server. A larger answer to a call is an error result, never kept in memory. */
  readonly messageBytesMax: number;
  /** Calls of one server that wait for the one that runs. */
  readonly callsQueuedMax: number;
  /** Further attempts of a call that is safe to repeat, after its connection was lost. */
  readonly repeatsMax: number;
  /** How long a repeat waits for its server to come back. */
  readonly repeatWaitMs: number;
  /** How long a call waits for a server that is down, before it is refused. */
  readonly callWaitMs: number;
  /** How long an HTTP call may be without any open request before it counts as lost (a stream may be resumed). */
  readonly streamResumeMs: number;
  /** First pause before a lost server is started or reached again; it doubles with each failure. */
  readonly backoffFirstMs: number;
  /** Longest such pause. */
  readonly backoffMaxMs: number;
  /** A server that stayed up for this long starts again with the first pause. */
  readonly backoffResetMs: number;
  /** How long a stdio server has to end after its input was closed, and again after SIGTERM. */
  readonly endGraceMs: number;
  /** How long an HTTP server has to end its session. */
  readonly sessionEndMs: number;
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
  stdioStartMs: 30 * second,
  httpStartMs: 10 * second,
  httpStartPauseMs: 500,
  reconnectMs: 10 * second,
  probeMs: 3 * second,
  listMs: 15 * second,
  listFreshMs: 30 * second,
  pingMs: 5 * second,
  listPagesMax: 64,
  toolsPerServerMax: 512,
  definitionBytesMax: 64 * kibibyte,
  definitionDepthMax: 100,
  catalogueBytesMax: 3 * mebibyte,
  messageBytesMax: 16 * mebibyte,
  callsQueuedMax: 256,
  repeatsMax: 2,
  repeatWaitMs: 5 * second,
  callWaitMs: 5 * second,
  streamResumeMs: 5 * second,
  backoffFirstMs: 500,
  backoffMaxMs: 30 * second,
  backoffResetMs: 60 * second,
  endGraceMs: 2 * second,
  sessionEndMs: 2 * second,
  cancelWaitMs: 5 * second,
  drainMs: 5 * second,
  stderrBytesMax: 8 * kibibyte,
  outcomeKeepMs: 10 * 60 * second,
  outcomeBytesMax: 64 * mebibyte,
};
