export { type OfflineModel, type OfflineModelOptions, startOfflineModel } from './server.ts';
