import { systemClock } from '@stopgo/log';
import { orchestrator } from '@stopgo/proto';
import { ANONYMOUS, bind, connectGrpc, createGrpcClient, type ServiceImpl, startGrpcServer } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { nudge } from '../src/nudge.ts';

type Resume = ServiceImpl<typeof orchestrator.OrchestratorService>['resumeRun'];

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const caller = { principal: ANONYMOUS, peerInternal: true, signal: new AbortController().signal };
/** Longer than a test may take: whoever waits for it is late. */
const waitMs = 60_000;
const decided = { conversationId: 'c', minRevision: 7, waitMs };
const never = () => new Promise<never>(() => undefined);

async function orchestratorThat(resumeRun: Resume) {
  const unused = never;
  const service = { createConversation: unused, sendMessage: unused, cancelRun: unused, resumeRun };
  const services = [bind(orchestrator.OrchestratorService, service)];
  const server = await startGrpcServer({ address: '127.0.0.1:0', services });
  undo.push(() => server.stop(0));
  const channel = connectGrpc(server.address);
  undo.push(() => channel.close());
  return {
    server,
    ports: { orchestrator: createGrpcClient(orchestrator.OrchestratorService, channel), clock: systemClock },
  };
}

test('a decision is not kept waiting by orchestrators that take the nudge and are silent', async () => {
  const { ports } = await orchestratorThat(never);
  expect(await nudge(ports, decided, caller)).toBeUndefined();
});

test('a decision is not kept waiting where no orchestrator is', async () => {
  const { server, ports } = await orchestratorThat(never);
  await server.stop(0);
  expect(await nudge(ports, decided, caller)).toBeUndefined();
});

test('an orchestrator that works on the run is waited for, however often it is asked for a sign meanwhile', async () => {
  let asked: () => void = () => undefined;
  const sign = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const { ports } = await orchestratorThat(async ({ wait, minRevision }) => {
    expect(minRevision).toBe(7);
    if (wait?.milliseconds === 0) asked();
    else await sign;
    const isSign = wait?.milliseconds === 0;
    return { turn: { outcome: isSign ? orchestrator.TurnOutcome.WORKING : orchestrator.TurnOutcome.SETTLED } };
  });
  expect((await nudge(ports, decided, caller))?.outcome).toBe(orchestrator.TurnOutcome.SETTLED);
});
