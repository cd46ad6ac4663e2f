/** The platform in one process, for whoever starts it another way than by the command. */

export { reportOf, runCommand } from './commands.ts';
export { agentDefinition, modelsOf, systemPromptOf } from './parts/agent-definition.ts';
export { type Captured, runCaptured } from './run-captured.ts';
export { findNatsServer } from './services/launcher/nats/find-server.ts';
export { natsPassword } from './services/launcher/nats/own-nats.ts';
export { startOfflineModelProcess } from './start/offline-model.ts';
export { type Intercept, type OneProcessOptions, startOneProcess } from './start/one-process.ts';
