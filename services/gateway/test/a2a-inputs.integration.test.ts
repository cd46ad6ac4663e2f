import { create } from '@bufbuild/protobuf';
import { approvals, facts, store, views } from '@stopgo/proto';
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

describe('a file in a message to a task', () => {
  const part = { raw: 'aXRlbQ==', filename: 'a.csv', mediaType: 'text/csv' };
  const withFile = (...parts: readonly object[]) => {
    const { params, ...envelope } = said('');
    return { ...envelope, params: { message: { ...params.message, parts: [...parts, part] } } };
  };
  const file = { name: 'a.csv', mediaType: 'text/csv', bytes: Buffer.from('item') };
  const named = { data: { input_id: INPUT, action: 'accept' } };

  /** A task whose agent asks for a file. */
  function askingForFile(before: views.Approval[] = [], authPrompt = '') {
    const type = facts.InputType.FILE;
    const input = create(views.PendingInputSchema, { id: INPUT, callId: 'c', agent: 'reader', type, first: true });
    const view = fresh({ revision: 7, run: run(views.RunStatus.WAITING), pendingInputs: [input], authPrompt });
    const listApprovals = async () => ({ approvals: before, nextCursor: '' });
    return { store: { ...storeOf(view), listApprovals }, orchestrator: { provideInput: async () => done } };
  }
  /** Which keys of messages are on the record. */
  const knownKeys =
    (known: (keys: string[]) => string[] = () => []) =>
    async ({ idempotencyKeys = [] }: { readonly idempotencyKeys?: string[] }) =>
      create(store.LoadResponseSchema, {
        knownKeys: known(idempotencyKeys).map((idempotencyKey) => create(store.KnownKeySchema, { idempotencyKey })),
      });
  const given = (calls: Awaited<ReturnType<typeof gateway>>['calls']) =>
    calls.filter(({ method }) => method === 'provideInput').map(({ request }) => request);

  test('is the answer to the question that asks for one, with its bytes, name and type', async () => {
    const { send, calls } = await gateway(askingForFile());
    await send('POST', '/a2a', { body: withFile({ text: 'Here it is.' }) });
    await send('POST', '/a2a', { body: withFile(named) });
    const answer = { inputId: INPUT, action: facts.InputAction.ACCEPT, contentJson: '', file };
    expect(given(calls)).toMatchObject([answer, answer]);
  });

  test('that came late, after something else was asked, answers nothing unless it names its question', async () => {
    const { send, calls } = await gateway(askingForFile([approval({ runId: RUN })]));
    const { json } = await send('POST', '/a2a', { body: withFile() });
    expect(JSON.stringify(json.result)).toContain('That answers nothing.');
    expect(given(calls)).toEqual([]);
    await send('POST', '/a2a', { body: withFile(named) });
    expect(given(calls)).toMatchObject([{ inputId: INPUT, file }]);
  });

  test.each([
    ['nothing is asked', { store: storeOf(settled('done')) }],
    ['a decision is asked for', { store: storeOf(waiting([approval()], { pendingApprovalIds: [APPROVAL] })) }],
    ['a token is asked for, too', askingForFile([approval({ runId: RUN })], 'Bring a token.')],
  ])('is refused where %s, and nothing is lost without a word', async (_, script) => {
    const { send, calls } = await gateway({ ...script, store: { ...script.store, load: knownKeys() } });
    const { json } = await send('POST', '/a2a', { body: withFile({ text: 'Here it is.' }) });
    expect(json.error).toMatchObject({ code: -32005, message: expect.stringContaining('waits for no file') });
    expect(calls.filter(({ method }) => ['provideInput', 'sendMessage', 'resolve'].includes(method))).toEqual([]);
  });

  test('that was taken before is answered with the task as it stands', async () => {
    const { send } = await gateway({ store: { ...storeOf(settled('done')), load: knownKeys((keys) => keys) } });
    const { json } = await send('POST', '/a2a', { body: withFile() });
    expect(json.result).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
  });
});
