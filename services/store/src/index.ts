export { lockDirectory } from './adapters/sqlite/data-directory.ts';
export { openStreamsMaxDefault } from './bounds.ts';
export type { Observation, Observe } from './observe.ts';
export { openReadOnly, type RunningStore, type StoreOptions, startStore } from './start.ts';
export { type NatsStoreOptions, secretsOfNatsUrl, startStoreOnNats } from './start-on-nats.ts';
