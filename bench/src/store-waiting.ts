import { randomUUID } from 'node:crypto';
import { storeLog } from '@stopgo/log';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { readExample, storeLike } from './services/loader.ts';
import { destructive } from './turn.ts';

/** Conversations that are stored at the same time. */
const atOnce = 64;

/**
 * Stores so many conversations (one or more) like the example, which waits for an approval, in a data directory that no process uses.
 * They are written as an orchestrator writes them, without HTTP and the model. Gives the approval that one of them waits for.
 */
export async function storeWaiting(dataDir: string, example: string, count: number): Promise<string> {
  const running = await startStore({
    dataDir,
    log: createLogger({ level: 'warn', format: 'text', destination: process.stderr }),
  });
  const failed = new AbortController();
  try {
    const log = storeLog(createInProcessClient(store.StoreService, running.service, { caller: 'orchestrator' }));
    const like = await readExample(log, example);
    const driver = { log, instance: `bench-${randomUUID()}`, signal: failed.signal };
    let [next, last] = [0, ''];
    const work = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const words = { message: destructive(String(index)), note: `note-${index}:` };
        last = (await storeLike(like, words, driver)).approval ?? last;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return last;
  } finally {
    failed.abort();
    await running.stop();
  }
}
