export { openDatabase } from './database.ts';
export { noJournal } from './journal.ts';
export type { Resource } from './resource.ts';
export { createServer } from './server.ts';
export { createResourceStore, type ResourceStore, type StoreLimits, storeLimits } from './store.ts';
