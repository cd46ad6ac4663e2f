// What only one of the ways to run needs has an entry of its own (`/http`, `/stdio`, `/settings-file`, `/pattern`): a client
// waits for these programs to start.
export { isAbsent, type Parsed, type RawArguments, refuseUnknown } from './arguments.ts';
export type { RunningServer } from './running-server.ts';
export { isMapping, readFlags, readSettingsContent } from './settings.ts';
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
  type HttpSettings,
  readTransport,
} from './transport-settings.ts';
