// What only one of the ways to run needs has an entry of its own (`/http`, `/stdio`, `/settings-file`, `/pattern`): a client
// waits for these programs to start.
export { isAbsent, type Parsed, type RawArguments, refuseUnknown } from './arguments.ts';
export type { RunningServer } from './running-server.ts';
export { reasonOf, StartupError } from './startup-error.ts';
export {
  type CallContext,
  type CallOutcome,
  createToolServer,
  type Era,
  type ToolServerFactory,
  type ToolServerParts,
} from './tool-server.ts';
export {
  type BrowserSettings,
  checkTransportKey,
  type FileTransport,
  type HttpSettings,
  isTransportKey,
  readTransport,
  TRANSPORT_KEYS,
  type TransportFlags,
} from './transport-settings.ts';
