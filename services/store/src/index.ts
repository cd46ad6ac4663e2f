export { openStreamsMaxDefault } from './bounds.ts';
export type { Observation, Observe } from './observe.ts';
export { lockForServices, type RunningStore, type StoreOptions, startStore } from './start.ts';
export { copyLog, openReadOnly } from './start-read-only.ts';
