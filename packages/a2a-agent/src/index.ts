/** What an A2A agent is made of: three dialects over one model, approvals on the wire, cards. */
export * from './approval-message.ts';
export * from './cancel.ts';
export * from './card.ts';
export * from './decision.ts';
export type { Dialect, RestVersion } from './dialect.ts';
export * from './extensions.ts';
export * from './idempotency.ts';
export * from './input-message.ts';
export * from './json-rpc.ts';
export * from './parts.ts';
export * from './protocol.ts';
export * from './push.ts';
export * from './rest.ts';
export * from './role.ts';
export * from './task.ts';
export * from './task-state.ts';
export * from './task-updates.ts';
