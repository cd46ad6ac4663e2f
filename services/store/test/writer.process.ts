// A store of its own that is killed at any moment: appends turns to a few conversations and prints what was
// acknowledged, one line per append. Arguments: data directory, number of conversations.
import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { DomainError } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { startStore } from '../src/index.ts';
import { silent } from './sqlite-log.ts';
import { Story } from './story.ts';

const [dataDir = '', writers = '1'] = process.argv.slice(2);

/** Hands a line over before it returns, so that nothing that is said is lost to the kill. */
function say(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The pipe is full: the test has not read it yet.
      if ((error as { code?: string }).code !== 'EAGAIN') throw error;
    }
  }
}

try {
  const { service } = await startStore({ dataDir, log: silent });
  const client = createInProcessClient(store.StoreService, service);
  // The lock must hold although nothing here can reach it any more.
  setFlagsFromString('--expose-gc');
  for (let round = 0; round < 3; round++) {
    runInNewContext('gc')();
    await new Promise((resolve) => setImmediate(resolve));
  }
  say('ready');
  const write = async () => {
    for (;;) {
      const story = new Story();
      for (const append of [story.created(), ...story.turn(), ...story.turn()]) {
        try {
          const { outcome } = await client.append(append);
          if (outcome.case === 'appended')
            say(`acked ${append.stream} ${outcome.value.revision} ${append.idempotencyKey}`);
          else throw new Error(`not appended but ${outcome.case}`);
        } catch (error) {
          const { kind, details } = error as { readonly kind?: string; readonly details?: DomainError['details'] };
          say(['failed', kind, details?.reason, details?.recorded].filter((word) => word !== undefined).join(' '));
          await new Promise((resolve) => setImmediate(resolve));
          break;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Number(writers) }, write));
} catch (error) {
  say(`refused ${(error as Error).message}`);
  process.exit(1);
}
