import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bankConfig, signsIn } from './bank.ts';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** Rules that say who decides, how many of them and until when, with people who sign in: in one process and in many. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  const jwt = await jwtTaken(place.folder);
  platform = await start(
    place,
    bankConfig(
      place,
      tools,
      `${signsIn(jwt)}
approvals:
  rules:
    - name: brief
      tool: pay
      when: "has(args.brief)"
      verdict: ask
      approvers: ["group:finance"]
      expires: { after: 1s, then: reject }
    - name: payments
      tool: pay
      verdict: ask
      reason: Payments need two of finance.
      approvers: 2 of [group:finance]
      separation_of_duties: true
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

const as = async (name: string, ...groups: readonly string[]) =>
  bearer(await tokenOf(`${name}@x.example`, { groups: [...groups] }));

const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  sendJson(new URL(path, platform.url), method, headers, body);

/** Ana of finance asks for a payment: its conversation, and the approval that it waits for. */
async function asked(args: Readonly<Record<string, unknown>> = {}) {
  await model.script({ match: 'pay', calls: [{ name: 'pay', args }] }, { text: 'That is that.' });
  const { json } = await send('POST', '/conversations', await as('ana', 'finance'), { message: 'pay' });
  return { conversation: json.conversation.id as string, approval: json.result.approval.uuid as string };
}

test('two of finance decide, but not who asked, and nobody twice; the call runs once', async () => {
  const { conversation, approval } = await asked();
  const path = `/approvals/${approval}`;
  const yes = { approved: true };
  const [ana, bob, carl, dora] = [
    await as('ana', 'finance'),
    await as('bob', 'sales'),
    await as('carl', 'finance'),
    await as('dora', 'finance'),
  ];
  const shown = (await send('GET', path, ana)).json.approval;
  expect(shown).toMatchObject({
    ...{ reason: 'Payments need two of finance.', approvers: ['group:finance'], votes_needed: 2, votes: [] },
    separation_of_duties: true,
  });
  // Who is not asked does not even see it.
  for (const method of ['GET', 'POST'])
    expect((await send(method, path, bob, method === 'GET' ? undefined : yes)).status).toBe(404);
  // Carl and Dora find it among what waits for them; Ana, who asked for it, and Bob do not.
  const inbox = async (who: Readonly<Record<string, string>>) => {
    const { json } = await send('GET', '/approvals?may_decide=me&tool=pay', who);
    return json.approvals.map(({ uuid }: { uuid: string }) => uuid);
  };
  for (const who of [carl, dora])
    await until('it is listed', async () => ((await inbox(who)).join() === approval ? true : undefined));
  expect(await inbox(ana)).toEqual([]);
  expect(await inbox(bob)).toEqual([]);
  // The counts are those of the lists: Ana has what she must not decide, Carl what is somebody else's.
  const counts = async (who: Readonly<Record<string, string>>) =>
    (await send('GET', '/approvals/counts', who)).json.counts;
  expect(await counts(ana)).toMatchObject({ waiting: 1, may_decide: 0, overdue: 0 });
  expect(await counts(carl)).toMatchObject({ waiting: 0, may_decide: 1, overdue: 0 });
  expect(await counts(bob)).toMatchObject({ waiting: 0, may_decide: 0, overdue: 0 });
  expect((await send('GET', '/approvals', carl)).json.approvals).toEqual([]);
  const own = await send('POST', path, ana, yes);
  expect([own.status, own.json]).toEqual([403, expect.objectContaining({ reason: 'not_entitled' })]);
  expect(own.json.error).toContain('asked for it');

  // Who is asked sees the call, and nothing else of the conversation.
  expect((await send('GET', path, carl)).status).toBe(200);
  expect((await send('GET', `/conversations/${conversation}`, carl)).status).toBe(404);
  const first = await send('POST', path, carl, yes);
  expect([first.status, Object.keys(first.json)]).toEqual([200, ['approval']]);
  expect(first.json.approval).toMatchObject({
    status: 'pending',
    votes: [{ by: 'carl@x.example', claimed: false, decision: 'approved', entitled_by: 'group finance' }],
  });
  expect(tools.calls).toEqual([]);
  // What Carl has said yes to waits for others.
  await until('it waits for others', async () => ((await inbox(carl)).length === 0 ? true : undefined));
  expect(await inbox(dora)).toEqual([approval]);
  expect([await counts(carl), await counts(dora)]).toMatchObject([{ may_decide: 0 }, { may_decide: 1 }]);
  const again = await send('POST', path, carl, yes);
  expect([again.status, again.json.reason, again.json.missing]).toEqual([409, 'voted', '1']);
  expect(tools.calls).toEqual([]);

  expect((await send('POST', path, dora, yes)).status).toBe(200);
  await until('the run is over', async () => {
    const { json } = await send('GET', `/conversations/${conversation}`, ana);
    return json.conversation.run.status === 'completed' ? true : undefined;
  });
  expect(tools.calls.map(({ tool }) => tool)).toEqual(['pay']);
  const decided = (await send('GET', path, ana)).json.approval;
  expect(decided).toMatchObject({
    status: 'approved',
    decided_by_identity: { name: 'dora@x.example', claimed: false },
  });
  expect(decided.votes.map(({ by }: { by: string }) => by)).toEqual(['carl@x.example', 'dora@x.example']);
});

test('of many who vote at the same time two decide, and the call runs once', async () => {
  const { conversation, approval } = await asked();
  const people = await Promise.all(['carl', 'dora', 'eve', 'fred', 'gil'].map((name) => as(name, 'finance')));
  const answers = await Promise.all(
    people.map((who) => send('POST', `/approvals/${approval}`, who, { approved: true })),
  );
  const taken = answers.filter(({ status }) => status === 200 || status === 202);
  expect(taken).toHaveLength(2);
  for (const { status, json } of answers.filter((one) => !taken.includes(one)))
    expect([status, json.reason]).toEqual([409, 'settled']);
  await until('the run is over', async () => {
    const { json } = await send('GET', `/conversations/${conversation}`, await as('ana', 'finance'));
    return json.conversation.run.status === 'completed' ? true : undefined;
  });
  expect(tools.calls).toHaveLength(1);
  const { json } = await send('GET', `/approvals/${approval}`, people[0] ?? {});
  expect(json.approval.votes).toHaveLength(2);
});

test('one no ends it; why is told to the model, and the run goes on', async () => {
  const { conversation, approval } = await asked();
  const carl = await as('carl', 'finance');
  await send('POST', `/approvals/${approval}`, carl, { approved: false, reason: 'The budget is used up.' });
  const done = await until('the run is over', async () => {
    const { json } = await send('GET', `/conversations/${conversation}`, await as('ana', 'finance'));
    return json.conversation.run.status === 'completed' ? json.conversation : undefined;
  });
  expect(JSON.stringify(done.messages)).toContain('That is that.');
  expect(JSON.stringify(await model.requests())).toContain('Reason: The budget is used up.');
  expect(tools.calls).toEqual([]);
});

test('what nobody decides in time is over: the call does not run, and the model is told', async () => {
  const { conversation, approval } = await asked({ brief: true });
  const ana = await as('ana', 'finance');
  await until('it has expired', async () => {
    const { json } = await send('GET', `/approvals/${approval}`, ana);
    return json.approval.status === 'expired' ? true : undefined;
  });
  const late = await send('POST', `/approvals/${approval}`, ana, { approved: true });
  expect([late.status, late.json.reason, late.json.decision]).toEqual([409, 'settled', 'expired']);
  expect(late.json.error).toMatch(/is settled: it expired at 20\S+Z, nobody decided in time$/);
  // Nobody has: it names no instance of the platform.
  const { json: shown } = await send('GET', `/approvals/${approval}`, ana);
  expect(shown.approval.decision_reason).toBe('it expired: nobody decided in time');
  const named = ['decided_by', 'decided_by_identity', 'said'];
  expect([shown.approval, late.json].flatMap((one) => named.filter((name) => name in one))).toEqual([]);
  const assigned = await send('POST', `/approvals/${approval}/assign`, ana, { to: 'me' });
  expect([assigned.status, assigned.json.error]).toEqual([
    409,
    expect.stringMatching(/is settled: it expired, nobody decided in time; it is assigned to nobody any more$/),
  ]);
  await until('the run is over', async () => {
    const { json } = await send('GET', `/conversations/${conversation}`, ana);
    return json.conversation.run.status === 'completed' ? true : undefined;
  });
  expect(JSON.stringify(await model.requests())).toContain('Nobody decided on this call in time');
  expect(tools.calls).toEqual([]);
});
