export { type CallableAgents, type CalledDefinition, noAgents } from './agents/callable.ts';
export type { AgentCatalogue } from './agents/catalogue.ts';
export { ConfiguredAgent } from './agents/configured-agent.ts';
export { type AgentLookup, AllAgents, PlatformAgents } from './agents/platform-agents.ts';
export { runsMaxDefault } from './bounds.ts';
export type { BridgeClient, BridgeConnection, ConnectBridge } from './bridges/directory.ts';
export { BridgeTools } from './bridges/tools.ts';
export { RecordedDefinitions } from './definitions.ts';
export type {
  AgentAsks,
  DelegationAnswer,
  DelegationOutcome,
  DelegationPort,
  DelegationRequest,
  LookedUp,
} from './delegation-port.ts';
export { TaskWatch } from './driver/delegations/task-watch.ts';
export { AgentNews } from './driver/handle/agent-news.ts';
export type { DriverPorts } from './driver/handle/ports.ts';
export { Room } from './driver/handle/room.ts';
export { Registry } from './driver/run/registry.ts';
export { AgentMemories } from './memories/agent-memories.ts';
export * from './models/index.ts';
export { attemptsMax, heldPauseMsMax, linkAttemptsMax } from './push/bounds.ts';
export type { Delivered, Delivery } from './push/deliver.ts';
export { Outbox, type OutboxPorts } from './push/outbox.ts';
export { PushLog } from './push/push-log.ts';
export { PushSealer } from './push/sealed.ts';
export { SendSlots } from './push/send-slots.ts';
export { Links } from './push/webhooks/links.ts';
export { type Webhook, webhookKey } from './push/webhooks/webhooks.ts';
export { type OrchestratorParts, orchestratorService } from './server.ts';
export {
  type Orchestrator,
  type OrchestratorConfig,
  type OrchestratorDependencies,
  startOrchestrator,
} from './start.ts';
export type { AttemptKey, Catalogue, ExecuteOutcome, ExecuteRequest, FenceOutcome, ToolPort } from './tool-port.ts';
