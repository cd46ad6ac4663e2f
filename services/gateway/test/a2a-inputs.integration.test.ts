import { create } from '@bufbuild/protobuf';
import { approvals, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { APPROVAL, approval, fresh, ID, RUN, run, settled, storeOf, TurnOutcome, waiting } from './support/views.ts';

const INPUT = '5f6a1d5e-7a1b-4a52-8c1f-2d3e4f5a6b7c';
const done = { turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } };

const said = (text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId: 'm-1', taskId: ID, role: 'ROLE_USER', parts: [{ text }] } },
});

/** A task in the midst of which a server asks for one text. `before`: what was to be approved in its run; `authPrompt`: it waits for a token, too. */
function asking(first: boolean, before: readonly views.Approval[] = [], authPrompt = '') {
  const schemaJson = '{"type":"object","properties":{"account":{"type":"string"}}}';
  const input = create(views.PendingInputSchema, { id: INPUT, callId: 'c', server: 's', tool: 't', schemaJson, first });
  const view = fresh({ revision: 7, run: run(views.RunStatus.WAITING), pendingInputs: [input], authPrompt });
  const listApprovals = async ({ askedInRun = '' }) => ({
    approvals: before.filter(({ runId }) => runId === askedInRun),
    nextCursor: '',
  });
  return { store: { ...storeOf(view), listApprovals }, orchestrator: { provideInput: async () => done } };
}

describe('words, where a tool server asks for one text', () => {
  test('are the answer to the first thing that people are asked in a run, and the same when they come again', async () => {
    const { send, calls } = await gateway(asking(true));
    for (let time = 0; time < 2; time += 1) await send('POST', '/a2a', { body: said('savings') });
    const given = calls.filter(({ method }) => method === 'provideInput').map(({ request }) => request);
    const [first, again] = given as { readonly idempotency?: { readonly key: string } }[];
    expect(first).toMatchObject({
      inputId: INPUT,
      action: facts.InputAction.ACCEPT,
      contentJson: '{"account":"savings"}',
    });
    // Their identity is that of the message, not of the question: by then another one may wait.
    expect(first?.idempotency?.key).not.toContain(INPUT);
    expect(again?.idempotency).toEqual(first?.idempotency);
  });

  test.each([
    ['something else was asked before', asking(false)],
    ['something was to be approved before', asking(true, [approval({ runId: RUN })])],
  ])('are no answer where %s', async (_, script) => {
    const { send, calls } = await gateway(script);
    const { json } = await send('POST', '/a2a', { body: said('savings') });
    expect(calls.filter(({ method }) => method === 'provideInput')).toEqual([]);
    expect(JSON.stringify(json.result)).toContain('That answers nothing.');
    await send('POST', '/a2a', { body: said(`decline ${INPUT}`) });
    expect(calls.filter(({ method }) => method === 'provideInput')).toHaveLength(1);
  });
});

test('words that are no answer, as something else was asked before, still bring the token that is waited for', async () => {
  const { store, orchestrator } = asking(false, [], 'Bring a token.');
  const sendMessage = async () => done;
  const { send, calls } = await gateway({ store, orchestrator: { ...orchestrator, sendMessage } });
  await send('POST', '/a2a', { body: said('savings') });
  expect(calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(1);
});

test.each([`cancel ${APPROVAL}`, `no ${APPROVAL}`])('%j decides on the approval', async (words) => {
  const view = waiting([approval()], { pendingApprovalIds: [APPROVAL] });
  const { send, calls } = await gateway({ store: storeOf(view), approvals: { resolve: async () => done } });
  const { status } = await send('POST', '/a2a', { body: said(words) });
  expect(status).toBe(200);
  expect(calls.filter(({ method }) => method === 'resolve').map(({ request }) => request)).toMatchObject([
    { approvalId: APPROVAL, kind: approvals.DecisionKind.REJECT },
  ]);
});
