import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { openReadOnly } from '@stopgo/store';
import type { Acknowledged } from '../promises/acknowledged.ts';
import type { ModelRequest } from '../promises/model-process.ts';
import { readLog } from '../promises/read-log.ts';
import type { Witnessed } from '../promises/rules.ts';
import { openNatsLog } from './nats-log.ts';
import type { Life, World } from './world.ts';

/** All that is left of a world after its end, each part written by somebody else. */
export type Evidence = Witnessed & {
  /** By the model. */
  readonly modelRequests: readonly ModelRequest[];
  /** By the harness, in milliseconds since 1970. */
  readonly lives: readonly Life[];
  readonly deaths: readonly number[];
};

const silent = createLogger({ level: 'error', format: 'text', destination: { write: () => undefined } });

/** Reads the evidence of a world whose platform has ended. */
export async function collect(world: World, acknowledged: readonly Acknowledged[]): Promise<Evidence> {
  const { natsLog } = world;
  // Views made anew: they show that the log alone is enough.
  const running =
    natsLog === undefined
      ? await openReadOnly({ dataDir: world.dataDir, log: silent })
      : await openNatsLog({ ...natsLog, dataDir: join(world.folder, 'views-after') });
  try {
    const { conversations, agents, problems } = await readLog(
      createInProcessClient(store.StoreService, running.service),
    );
    return {
      conversations,
      agents,
      problems,
      toolRuns: world.toolRuns(),
      modelRequests: world.modelRequests(),
      acknowledged,
      lives: world.lives,
      deaths: world.deaths(),
    };
  } finally {
    await running.stop();
  }
}
