/** What the commands that look at the record do, loaded by those alone: with it comes the log's library, which takes half a second. */

export { graph } from '../graph/command.ts';
export { createUserOnRecord } from '../people.ts';
export { explainApproval } from '../policy/explain.ts';
export { testCall } from '../policy/test-call.ts';
export { backUp } from './backup.ts';
export { printEvents, printStreams } from './events.ts';
export { exportConversation } from './export.ts';
export { readHeads } from './heads.ts';
export { dataDirOf, withStore } from './open-store.ts';
export { printReplay } from './replay.ts';
export { verify } from './verify.ts';
