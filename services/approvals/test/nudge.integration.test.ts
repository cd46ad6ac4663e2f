import { connect, createServer, type Socket } from 'node:net';
import { anonymous } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { orchestrator } from '@stopgo/proto';
import { bind, connectGrpc, createGrpcClient, type ServiceImpl, startGrpcServer } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { nudge } from '../src/nudge.ts';

type Resume = ServiceImpl<typeof orchestrator.OrchestratorService>['resumeRun'];

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const caller = { principal: anonymous, peerInternal: true, signal: new AbortController().signal };
/** Longer than a test may take: whoever waits for it is late. */
const waitMs = 60_000;
const decided = { conversationId: 'c', minRevision: 7, waitMs, appended: [] };
const settled = { turn: { outcome: orchestrator.TurnOutcome.SETTLED } };

/** An orchestrator behind a line that can go dead as it does when the process is frozen: open, and nothing comes. */
async function orchestratorThat(resumeRun: Resume) {
  const never = () => new Promise<never>(() => undefined);
  const service = {
    createConversation: never,
    sendMessage: never,
    cancelRun: never,
    cancelStep: never,
    pauseRun: never,
    unpauseRun: never,
    provideInput: never,
    resumeRun,
    setPush: never,
    removePush: never,
    nudgeTask: never,
    listAgents: never,
  };
  const services = [bind(orchestrator.OrchestratorService, service)];
  const server = await startGrpcServer({ address: '127.0.0.1:0', services });
  undo.push(() => server.stop(0));
  const sockets = new Set<Socket>();
  let isDead = false;
  const line = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: Number(server.address.split(':')[1]) });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => void (isDead || to.write(chunk)));
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    line.close();
  });
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return {
    address: `127.0.0.1:${address.port}`,
    freeze: () => {
      isDead = true;
    },
  };
}

function portsTo(...orchestrators: readonly { readonly address: string }[]) {
  const channel = connectGrpc(orchestrators.map((one) => one.address).join(','));
  undo.push(() => channel.close());
  return { orchestrator: createGrpcClient(orchestrator.OrchestratorService, channel), clock: systemClock };
}

test('a decision is not kept waiting where no orchestrator is', async () => {
  expect(await nudge(portsTo({ address: '127.0.0.1:1' }), decided, caller)).toBeUndefined();
});

test('a decision is not kept waiting by the only orchestrator, frozen with the nudge', async () => {
  const one = await orchestratorThat(() => {
    one.freeze();
    return new Promise(() => undefined);
  });
  expect(await nudge(portsTo(one), decided, caller)).toBeUndefined();
});

test('the next one is told when the first is lost with the nudge, whichever it is', async () => {
  let told = 0;
  const orchestrators = await Promise.all(
    [0, 1].map(async (index) => {
      const one = await orchestratorThat(async ({ minRevision }) => {
        expect(minRevision).toBe(7);
        told += 1;
        if (told === 2) return settled;
        orchestrators[index]?.freeze();
        return new Promise(() => undefined);
      });
      return one;
    }),
  );
  const turn = await nudge(portsTo(...orchestrators), decided, caller);
  expect([turn?.outcome, told]).toEqual([orchestrator.TurnOutcome.SETTLED, 2]);
});
