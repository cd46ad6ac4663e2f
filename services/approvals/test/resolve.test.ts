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
  type Principal,
  type RecordedFact,
} from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { approvals, facts, orchestrator, store, views } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import { approvalsService } from '../src/index.ts';

const [conversationId, runId, approvalId] = [1, 2, 3].map((last) => `00000000-0000-4000-8000-00000000000${last}`) as [
  string,
  string,
  string,
];

function recorded(all: readonly Fact[]): RecordedFact[] {
  return all.map((one, index) => ({
    stream: conversationStream(conversationId),
    revision: index + 1,
    eventId: `e${index}`,
    time: 1_000,
    actor: { kind: 'system', id: 'o' },
    causationId: '',
    correlationId: '',
    fact: one,
  }));
}

const asked = [
  fact('conversationCreated', { conversationId, agentName: 'agent' }),
  fact('userMessageReceived', { runId, text: 'create a server' }),
  fact('runStarted', { runId }),
  fact('approvalRequested', { approvalId, runId, callId: 'call', tool: 'add', kind: facts.ApprovalKind.TOOL }),
];
const approved = fact('approvalResolved', { approvalId, runId, callId: 'call', decision: facts.Decision.APPROVED });
const idempotency = { key: 'mine', requestDigest: 'digest' };

const nobody = (): Promise<never> => Promise.reject(new DomainError('unavailable', 'nobody answers'));

/** The service over a store that answers as it is told to, and an orchestrator that is not there, unless it is given. */
function service(
  answers: Partial<ServiceImpl<typeof store.StoreService>>,
  orchestrates: Partial<ServiceImpl<typeof orchestrator.OrchestratorService>> = {},
) {
  const methods = store.StoreService.methods.map(({ localName }) => [localName, nobody]);
  const impl = { ...Object.fromEntries(methods), ...answers } as ServiceImpl<typeof store.StoreService>;
  const away = {
    createConversation: nobody,
    sendMessage: nobody,
    cancelRun: nobody,
    cancelStep: nobody,
    pauseRun: nobody,
    unpauseRun: nobody,
    provideInput: nobody,
    resumeRun: nobody,
    setPush: nobody,
    removePush: nobody,
    nudgeTask: nobody,
    listAgents: nobody,
    ...orchestrates,
  };
  const given = {
    instance: 'approvals',
    store: createInProcessClient(store.StoreService, impl),
    orchestrator: createInProcessClient(orchestrator.OrchestratorService, away),
    clock: systemClock,
    newId: () => '00000000-0000-4000-8000-000000000009',
    random: () => 0,
  };
  return createInProcessClient(approvals.ApprovalsService, approvalsService(given));
}

const loaded = (all: readonly Fact[], ...knownKeys: { idempotencyKey: string; requestDigest: string }[]) => {
  const state = fold(initialState, recorded(all));
  const revisions = { firstRevision: state.revision, lastRevision: state.revision };
  return async () => ({
    conversationId,
    revision: state.revision,
    snapshot: encodeSnapshot(state),
    foldVersion,
    knownKeys: knownKeys.map((one) => ({ ...one, ...revisions })),
  });
};

const decision = { approvalId, kind: approvals.DecisionKind.APPROVE, idempotency };

test('a decision that is recorded already is answered though nobody can tell more: the run goes on', async () => {
  const known = { idempotencyKey: 'client:mine', requestDigest: 'digest' };
  const { turn } = await service({ load: loaded([...asked, approved], known) }).resolve(decision);
  expect(turn?.outcome).toBe(orchestrator.TurnOutcome.WORKING);
  expect(turn?.view?.head).toMatchObject({ id: conversationId, revision: 5, run: { id: runId } });
});

test('so is the first one, as it stands in the log', async () => {
  let appended = 0;
  const append = async (request: store.AppendRequest) => {
    appended += request.events.length;
    return { outcome: { case: 'appended', value: { revision: 5 } } } as const;
  };
  const { turn } = await service({ load: loaded(asked), append }).resolve(decision);
  expect(turn?.outcome).toBe(orchestrator.TurnOutcome.WORKING);
  expect(turn?.view?.head).toMatchObject({
    id: conversationId,
    revision: 5,
    status: views.ConversationStatus.ACTIVE,
    pendingApprovalIds: [],
  });
  expect(appended).toBe(1);
});

test('a refusal never rests on a state that may be an older one', async () => {
  const [before, now] = [loaded(asked.slice(0, 3)), loaded(asked)];
  const lags: boolean[] = [];
  const load = (request: store.LoadRequest) => {
    lags.push(request.mayLag);
    return request.mayLag ? before() : now();
  };
  const append = async ({ expectedRevision }: store.AppendRequest) => {
    expect(expectedRevision).toBe(asked.length);
    return { outcome: { case: 'appended', value: { revision: 5 } } } as const;
  };
  const { turn } = await service({ load, append }).resolve(decision);
  expect(turn?.view?.head?.revision).toBe(5);
  expect(lags).toEqual([true, false]);
});

test('the orchestrator is told what was appended, as the log has it', async () => {
  const told: orchestrator.ResumeRunRequest[] = [];
  const append = async () => ({ outcome: { case: 'appended', value: { revision: 5 } } }) as const;
  const resumeRun = async (request: orchestrator.ResumeRunRequest) => {
    told.push(request);
    return { turn: { outcome: orchestrator.TurnOutcome.SETTLED } };
  };
  await service({ load: loaded(asked), append }, { resumeRun }).resolve(decision);
  expect(told.map(({ minRevision }) => minRevision)).toEqual([5]);
  const [resolved] = (told[0]?.appended ?? []).map((event) => decodeEvent(event, 'conversation', 5));
  expect(resolved?.fact).toMatchObject({ case: 'approvalResolved', value: { approvalId, runId, callId: 'call' } });
  expect(resolved?.time).toBeGreaterThan(0);
});

type Said = { readonly kind?: approvals.DecisionKind; readonly decision?: facts.Decision; readonly result?: string };

/** What is recorded of a request; the approval is of a call, or of one in doubt. */
async function recordedOf(request: Said, kind: facts.ApprovalKind) {
  const told: orchestrator.ResumeRunRequest[] = [];
  const append = async () => ({ outcome: { case: 'appended', value: { revision: 5 } } }) as const;
  const resumeRun = async (one: orchestrator.ResumeRunRequest) => {
    told.push(one);
    return { turn: { outcome: orchestrator.TurnOutcome.SETTLED } };
  };
  const choices = kind === facts.ApprovalKind.IN_DOUBT ? ['run_again', 'happened', 'give_up'] : ['approve', 'reject'];
  const requested = fact('approvalRequested', { approvalId, runId, callId: 'call', tool: 'add', kind, choices });
  const load = loaded([...asked.slice(0, 3), requested]);
  await service({ load, append }, { resumeRun }).resolve({ approvalId, ...request });
  const [resolved] = (told[0]?.appended ?? []).map((event) => decodeEvent(event, 'conversation', 5).fact);
  return resolved?.case === 'approvalResolved' ? [resolved.value.decision, resolved.value.result] : undefined;
}

const { Decision, ApprovalKind } = facts;
const { DecisionKind } = approvals;

test.each([
  ['APPROVE', ApprovalKind.TOOL, Decision.APPROVED],
  ['REJECT', ApprovalKind.TOOL, Decision.REJECTED],
  ['REJECT', ApprovalKind.IN_DOUBT, Decision.GIVE_UP],
  ['RUN_AGAIN', ApprovalKind.IN_DOUBT, Decision.RUN_AGAIN],
  ['GIVE_UP', ApprovalKind.IN_DOUBT, Decision.GIVE_UP],
] as const)('%s to an approval of kind %i is recorded as %i', async (kind, of, decided) => {
  expect(await recordedOf({ kind: DecisionKind[kind], result: 'said beside' }, of)).toEqual([decided, '']);
});

test('what happened is recorded with what it came to', async () => {
  const said = { kind: DecisionKind.HAPPENED, result: 'it was paid' };
  expect(await recordedOf(said, ApprovalKind.IN_DOUBT)).toEqual([Decision.HAPPENED, 'it was paid']);
});

test.each([
  ['APPROVED', ApprovalKind.TOOL],
  ['REJECTED', ApprovalKind.TOOL],
  ['RUN_AGAIN', ApprovalKind.IN_DOUBT],
  ['HAPPENED', ApprovalKind.IN_DOUBT],
  ['GIVE_UP', ApprovalKind.IN_DOUBT],
] as const)('%s of a gateway of the release before is understood', async (decision, of) => {
  expect(await recordedOf({ decision: Decision[decision] }, of)).toEqual([Decision[decision], '']);
});

test('where both are said, the new field counts', async () => {
  const both = { kind: DecisionKind.REJECT, decision: Decision.APPROVED };
  expect(await recordedOf(both, ApprovalKind.TOOL)).toEqual([Decision.REJECTED, '']);
});

test.each([
  ['nothing', {}],
  ['what only the platform decides', { decision: Decision.EXPIRED }],
  ['that under the new field', { kind: 4 as approvals.DecisionKind }],
  ['a number of another release', { kind: 99 as approvals.DecisionKind, decision: Decision.APPROVED }],
])('%s is no decision of a person', async (_, request) => {
  const answer = service({ load: loaded(asked) }).resolve({ approvalId, ...request });
  await expect(answer).rejects.toMatchObject({ kind: 'invalid_argument' });
});

test('a decision that may not have been recorded is not called so', async () => {
  await expect(service({}).resolve(decision)).rejects.toMatchObject({ kind: 'unavailable' });
});

describe('whose approval it is, is asked here as well', () => {
  const owned = [
    fact('conversationCreated', { conversationId, agentName: 'agent', principal: 'user:ana' }),
    ...asked.slice(1),
  ];
  const user = (id: string, more: Partial<Extract<Principal, { kind: 'user' }>> = {}): Principal => ({
    ...{ kind: 'user', id, email: `${id}@x.example`, name: id, role: 'USER', groups: [], via: 'token' },
    ...more,
  });
  /** What an approval without a demand shows, and one that asks for finance. */
  const approval = (...groups: readonly string[]) => ({
    ...{ id: approvalId, conversationId, requester: 'user:ana' },
    ...(groups.length === 0
      ? {}
      : { demand: { approvers: groups.map((value) => ({ who: { case: 'group' as const, value } })), votes: 1 } }),
  });
  /** What is recorded, and how it is answered. */
  async function said(principal: Principal, shown = approval()) {
    let appended = 0;
    const append = async (request: store.AppendRequest) => {
      appended += request.events.length;
      return { outcome: { case: 'appended', value: { revision: 5 } } } as const;
    };
    const client = service({ load: loaded(owned), append, getApproval: async () => ({ approval: shown }) });
    const answer = await client.resolve(decision, { context: { principal } }).then(
      () => 'taken',
      (error: DomainError) => error.kind,
    );
    return [answer, appended];
  }

  test.each<[string, Principal, readonly ReturnType<typeof approval>[], string]>([
    ['the owner', user('ana'), [], 'taken'],
    ['an administrator', user('boss', { role: 'ADMIN' }), [], 'taken'],
    ['where nobody signs in, anybody', { kind: 'anonymous' }, [], 'taken'],
    ['who is asked', user('carl', { groups: ['finance'] }), [approval('finance')], 'taken'],
    ['somebody else', user('bob'), [], 'not_found'],
    ['who is not asked', user('bob', { groups: ['sales'] }), [approval('finance')], 'not_found'],
    ['the owner with a key that only reads', user('ana', { scopes: ['read'] }), [], 'permission_denied'],
    ['who has not signed in', { kind: 'nobody' }, [], 'permission_denied'],
    ['who sets up', { kind: 'setup', keyId: 'k' }, [], 'permission_denied'],
  ])('%s', async (_, principal, shown, answer) => {
    expect(await said(principal, ...shown)).toEqual([answer, answer === 'taken' ? 1 : 0]);
  });
});
