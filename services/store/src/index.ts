export { openStreamsMaxDefault } from './bounds.ts';
export type { Observation, Observe } from './observe.ts';
export { lockDirectory, openReadOnly, type RunningStore, type StoreOptions, startStore } from './start.ts';
export { isLeftUnhandledByNats, type NatsStoreOptions, secretsOfNatsUrl, startStoreOnNats } from './start-on-nats.ts';
