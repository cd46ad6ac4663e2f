export { openDatabase } from './database.ts';
export { NO_JOURNAL } from './journal.ts';
export type { Resource } from './resource.ts';
export { createServer } from './server.ts';
export { createResourceStore, type ResourceStore, STORE_LIMITS, type StoreLimits } from './store.ts';
