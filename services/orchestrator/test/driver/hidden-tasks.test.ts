import type { RemoteQuestion } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import type { DelegationRequest } from '../../src/delegation-port.ts';
import { TaskWatch } from '../../src/driver/delegations/task-watch.ts';
import { decide, second } from './asking-agent.ts';
import { done, Errand, peer, quiet } from './errands.ts';
import { HandClock } from './one-driver.ts';

/** An agent that shows a task to whom it made it for, and to all others that there is none. */
const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
const shown: RemoteQuestion = { key: 'w1', kind: 'approval', prompt: 'Really?' };
const asks = {
  kind: 'asks',
  task: { id: 'task-1', state: 'input-required' },
  text: '',
  questions: [shown],
  isIdempotent: false,
} as const;
const hidden = { kind: 'unknown', message: 'peer knows nothing of the task task-1' } as const;
const token = new Secret('s3cret');

async function asked(denial: typeof hidden | { readonly kind: 'repeatable' }): Promise<Errand> {
  const look = async ({ bearer }: DelegationRequest) => (bearer === undefined ? denial : asks);
  const script = { delegate: [asks], lookUp: Array(50).fill(look), answer: [done('Paid.')] };
  const errand = new Errand(node, script, [], true);
  await errand.first({ bearer: token }).ended;
  return errand;
}

test.each([hidden, { kind: 'repeatable' } as const])(
  'a task that is hidden from strangers is not gone: %j',
  async (denial) => {
    const errand = await asked(denial);
    const clock = new HandClock();
    const watch = new TaskWatch({
      ports: errand.watcher('second', ['second'], clock),
      definitions: {
        agent: async () => errand.agent,
        toolset: async () => new Map(),
        policy: async () => ({ rules: [] }),
      },
      load: async () => ({ state: errand.state }),
      resume: async () => undefined,
    });
    for (let round = 0; round < 40; round += 1) await watch.round().then(() => clock.pass(15_000));
    expect(errand.asked.length).toBeGreaterThan(3);
    expect(errand.all('approvalResolved')).toEqual([]);
    decide(errand);
    // Whoever goes on without the token waits for it.
    const stranger = second(errand);
    await quiet();
    await stranger.ended;
    expect([errand.names.slice(-2), errand.answered]).toEqual([['inputRequested', 'runReleased'], []]);
    expect(errand.all('toolCallInDoubt')).toEqual([]);
  },
);
