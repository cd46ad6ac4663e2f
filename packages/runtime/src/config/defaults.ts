/** Every default of the configuration file, as it would be written in YAML. */
export const defaults = {
  name: 'agent',
  description: '',
  prompt: '',
  /** This machine only: whoever reaches the port can approve. */
  host: '127.0.0.1',
  port: 8080,
  dataDir: './data',
  model: 'gemini-2.5-flash',
  llmTimeout: '60s',
  unannotated: 'run',
  pins: 'first_use',
  syncWait: '120s',
  heartbeatTtl: '5s',
  maxTurns: 10,
  logLevel: 'info',
  logFormat: 'text',
  mcpTimeout: '30s',
  mcpTotalTimeout: '10m',
  inputTimeout: '15m',
  stdioConcurrency: 1,
  httpConcurrency: 8,
  maxIterations: 10,
  onReject: 'cancel',
  onError: 'fail',
  concurrentRuns: 1_000,
  openStreams: 1_000,
  bodyBytes: 4 * 1024 * 1024,
  messageBytes: 64 * 1024,
  callDepth: 10,
  agentCalls: 100,
  natsStream: 'STOPGO',
  natsReplicas: 1,
  clockSkew: '30s',
  emailClaim: 'email',
  nameClaim: 'name',
  groupsClaim: 'groups',
  keyGroupsFor: '168h',
} as const;

/** What a file may set at most (or at least), so that a slip of the pen is caught at start. */
export const bounds = {
  nameCharactersMax: 128,
  portMax: 65_535,
  durationMsMax: 3_600_000,
  heartbeatTtlMsMin: 100,
  /** People may need a day to answer a tool server. */
  inputTimeoutMsMax: 86_400_000,
  timeoutMsMin: 1,
  mcpConcurrencyMax: 256,
  definitionBytesMin: 1_024,
  /** A definition is recorded in one append, which holds little more. */
  definitionBytesMax: 384 * 1024,
  /** Models of one node, the first and those that are asked instead. */
  modelsMax: 8,
  turnsMax: 100,
  iterationsMax: 1_000,
  treeDepthMax: 32,
  treeNodesMax: 256,
  /** Names, models and prompts of all nodes: they are recorded in one append, which holds little more. */
  treeBytesMax: 448 * 1024,
  callDepthMax: 32,
  agentCallsMax: 10_000,
  countMax: 100_000,
  streamNameCharactersMax: 64,
  /** What NATS keeps of one stream at most. */
  replicasMax: 5,
  /** Text is cut at 256 KiB where it enters the event log, so a longer message could not be kept whole. */
  messageBytesMax: 256 * 1024,
  /** Clocks that differ by more are to be set, not forgiven. */
  clockSkewMsMax: 300_000,
  /** 90 days: whoever has not signed in for longer may have gone. */
  keyGroupsMsMax: 7_776_000_000,
  repositoryNameCharactersMax: 64,
  syncIntervalMsMin: 1_000,
  syncIntervalMsMax: 86_400_000,
  bodyBytesMin: 1_024,
  bodyBytesMax: 64 * 1024 * 1024,
} as const;
