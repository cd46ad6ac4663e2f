/** The bridge to MCP servers: connections, the catalogue of tools, and calls that run at most once per attempt. */
export { type BridgeBounds, bridgeBounds } from './bounds.ts';
export { eraFile } from './era-file.ts';
export { bridgeRole, refuseSecondBridge } from './only-bridge.ts';
export type { ServerStatus } from './server-status.ts';
export { type McpBridge, type McpBridgeOptions, startMcpBridge } from './start.ts';
