/** The bridge to MCP servers: connections, the catalogue of tools, and calls that run at most once per attempt. */
export { type BridgeBounds, bridgeBounds } from './bounds.ts';
export { commandProblem } from './lines/command-rules.ts';
export { folderProblem } from './lines/sandbox.ts';
export { refuseSecondBridge } from './only-bridge.ts';
export type { ServerStatus } from './servers/server-status.ts';
export { eraFile } from './session/era-file.ts';
export { type McpBridge, type McpBridgeOptions, startMcpBridge } from './start.ts';
