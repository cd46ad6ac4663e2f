/** The log as services use it: appends whose outcome is known, commands decided anew after a conflict, heartbeats. */
export { type Clock, systemClock } from './clock.ts';
export { appendUntilKnown, isUnknown, recordedOf, untilAnswered } from './commit.ts';
export type { Append, AppendOutcome, ConversationLog, KnownKey, Loaded, OpenRun } from './conversation-log.ts';
export { type Beat, Heartbeat, type HeartbeatOptions, type Pulse } from './heartbeat.ts';
export { bridgeRole, type Liveness, type Peer, processOf, type Standing, unwatched } from './liveness.ts';
export { type DefinitionSource, definitionsIn, loadCalled, loadDefinitions } from './load-definitions.ts';
export { type DefinitionPorts, recordDefinition } from './record-definition.ts';
export { recordedDefinition, recordedToolset } from './recorded-definitions.ts';
export { changeSmall, type SmallStream } from './small-stream.ts';
export { appendedEvents, storeBeat, storeLog } from './store-log.ts';
export {
  type Command,
  clientKey,
  commandDeadlineMs,
  handOver,
  idempotencyFromWire,
  type Transacted,
  type TransactPorts,
  transact,
} from './transact.ts';
export { type OpenWait, type Waited, type WaitKind, Waits, waitsToldMax } from './waits.ts';
