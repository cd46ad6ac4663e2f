import { create } from '@bufbuild/protobuf';
import { failedPrecondition, notFound } from '@stopgo/core';
import { approvals, envelope, facts, type orchestrator, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { APPROVAL, AT, approval, ID, OTHER_APPROVAL, settled, storeOf, TurnOutcome, waiting } from './support/views.ts';

const { DecisionKind } = approvals;

const PATH = `/approvals/${APPROVAL}`;
const decided = (decision: facts.Decision, status: views.ApprovalStatus) =>
  approval({ status, decision, decidedBy: 'ada', decidedSurface: 'rest', decidedAddress: '::1', decidedAt: AT });

const resolving = (
  outcome: orchestrator.TurnOutcome = TurnOutcome.SETTLED,
  view: views.ConversationView = settled('created'),
) => ({
  approvals: {
    resolve: async () => ({ turn: { outcome, view } }),
  },
  store: storeOf(view),
});
const asked = (call: { request: unknown } | undefined) => call?.request as approvals.ResolveRequest;

describe('deciding', () => {
  test.each([
    [{ approved: true }, DecisionKind.APPROVE],
    [{ action: 'Approve' }, DecisionKind.APPROVE],
    [{ answer: 'yes' }, DecisionKind.APPROVE],
    [{ approved: false }, DecisionKind.REJECT],
    [{ answer: 'DENY' }, DecisionKind.REJECT],
    [{ action: 'run_again' }, DecisionKind.RUN_AGAIN],
    [{ action: 'give_up' }, DecisionKind.GIVE_UP],
    [{ action: 'happened', result: 'it is there' }, DecisionKind.HAPPENED],
  ])('%j is passed on and answered with what the run came to', async (body, kind) => {
    const { send, calls } = await gateway(resolving());
    const { status, json } = await send('POST', `/approvals/${APPROVAL.toUpperCase()}`, { body });
    expect(status).toBe(200);
    expect(json.result.response).toBe('created');
    expect(json.conversation.id).toBe(ID);
    const result = 'result' in body ? body.result : '';
    expect(asked(calls[0])).toMatchObject({ approvalId: APPROVAL, kind, result, wait: { milliseconds: 5_000 } });
  });

  test('one of several answers with those that are left', async () => {
    const { send } = await gateway(resolving(TurnOutcome.WAITING, waiting()));
    const { json } = await send('POST', PATH, { body: { approved: true } });
    expect(json.result).toMatchObject({ waiting_approval: true, approvals: [{ uuid: APPROVAL }] });
  });

  test.each([
    ['an empty body', ''],
    ['an empty object', {}],
    ['null', 'null'],
    ['a list', [true]],
    ['a number for approved', { approved: 1 }],
    ['another word', { action: 'perhaps' }],
    ['an empty word', { answer: '' }],
    ['fields that disagree', { approved: true, action: 'reject' }],
    ['a result of an approval', { approved: true, result: 'x' }],
    ['a result that is too long', { action: 'happened', result: 'x'.repeat(256 * 1024 + 1) }],
    ['a name that is no text', { approved: true, by: 7 }],
    ['an empty name', { approved: true, by: ' ' }],
    ['a name of two lines', { approved: true, by: 'ada\nroot' }],
    ['a name that reads backwards', { approved: true, by: 'ada\u202e' }],
    ['a name that is too long', { approved: true, by: 'x'.repeat(129) }],
  ])('%s is 400 and changes nothing', async (_name, body) => {
    const { send, calls } = await gateway(resolving());
    const reply = await send('POST', PATH, { body });
    expect(reply.status).toBe(400);
    expect(reply.json.error).not.toBe('');
    expect(calls).toEqual([]);
  });

  test('who decides is taken from the header or the body as a claim, else nobody with an address', async () => {
    const { send, calls } = await gateway(resolving());
    await send('POST', PATH, { body: { approved: true } });
    await send('POST', PATH, { body: { approved: true, by: 'ada' } });
    await send('POST', PATH, { body: { approved: true }, headers: { 'X-Approver': 'ada' } });
    await send('POST', PATH, {
      body: { approved: true, by: 'Zoë' },
      headers: { 'X-Approver': Buffer.from('Zoë').toString('latin1') },
    });
    const actor = { kind: envelope.ActorKind.APPROVER, surface: 'rest', address: '127.0.0.1', claimed: true };
    expect(calls.map((call) => asked(call).actor)).toMatchObject([
      { ...actor, id: 'anonymous', claimed: false },
      { ...actor, id: 'ada' },
      { ...actor, id: 'ada' },
      { ...actor, id: 'Zoë' },
    ]);
    const both = await send('POST', PATH, { body: { approved: true, by: 'ada' }, headers: { 'X-Approver': 'eve' } });
    expect(both.status).toBe(400);
    expect((await send('POST', PATH, { body: { approved: true }, headers: { 'X-Approver': '' } })).status).toBe(400);
    expect(calls).toHaveLength(4);
  });

  test('somebody else was first: 409 with what was decided, by whom and when', async () => {
    const details = { reason: 'settled', decision: 'approved', decided_by: 'ada', decided_at: '2026-01-15T10:31:00Z' };
    const { send } = await gateway({
      approvals: {
        resolve: async () => {
          throw failedPrecondition('approval is settled: approved by ada', details);
        },
      },
    });
    const { status, json } = await send('POST', PATH, { body: { approved: true } });
    expect({ status, json }).toEqual({
      status: 409,
      json: { error: 'approval is settled: approved by ada', ...details },
    });
  });

  test('a decision that does not fit is 400 with the choices', async () => {
    const { send } = await gateway({
      approvals: {
        resolve: async () => {
          throw failedPrecondition('the call is in doubt', {
            reason: 'choice',
            choices: 'run_again, happened, give_up',
          });
        },
      },
    });
    const { status, json } = await send('POST', PATH, { body: { answer: 'yes' } });
    expect(status).toBe(400);
    expect(json.choices).toEqual(['run_again', 'happened', 'give_up']);
  });

  test('an id that is unknown or malformed is 404 with the same text', async () => {
    const unknown = () => {
      throw notFound('nothing here');
    };
    const { send } = await gateway({ approvals: { resolve: unknown }, store: { getApproval: unknown } });
    for (const id of [APPROVAL, 'abc', '..%2f..%2fsecret']) {
      const text = `no conversation found with approval UUID: ${decodeURIComponent(id)}`;
      for (const reply of [
        await send('POST', `/approvals/${id}`, { body: { approved: true } }),
        await send('GET', `/approvals/${id}`),
      ]) {
        expect({ status: reply.status, json: reply.json }).toEqual({ status: 404, json: { error: text } });
      }
    }
  });
});

describe('deciding on many', () => {
  const body = (...decisions: readonly object[]) => ({ body: { decisions, by: 'ada' } });

  test('answers each on its own: what is refused changes nothing for the others', async () => {
    const store = { getApproval: async () => ({ approval: approval() }) };
    const { send, calls } = await gateway({
      store: { ...storeOf(settled('created')), ...store },
      approvals: {
        resolve: async ({ approvalId }: approvals.ResolveRequest) => {
          if (approvalId === APPROVAL) throw failedPrecondition('it is settled', { reason: 'settled' });
          return { turn: { outcome: TurnOutcome.WORKING, view: settled('') } };
        },
      },
    });
    const said = [
      { uuid: APPROVAL, approved: true },
      { uuid: OTHER_APPROVAL, approved: false, reason: 'No.' },
    ];
    const { status, json } = await send('POST', '/approvals/decide', body(...said));
    expect(status).toBe(200);
    expect(json).toMatchObject({
      results: [
        { uuid: APPROVAL, status: 409, reason: 'settled' },
        { uuid: OTHER_APPROVAL, status: 200, approval: { uuid: APPROVAL } },
      ],
    });
    const asked = calls.filter(({ method }) => method.endsWith('resolve')).map(({ request }) => request);
    expect(asked).toMatchObject([
      { kind: DecisionKind.APPROVE, actor: { id: 'ada' } },
      { kind: DecisionKind.REJECT, said: 'No.', actor: { id: 'ada' } },
    ]);
  });

  test.each([
    ['no list', {}],
    ['an empty one', { decisions: [] }],
    ['one that names no approval', { decisions: [{ uuid: 'x', approved: true }] }],
    ['one that decides nothing', { decisions: [{ uuid: APPROVAL }] }],
    [
      'one twice',
      {
        decisions: [
          { uuid: APPROVAL, approved: true },
          { uuid: APPROVAL, approved: false },
        ],
      },
    ],
  ])('decides nothing where it is given %s', async (_, malformed) => {
    const { send, calls } = await gateway(resolving());
    expect((await send('POST', '/approvals/decide', { body: malformed })).status).toBe(400);
    expect(calls).toEqual([]);
  });
});

describe('reading', () => {
  test('a settled approval shows its decision', async () => {
    const settledOne = { ...decided(facts.Decision.WITHDRAWN, views.ApprovalStatus.WITHDRAWN), void: true };
    const { send } = await gateway({ store: { getApproval: async () => ({ approval: settledOne }) } });
    const { status, json } = await send('GET', PATH);
    expect(status).toBe(200);
    expect(json.approval).toMatchObject({
      uuid: APPROVAL,
      conversation_id: ID,
      tool_name: 'resources_add',
      tool_args: { name: 'x', value: 42 },
      status: 'withdrawn',
      decision: 'withdrawn',
      decided_by: 'ada',
      decided_at: '2026-01-15T10:30:00.000Z',
      void: true,
    });
  });

  test('lists pass their parameters on', async () => {
    const { send, calls } = await gateway({
      store: { listApprovals: async () => ({ approvals: [approval()], nextCursor: 'more' }) },
    });
    const { json } = await send('GET', `/approvals?status=pending&conversation=${ID.toUpperCase()}&limit=7&cursor=c`);
    expect(json).toMatchObject({ approvals: [{ uuid: APPROVAL, status: 'pending' }], next_cursor: 'more' });
    expect(calls[0]?.request).toMatchObject({
      status: views.ApprovalStatus.PENDING,
      conversationId: ID,
      limit: 7,
      cursor: 'c',
    });
  });

  test('lists are narrowed by what the parameters say; what waits for too long is overdue', async () => {
    const demand = create(facts.DemandSchema, { onExpiry: facts.OnExpiry.LEAVE });
    const waits = approval({ demand, expiresAt: AT });
    const found = [waits, approval({ expiresAt: AT }), { ...waits, status: views.ApprovalStatus.APPROVED }];
    const { send, calls } = await gateway({ store: { listApprovals: async () => ({ approvals: found }) } });
    const { json } = await send(
      'GET',
      '/approvals?tool=resources_add&server=resources&node=planner&requested_before=2026-01-15T11:30:00%2B01:00',
    );
    expect(json.approvals.map(({ overdue }: { overdue?: true }) => overdue)).toEqual([true, undefined, undefined]);
    const narrow = { tool: 'resources_add', server: 'resources', node: 'planner', requestedBefore: AT };
    expect(calls[0]?.request).toMatchObject(narrow);
    await send('GET', '/approvals?tool=fs_*&agent=tester&overdue=true');
    expect(calls[1]?.request).toMatchObject({ tool: '', toolPattern: 'fs_*', agent: 'tester', overdueAt: {} });
  });

  test('what waits is counted; what somebody may decide only of who is signed in', async () => {
    const counted = { waiting: 12, asked: 3, overdue: 1 };
    const { send, calls } = await gateway({ store: { countApprovals: async () => counted } });
    expect((await send('GET', '/approvals/counts')).json).toEqual({ counts: { waiting: 12, overdue: 1 } });
    expect(calls[0]?.request).toMatchObject({ at: expect.anything(), principal: '' });
    expect(calls[0]?.request).not.toHaveProperty('askedOf');
  });

  test('where nobody signs in, a name is claimed: of who is assigned, of who asks, and of who assigns', async () => {
    const assignment = { assignee: { key: 'claimed:ana', name: 'Ana', claimed: true }, by: 'bob' };
    const shown = approval({ assignment: create(views.ApprovalAssignmentSchema, assignment as never) });
    const { send, calls } = await gateway({
      store: { listApprovals: async () => ({ approvals: [shown] }), countApprovals: async () => ({ assigned: 2 }) },
      approvals: { assign: async () => ({ approval: shown }) },
    });
    const headers = { 'X-Approver': 'bob' };
    const { json } = await send('GET', '/approvals?assignee=Ana%20');
    const [found] = json.approvals;
    expect(found.assignee).toMatchObject({ name: 'Ana', claimed: true, assigned_by: { name: 'bob', claimed: true } });
    await send('GET', '/approvals?assignee=me', { headers });
    await send('GET', '/approvals?assignee=none');
    expect(calls.map(({ request }) => (request as unknown as { assignment: object }).assignment)).toEqual([
      { case: 'assignee', value: 'claimed:ana' },
      { case: 'assignee', value: 'claimed:bob' },
      { case: 'unassigned', value: true },
    ]);
    expect((await send('GET', '/approvals?assignee=me')).status).toBe(400);
    expect((await send('GET', '/approvals/counts', { headers })).json.counts).toMatchObject({ assigned_to_me: 2 });
    calls.length = 0;
    for (const body of [{ to: 'Ana' }, { to: ' me' }])
      expect((await send('POST', `${PATH}/assign`, { body, headers })).json.approval.assignee.name).toBe('Ana');
    await send('POST', `${PATH}/unassign`, { body: { by: 'bob' } });
    expect(calls.map(({ request }) => (request as approvals.AssignRequest).to)).toEqual([
      { case: 'name', value: 'Ana' },
      { case: 'self', value: true },
      { case: 'nobody', value: true },
    ]);
    expect(calls[2]?.request).toMatchObject({ approvalId: APPROVAL, actor: { id: 'bob', claimed: true } });
    for (const body of [{}, { to: ' ' }, { to: 7 }, { who: 'ana' }])
      expect((await send('POST', `${PATH}/assign`, { body })).status).toBe(400);
  });

  test.each([
    'requested_before=yesterday',
    'requested_before=2026-01-15',
    'requested_before=2026-13-15T10:30:00Z',
    'overdue=false',
    'may_decide=you',
    'may_decide=me',
    `tool=${'x'.repeat(513)}`,
  ])('a list with %s is refused', async (query) => {
    const { send, calls } = await gateway({ store: { listApprovals: async () => ({ approvals: [] }) } });
    const { status, json } = await send('GET', `/approvals?${query}`);
    expect([status, calls]).toEqual([400, []]);
    expect(json.error).toContain(`"${query.split('=')[0]}"`);
  });
});
