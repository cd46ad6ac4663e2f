import {
  conversationStream,
  DomainError,
  decodeEvent,
  encodeSnapshot,
  type Fact,
  fact,
  fold,
  foldVersion,
  initialState,
} from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { approvals, envelope, facts, orchestrator, store } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import { approvalsService } from '../src/index.ts';

const [conversationId, runId, approvalId] = [1, 2, 3].map((last) => `00000000-0000-4000-8000-00000000000${last}`) as [
  string,
  string,
  string,
];
const callId = 'root#1.0';
const waiting: readonly Fact[] = [
  fact('conversationCreated', { conversationId, agentName: 'demo' }),
  fact('userMessageReceived', { runId, text: 'go' }),
  fact('runStarted', { runId, agentDigest: 'a', toolsetDigest: 't' }),
  fact('stepStarted', { runId, stepId: 'root', nodeType: 'llm', node: 'demo' }),
  fact('modelResponded', {
    ...{ runId, stepId: 'root', turn: 1 },
    calls: [
      {
        callId,
        tool: 'erase',
        server: 'files',
        pin: 'p',
        digest: 'd',
        disposition: facts.Disposition.GATED,
        argumentsJson: '{}',
      },
    ],
  }),
  fact('approvalRequested', { approvalId, runId, stepId: 'root', callId, tool: 'erase', server: 'files', digest: 'd' }),
];

const nobody = (): Promise<never> => Promise.reject(new DomainError('unavailable', 'nobody answers'));
const nobodyOf = (methods: readonly { readonly localName: string }[]) =>
  Object.fromEntries(methods.map(({ localName }) => [localName, nobody]));

/** A service over a log in memory, and what it has recorded. */
function service(before: readonly Fact[] = waiting) {
  let state = initialState;
  const recorded: Fact[] = [];
  const add = (all: readonly Fact[], id: string) => {
    for (const one of all) {
      const actor = { kind: 'approver', id } as const;
      const place = { stream: conversationStream(conversationId), revision: state.revision + 1, eventId: 'e', time: 1 };
      state = fold(state, [{ ...place, actor, causationId: '', correlationId: '', fact: one }]);
    }
  };
  add(before, '');
  const load = async () => ({
    ...{ conversationId, revision: state.revision, snapshot: encodeSnapshot(state), foldVersion, knownKeys: [] },
  });
  const impl = {
    ...nobodyOf(store.StoreService.methods),
    load,
    loadConversation: load,
    append: async (request: store.AppendRequest) => {
      for (const event of request.events) {
        const { fact: one, actor } = decodeEvent(event, request.stream, state.revision + 1);
        recorded.push(one);
        add([one], actor.id);
      }
      return { outcome: { case: 'appended', value: { revision: state.revision } } };
    },
    getConversation: async () => ({ view: { head: { id: conversationId, revision: state.revision } } }),
  };
  const client = createInProcessClient(store.StoreService, impl as unknown as ServiceImpl<typeof store.StoreService>);
  const away = nobodyOf(orchestrator.OrchestratorService.methods) as unknown;
  const given = {
    instance: 'approvals',
    store: client,
    orchestrator: createInProcessClient(
      orchestrator.OrchestratorService,
      away as ServiceImpl<typeof orchestrator.OrchestratorService>,
    ),
    clock: systemClock,
    newId: () => '00000000-0000-4000-8000-000000000009',
    random: () => 0,
  };
  return {
    recorded,
    client: createInProcessClient(approvals.ApprovalsService, approvalsService(given)),
    now: () => state,
  };
}

describe('the like of a call', () => {
  test('is let run by whoever is named, and taken back', async () => {
    const { client, recorded, now } = service();
    const actor = { kind: envelope.ActorKind.APPROVER, id: 'ada' };
    const { view } = await client.grantStanding({ approvalId, actor });
    expect(view?.head?.id).toBe(conversationId);
    expect(now().standing).toMatchObject([{ approvalId, server: 'files', tool: 'erase', pin: 'p', by: 'ada' }]);
    const [{ id: standingId } = { id: '' }] = now().standing ?? [];
    await client.revokeStanding({ conversationId, standingId, actor });
    expect(now().standing).toBeUndefined();
    expect(recorded.map((one) => one.case)).toEqual(['standingApprovalGranted', 'standingApprovalRevoked']);
  });

  test('is granted once', async () => {
    const { client, recorded } = service();
    await client.grantStanding({ approvalId, sameArguments: true });
    await client.grantStanding({ approvalId, sameArguments: true });
    expect(recorded).toHaveLength(1);
  });

  test('is not granted once the run is over', async () => {
    const { client, recorded } = service([...waiting, fact('runCanceled', { runId })]);
    const refused = client.grantStanding({ approvalId });
    await expect(refused).rejects.toMatchObject({ kind: 'failed_precondition', details: { reason: 'past' } });
    expect(recorded).toEqual([]);
  });

  test('that does not stand cannot be taken back', async () => {
    const { client } = service();
    const refused = client.revokeStanding({ conversationId, standingId: approvalId });
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(refused).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('is nobody else’s business', async () => {
    const { client } = service();
    const principal = {
      kind: 'user',
      id: '1',
      email: 'e@x',
      name: 'e',
      role: 'USER',
      groups: [],
      via: 'token',
    } as const;
    await expect(client.grantStanding({ approvalId }, { context: { principal } })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});
