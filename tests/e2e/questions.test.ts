import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, conversationOf, detailsOf, doneIn, inputsOf, serversIn } from './asking-servers.ts';
import { type Answer, type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, start, stopgo, type Workplace, workplace } from './platform.ts';
import { processesOf } from './processes.ts';
import { topology } from './topology.ts';

/** What tool servers ask people in the midst of calls. */
let model: ScriptedModel;
beforeAll(async () => {
  model = await scriptedModel();
});
afterAll(() => model.stop());

describe('a platform whose tool servers ask', () => {
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    place = workplace();
    platform = await start(place, serversIn(place), { asProcess: true, env: model.env });
    http = client(platform.url);
  }, 60_000);

  afterAll(async () => {
    await platform.discard();
    place.remove();
  });

  const answer = (asked: Answer, body: object, headers?: Record<string, string>) =>
    http.post(`/conversations/${conversationOf(asked)}/inputs/${inputsOf(asked)[0]?.id}`, body, headers);

  test.each(['old', 'new'])(
    'puts the question before people, and the call goes on with their answer: %s era',
    async (era) => {
      const name = `${era}-tea`;
      const asked = await http.post('/conversations', call(`${era}_order`, { name }));
      expect(asked.status).toBe(201);
      expect(asked.body.conversation).toMatchObject({ status: 'active', run: { status: 'waiting' } });
      expect(asked.body.result).toMatchObject({ input_required: true, waiting_approval: false });
      expect(asked.body.result.response).toContain(`The server "${era}" asks, in the midst of ${era}_order`);
      const [input] = inputsOf(asked);
      expect(input).toMatchObject({ mode: 'form', server: era, tool: `${era}_order`, message: `What about ${name}?` });
      expect(input?.requested_schema?.required).toEqual(['amount']);
      // A message is no answer.
      const other = await http.post(`/conversations/${conversationOf(asked)}/messages`, { message: 'three' });
      expect(other.body.result).toMatchObject({ error: 'conversation is waiting for input' });

      const wrong = await answer(asked, { action: 'accept', content: { amount: 0 } });
      expect(wrong.status).toBe(400);
      expect(wrong.body.error).toBe('content.amount: expected a whole number from 1 to 100');
      expect((await answer(asked, { action: 'yes' })).status).toBe(400);

      const taken = await answer(asked, { action: 'accept', content: { amount: 3 } }, { 'x-approver': 'ada' });
      expect(taken.status).toBe(200);
      expect(taken.body.result.response).toContain(`order ${name}: accept {"amount":3}`);
      expect(inputsOf(taken)).toEqual([]);
      expect(doneIn(place, era, name)).toHaveLength(1);

      const late = await answer(asked, { action: 'decline' });
      expect(late.status).toBe(409);
      expect(detailsOf(late)).toMatchObject({ reason: 'settled', how: 'accepted', by: 'ada' });
      expect(late.body.error).toMatch(/is settled: accepted by ada at \d{4}-/);
    },
  );

  test('a call that takes its turn behind one that asks keeps nobody from seeing what is asked', async () => {
    const order = (name: string) => ({ name: 'new_order', args: { name } });
    await model.script({ calls: [order('front'), order('behind')] }, { text: 'both done' });
    const asked = await http.post('/conversations', { message: 'order both' });
    expect(asked.status).toBe(201);
    expect(asked.body.conversation.run?.status).toBe('waiting');
    expect(inputsOf(asked)).toMatchObject([{ message: 'What about front?' }]);
    const next = await answer(asked, { action: 'accept', content: { amount: 1 } });
    expect(inputsOf(next)).toMatchObject([{ message: 'What about behind?' }]);
    const done = await answer(next, { action: 'accept', content: { amount: 2 } });
    expect(done.body.result.response).toBe('both done');
  });

  test('one of many answers at once is taken, and the server is given that one', async () => {
    const asked = await http.post('/conversations', call('new_order', { name: 'raced' }));
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => answer(asked, { action: 'accept', content: { amount: index + 1 } })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const winner = all.findIndex(({ status }) => status === 200) + 1;
    expect(doneIn(place, 'new', 'raced')).toMatchObject([{ content: { amount: winner } }]);
  });

  test('the same request again is the same answer', async () => {
    const asked = await http.post('/conversations', call('new_order', { name: 'repeated' }));
    const key = { 'idempotency-key': randomUUID() };
    const first = await answer(asked, { action: 'decline' }, key);
    const again = await answer(asked, { action: 'decline' }, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.result.response).toBe(first.body.result.response);
    expect(doneIn(place, 'new', 'repeated')).toMatchObject([{ action: 'decline' }]);
    // Also once another run has followed, which asks something: that is not what came of this one.
    const path = `/conversations/${conversationOf(asked)}`;
    const next = await http.post(`${path}/messages`, call('new_order', { name: 'next' }));
    expect(next.body.result).toMatchObject({ input_required: true });
    const past = await answer(asked, { action: 'decline' }, key);
    expect(past.body.result.response).toBe(first.body.result.response);
    expect(past.body.result).not.toHaveProperty('inputs');
    await http.post(`${path}/cancel`, {});
  });

  test('an address is shown whole, and whoever cancels ends the wait', async () => {
    const asked = await http.post('/conversations', call('new_visit', { name: 'shop' }));
    expect(inputsOf(asked)).toMatchObject([{ mode: 'url', url: 'https://pay.example/shop' }]);
    expect(asked.body.result.response).toContain('https://pay.example/shop');
    const canceled = await http.post(`/conversations/${conversationOf(asked)}/cancel`, {});
    expect(canceled.body.conversation.run?.status).toBe('canceled');
    expect(inputsOf(canceled)).toEqual([]);
    const late = await answer(asked, { action: 'accept' });
    expect(late.status).toBe(409);
    expect(detailsOf(late)).toMatchObject({ how: 'withdrawn', why: 'the run has ended' });
    const never = await http.post(`/conversations/${conversationOf(asked)}/inputs/${randomUUID()}`, {
      action: 'accept',
    });
    expect(never.status).toBe(404);
    const nobody = randomUUID();
    const nowhere = await http.post(`/conversations/${nobody}/inputs/${randomUUID()}`, { action: 'accept' });
    expect([nowhere.status, nowhere.body.error]).toEqual([404, `conversation not found: ${nobody}`]);
  });

  test('a server of the first SDK is answered too', async () => {
    const asked = await http.post('/conversations', call('trigger-elicitation-request', {}));
    const [input] = inputsOf(asked);
    expect(input).toMatchObject({ server: 'everything', mode: 'form' });
    const declined = await answer(asked, { action: 'decline' });
    expect(declined.body.result.response).toMatch(/declined/i);
  });

  test('a terminal shows the question, and answers it', async () => {
    const asked = await http.post('/conversations', call('old_order', { name: 'terminal' }));
    const id = conversationOf(asked);
    const listed = await stopgo(['inputs', id, '--url', platform.url]);
    expect(listed.output).toContain('the server old asks in the midst of old_order');
    expect(listed.output).toContain('1 waiting');
    const flags = ['--input', inputsOf(asked)[0]?.id ?? '', '--content', '{"amount":2}', '--url', platform.url];
    const given = await stopgo(['answer', id, ...flags]);
    expect(given.output).toContain('order terminal: accept {"amount":2}');
    expect((await stopgo(['answer', id, ...flags])).errors).toContain('is settled: accepted by');
  });

  test('a server that dies while it waits leaves the call in doubt, and a late answer is told so', async () => {
    const asked = await http.post('/conversations', call('old_order', { name: 'dead' }));
    const [pid] = processesOf(join(place.folder, 'old.journal')).filter((one) =>
      readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('asking-server'),
    );
    process.kill(pid ?? 0, 'SIGKILL');
    const path = `/conversations/${conversationOf(asked)}`;
    const doubt = await until('the call is in doubt', async () => {
      const seen = await http.get(path);
      return seen.body.conversation.pending_approvals.length > 0 ? seen : undefined;
    });
    expect(inputsOf(doubt)).toEqual([]);
    const late = await answer(asked, { action: 'accept', content: { amount: 1 } });
    expect(late.status).toBe(409);
    expect(detailsOf(late)).toMatchObject({ how: 'withdrawn' });
    expect(late.body.error).toContain('the call is in doubt');
    expect(doneIn(place, 'old', 'dead')).toEqual([]);
    const [approval] = doubt.body.conversation.pending_approvals;
    const ended = await http.post(`/approvals/${approval?.uuid}`, { action: 'give_up' });
    expect(ended.status).toBe(200);
  });

  test('a platform that is killed while a server waits leaves the call in doubt, and its views as its events say', async () => {
    const asked = await http.post('/conversations', call('new_order', { name: 'killed' }));
    await platform.end('SIGKILL');
    platform = await start(place, serversIn(place), { env: model.env });
    http = client(platform.url);
    const path = `/conversations/${conversationOf(asked)}`;
    const doubt = await until('the call is in doubt', async () => {
      const seen = await http.get(path);
      return seen.body.conversation.pending_approvals.length > 0 ? seen : undefined;
    });
    const late = await answer(asked, { action: 'accept', content: { amount: 1 } });
    expect(late.status).toBe(409);
    expect(late.body.error).toContain('the call is in doubt');
    // Run again it is another attempt, which asks anew.
    const [approval] = doubt.body.conversation.pending_approvals;
    const again = await http.post(`/approvals/${approval?.uuid}`, { action: 'run_again' });
    expect(inputsOf(again)[0]?.id).not.toBe(inputsOf(asked)[0]?.id);
    const done = await answer(again, { action: 'accept', content: { amount: 5 } });
    expect(done.body.result.response).toContain('order killed: accept {"amount":5}');
    expect(doneIn(place, 'new', 'killed')).toHaveLength(1);
    if (topology !== 'one process') return;
    await platform.end('SIGTERM');
    const verified = await stopgo(['verify', '--data-dir', place.dataDir]);
    expect(verified.code, verified.output).toBe(0);
    platform = await start(place, serversIn(place), { env: model.env });
    http = client(platform.url);
  }, 120_000);
});

describe.skipIf(!hasNatsServer)('with the services as processes', () => {
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    place = workplace();
    const args = ['--replicas', 'orchestrator=2'];
    platform = await start(place, serversIn(place), { command: 'services', args, env: model.env });
    http = client(platform.url);
  }, 90_000);

  afterAll(async () => {
    await platform.discard();
    place.remove();
  });

  const orchestrators = () =>
    processesOf(place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('service\0orchestrator'),
    );

  test('a bridge that is killed while a server waits leaves the call in doubt, and a late answer is told so', async () => {
    const asked = await http.post('/conversations', call('old_order', { name: 'bridged' }));
    const path = `/conversations/${conversationOf(asked)}`;
    const [bridge] = processesOf(place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('service\0mcp-bridge'),
    );
    process.kill(bridge ?? 0, 'SIGKILL');
    await until(
      'the call is in doubt',
      async () => {
        const seen = await http.get(path);
        return seen.body.conversation.pending_approvals?.length > 0 ? seen : undefined;
      },
      60_000,
    );
    const late = await http.post(`${path}/inputs/${inputsOf(asked)[0]?.id}`, { action: 'decline' });
    expect(late.status).toBe(409);
    expect(late.body.error).toContain('the call is in doubt');
    expect(doneIn(place, 'old', 'bridged')).toEqual([]);
  }, 120_000);

  test('an answer is handed over whichever orchestrator it comes to, and also once the one that waited was killed', async () => {
    const path = (asked: Answer) => `/conversations/${conversationOf(asked)}/inputs/${inputsOf(asked)[0]?.id}`;
    for (let round = 0; round < 4; round += 1) {
      const asked = await http.post('/conversations', call('new_order', { name: `round-${round}` }));
      const done = await http.post(path(asked), { action: 'accept', content: { amount: 1 } });
      expect(done.body.result.response).toContain(`order round-${round}: accept`);
    }
    const asked = await http.post('/conversations', call('new_order', { name: 'taken-over' }));
    const before = orchestrators();
    expect(before).toHaveLength(2);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const done = await until(
      'somebody takes the answer',
      async () => {
        const taken = await http.post(path(asked), { action: 'accept', content: { amount: 9 } });
        return taken.status === 503 || taken.status === 504 ? undefined : taken;
      },
      60_000,
    );
    const path2 = `/conversations/${conversationOf(asked)}`;
    const seen = await until(
      'the run has gone on',
      async () => {
        const now = await http.get(path2);
        return now.body.conversation.run?.status === 'completed' ? now : undefined;
      },
      60_000,
    );
    expect([200, 202, 409]).toContain(done.status);
    expect(JSON.stringify(seen.body.conversation.messages)).toContain('order taken-over: accept');
    expect(doneIn(place, 'new', 'taken-over')).toMatchObject([{ content: { amount: 9 } }]);
  }, 150_000);
});
