import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bankConfig } from './bank.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';

/** Rules that allow, ask and deny, and what people approve for the rest of a conversation: in one process and in many. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  platform = await start(
    place,
    bankConfig(
      place,
      tools,
      `
approvals:
  rules:
    - { name: small, tool: pay, when: args.amount < 10.0 && run.calls_of_tool < 2, verdict: allow }
    - { name: never, tool: pay, when: args.amount > 1000.0, verdict: deny, reason: Not with this card. }
    - { name: look, tool: whoami, verdict: ask }
`,
    ),
    { env: model.env },
  );
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
});

beforeEach(() => {
  tools.calls.length = 0;
});

const send = (method: string, path: string, body?: object) =>
  sendJson(new URL(path, platform.url), method, { 'x-approver': 'ann' }, body);

type Asked = { readonly name: string; readonly args?: Readonly<Record<string, unknown>> };

const done = { text: 'That is that.' };

/** The model asks for these calls, and once they are done it has nothing more to say; if they wait, that is for later. */
async function says(path: string, how: 'goes on' | 'waits', ...calls: readonly Asked[]) {
  await model.script({ match: 'go', calls }, ...(how === 'waits' ? [] : [done]));
  return (await send('POST', path, { message: 'go' })).json;
}

const pay = (amount: number): Asked => ({ name: 'pay', args: { amount } });
const called = () => tools.calls.map(({ tool }) => tool);

test('what a rule allows runs unasked, and no more of it than the rule says', async () => {
  const { result, conversation } = await says('/conversations', 'waits', pay(1), pay(2), pay(3));
  expect(called()).toEqual(['pay', 'pay']);
  expect(result.approval).toMatchObject({ status: 'pending', reason: 'the tool is destructive' });
  const { json } = await send('GET', `/approvals?conversation=${conversation.id}`);
  const decided = json.approvals.map((one: { status: string; by_policy?: boolean }) => [one.status, one.by_policy]);
  expect(decided.sort()).toEqual([
    ['approved', true],
    ['approved', true],
    ['pending', undefined],
  ]);
});

test('what a rule denies does not run, and the model is told why', async () => {
  await says('/conversations', 'goes on', pay(5_000));
  expect(called()).toEqual([]);
  expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain('Not with this card.');
});

test('a tool that only reads waits if a rule asks', async () => {
  const { result } = await says('/conversations', 'waits', { name: 'whoami' });
  expect(result.approval).toMatchObject({ reason: 'rule "look" wants a person to decide' });
  expect(called()).toEqual([]);
  await model.script(done);
  await send('POST', `/approvals/${result.approval.uuid}`, { approved: true });
  expect(called()).toEqual(['whoami']);
});

test('what is approved for the rest of the conversation runs unasked, until it is taken back', async () => {
  const { result, conversation } = await says('/conversations', 'waits', pay(50));
  const { uuid } = result.approval;
  const granted = await send('POST', `/approvals/${uuid}/standing`, { arguments: 'any' });
  expect(granted.status).toBe(200);
  const [standing] = granted.json.conversation.standing_approvals;
  expect(standing).toMatchObject({ approval_id: uuid, server: 'bank', tool: 'pay', granted_by: 'ann' });
  expect(called(), 'that decides nothing of the call itself').toEqual([]);
  await model.script(done);
  await send('POST', `/approvals/${uuid}`, { approved: true });
  const messages = `/conversations/${conversation.id}/messages`;
  expect((await says(messages, 'goes on', pay(60))).result.approval).toBeUndefined();
  expect(called()).toEqual(['pay', 'pay']);
  const revoked = await send('POST', `/conversations/${conversation.id}/standing/${standing.id}/revoke`, {});
  expect(revoked.status).toBe(200);
  expect((await says(messages, 'waits', pay(70))).result.approval).toMatchObject({ status: 'pending' });
  expect(called()).toEqual(['pay', 'pay']);
});
