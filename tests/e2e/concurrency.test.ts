import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, type Platform, start, type Workplace, workplace } from './platform.ts';
import { follow } from './sse.ts';
import { topology } from './topology.ts';

/** Several requests about one conversation, requests that are repeated, and clients that do not wait. */
let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let platform: Platform;
let http: Client;

async function startAgain(more = ''): Promise<void> {
  platform = await start(place, journaledConfig(place, more), { env: model.env });
  http = client(platform.url);
}

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  await startAgain();
});

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

const now = { prefer: 'respond-async' };
const call = (tool: string, name: string) => ({ message: `call ${tool} ${JSON.stringify({ name })}` });

async function settled(id: string): Promise<Answer> {
  return until(`${id} has settled`, async () => {
    const answer = await http.get(`/conversations/${id}`);
    return answer.body.conversation.run?.status === 'working' ? undefined : answer;
  });
}

/** A conversation whose tool runs and does not answer before it is let go. */
async function holding(name: string): Promise<string> {
  const { body } = await http.post('/conversations', call('hold', name), now);
  await journal.running('hold', name);
  return body.conversation.id;
}

async function waiting(name: string): Promise<{ readonly id: string; readonly approval: string }> {
  const { body } = await http.post('/conversations', call('erase', name));
  return { id: body.conversation.id, approval: body.result.approval?.uuid ?? '' };
}

describe('clients that do not wait', () => {
  test('while its model is asked again, whoever looks at a run is told so, and it can be canceled', async () => {
    const match = 'wait for it';
    await model.script({ match, error: { status: 429, message: 'too busy now', retryAfterSeconds: 19 } });
    const sent = await http.post('/conversations', { message: match }, { Prefer: 'wait=1' });
    expect(sent.status).toBe(202);
    const { id } = sent.body.conversation;
    const told = { kind: 'model', reason: expect.stringContaining('too busy now'), next_try_at: expect.any(String) };
    expect(JSON.parse(sent.text).conversation.waiting_for).toMatchObject([told]);
    await until('any reader is told', async () => {
      const { conversation } = JSON.parse((await http.get(`/conversations/${id}`)).text);
      const [wait] = conversation.waiting_for ?? [];
      return /cannot be asked now .*too busy now/.test(wait?.text ?? '') || undefined;
    });
    const { waits } = JSON.parse((await http.get('/waits')).text);
    expect(waits).toMatchObject([{ ...told, runs: 1, conversation_ids: [id] }]);
    const canceled = await http.post(`/conversations/${id}/cancel`, {});
    expect(canceled.status).toBe(200);
    await until('nothing is waited for', async () => {
      const { text } = await http.get(`/conversations/${id}`);
      return !text.includes('waiting_for') || undefined;
    });
    expect(JSON.parse((await http.get('/waits')).text)).toEqual({ waits: [] });
  });

  test('who prefers not to wait gets 202 at once with where to look, and the result is there later', async () => {
    const created = await http.post('/conversations', call('hold', 'async'), now);
    const { id } = created.body.conversation;
    expect(created.status).toBe(202);
    expect(created.headers.get('location')).toBe(`/conversations/${id}`);
    expect(created.headers.get('preference-applied')).toContain('respond-async');
    expect(created.body.run).toMatchObject({ id: expect.any(String), status: 'working' });
    expect(created.body.result).toBeUndefined();
    await journal.running('hold', 'async');
    const busy = await http.post(`/conversations/${id}/messages`, { message: 'hello?' });
    expect(busy.status).toBe(409);
    expect(busy.body.error).toBe('conversation is busy');
    journal.letGo('async');
    const { body } = await settled(id);
    expect(body.conversation.run).toMatchObject({ id: created.body.run.id, status: 'completed' });
    expect(body.conversation.messages.at(-1)?.content).toContain('let async go');
    expect(JSON.stringify(body.conversation.messages)).not.toContain('hello?');
  });

  test('a client that leaves does not stop the run', async () => {
    const created = await http.post('/conversations', {});
    const { id } = created.body.conversation;
    const leaves = new AbortController();
    const left = fetch(`${platform.url}/conversations/${id}/messages`, {
      method: 'POST',
      body: JSON.stringify(call('hold', 'left')),
      signal: leaves.signal,
    });
    await journal.running('hold', 'left');
    leaves.abort();
    await expect(left).rejects.toThrow();
    journal.letGo('left');
    const { body } = await settled(id);
    expect(body.conversation.run?.status).toBe('completed');
    expect(journal.began('hold', 'left')).toBe(1);
  });

  test('minimal answers leave the messages out', async () => {
    const answer = await http.post('/conversations', call('look', 'minimal'), { prefer: 'return=minimal' });
    expect(answer.body.conversation.messages).toBeUndefined();
    expect(answer.body.result.response).toContain('look minimal');
  });
});

describe('cancel', () => {
  test('of a run that waits withdraws what is pending; a repeat answers as before; a decision then is refused', async () => {
    const { id, approval } = await waiting('withdrawn');
    const canceled = await http.post(`/conversations/${id}/cancel`, { reason: 'no need' });
    expect(canceled.status).toBe(200);
    expect(canceled.body.conversation).toMatchObject({ status: 'active', run: { status: 'canceled' } });
    expect(canceled.body.conversation.pending_approvals).toEqual([]);
    const again = await http.post(`/conversations/${id}/cancel`);
    expect(again.status).toBe(200);
    expect(again.body.conversation).toEqual(canceled.body.conversation);
    const late = await http.post(`/approvals/${approval}`, { approved: true });
    expect(late.status).toBe(409);
    expect(late.body.decision).toBe('withdrawn');
    const next = await http.post(`/conversations/${id}/messages`, call('look', 'after'));
    expect(next.body.result.response).toContain('look after');
    expect(journal.began('erase', 'withdrawn')).toBe(0);
  });

  test('while a tool runs asks it to stop, answers, and records what becomes of the call as late', async () => {
    const id = await holding('stopped');
    const events = await follow(platform.url, id);
    const canceled = await http.post(`/conversations/${id}/cancel`);
    expect(canceled.status).toBe(200);
    expect(canceled.body.conversation.run?.status).toBe('canceled');
    journal.letGo('stopped');
    const end = await events.next('the end', ({ type }) => type === 'run_canceled');
    const late = await events.next(
      'what became of the call',
      ({ type, id: revision }) =>
        (type === 'tool_call_finished' || type === 'tool_call_in_doubt') && Number(revision) > Number(end.id),
    );
    events.close();
    if (late.type === 'tool_call_finished') expect(late.data.payload).toMatchObject({ late: true });
    const next = await http.post(`/conversations/${id}/messages`, call('look', 'afterwards'));
    expect(next.body.result.response).toContain('look afterwards');
  });

  test('while the model thinks ends the run', async () => {
    await model.script({ match: 'think long', hang: true });
    const { body } = await http.post('/conversations', { message: 'think long' }, now);
    const canceled = await http.post(`/conversations/${body.conversation.id}/cancel`);
    expect(canceled.body.conversation.run?.status).toBe('canceled');
    await model.release();
  });

  test('of what is over or never began is refused, of what does not exist not found', async () => {
    const { body } = await http.post('/conversations', call('look', 'over'));
    expect((await http.post(`/conversations/${body.conversation.id}/cancel`)).status).toBe(409);
    const created = await http.post('/conversations', {});
    expect((await http.post(`/conversations/${created.body.conversation.id}/cancel`)).status).toBe(409);
    expect((await http.post('/conversations/00000000-0000-4000-8000-000000000000/cancel')).status).toBe(404);
  });

  test('against a decision at the same time: exactly one wins, and only an approved call runs', async () => {
    const rounds = 20;
    const winners = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const name = `race-${round}`;
      const { id, approval } = await waiting(name);
      const decide = () => http.post(`/approvals/${approval}`, { approved: true });
      const cancel = () => http.post(`/conversations/${id}/cancel`);
      // Who is sent first has the better chance; both must get theirs.
      const [first, second] = round % 2 === 0 ? [decide, cancel] : [cancel, decide];
      const firstAnswer = first();
      // Between processes a decision takes one step more than a cancel: it gets a head start.
      if (topology !== 'one process') await http.get(`/conversations/${id}`);
      const answers = await Promise.all([firstAnswer, second()]);
      const [decided, canceled] = round % 2 === 0 ? answers : [answers[1], answers[0]];
      const { conversation } = (await settled(id)).body;
      const approved = decided?.status === 200;
      winners.add(approved ? 'decision' : 'cancel');
      if (approved) {
        // The decision stands; the cancel came before the call, during it, or after the end of the run.
        expect([200, 409]).toContain(canceled?.status);
        expect(conversation.run?.status).toBe(canceled?.status === 200 ? 'canceled' : 'completed');
        expect(journal.began('erase', name)).toBeLessThanOrEqual(1);
      } else {
        expect(decided?.status).toBe(409);
        expect(canceled?.status).toBe(200);
        expect(conversation.run?.status).toBe('canceled');
        expect(journal.began('erase', name)).toBe(0);
      }
    }
    expect([...winners].sort()).toEqual(['cancel', 'decision']);
  });
});

describe('requests with a key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': `${key}-0123456789abcdef` });

  test('a create that is repeated is the same conversation, also ten times at once and after a restart', async () => {
    const create = () => http.post('/conversations', call('note', 'created-once'), keyed('create'));
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    const [first] = answers;
    expect(first?.status).toBe(201);
    for (const answer of answers) {
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual(first?.body);
    }
    expect(first?.body.conversation.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    await platform.discard();
    await startAgain();
    const later = await create();
    expect(later.status).toBe(201);
    expect(later.body).toEqual(first?.body);
    expect(journal.began('note', 'created-once')).toBe(1);
    const other = await http.post('/conversations', call('note', 'another'), keyed('create'));
    expect(other.status).toBe(422);
    expect(journal.began('note', 'another')).toBe(0);
  });

  test('a message, a decision and a cancel that are repeated at once take effect once', async () => {
    const created = await http.post('/conversations', {});
    const path = `/conversations/${created.body.conversation.id}`;
    const repeat = async (to: string, body: object, other: object, key: string): Promise<Answer> => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => http.post(to, body, keyed(key))));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(answer.body.result).toEqual(answers[0]?.body.result);
      }
      expect((await http.post(to, { ...body, ...other }, keyed(key))).status).toBe(422);
      return answers[0] as Answer;
    };
    const asked = await repeat(`${path}/messages`, call('erase', 'repeated'), { message: 'x' }, 'message');
    expect(asked.body.result.approvals).toHaveLength(1);
    const approval = `/approvals/${asked.body.result.approval?.uuid}`;
    const decided = await repeat(approval, { approved: true }, { by: 'z' }, 'decision');
    expect(decided.body.result.response).toContain('erase repeated');
    expect(journal.began('erase', 'repeated')).toBe(1);
    // Without the key it is a second decision, and refused as one.
    expect((await http.post(approval, { approved: true })).status).toBe(409);
    await http.post(`${path}/messages`, call('erase', 'canceled'));
    await repeat(`${path}/cancel`, { reason: 'enough' }, { reason: 'y' }, 'cancel');
    expect(journal.began('erase', 'canceled')).toBe(0);
    const { body } = await http.get(path);
    expect(
      body.conversation.messages.filter(({ role, content }) => role === 'user' && content.startsWith('call')),
    ).toHaveLength(2);
  });

  test('the repeat of a message is answered with its own result, though others have followed', async () => {
    const created = await http.post('/conversations', {});
    const path = `/conversations/${created.body.conversation.id}/messages`;
    const first = await http.post(path, call('look', 'first'), keyed('followed'));
    await http.post(path, call('look', 'second'));
    const repeat = await http.post(path, call('look', 'first'), keyed('followed'));
    expect(repeat.body.result).toEqual(first.body.result);
    expect(journal.began('look', 'first')).toBe(1);
  });

  test('the repeat of a decision or a cancel is answered with its own result too', async () => {
    const created = await http.post('/conversations', {});
    const path = `/conversations/${created.body.conversation.id}`;
    const asked = await http.post(`${path}/messages`, call('erase', 'decided-first'));
    const approval = `/approvals/${asked.body.result.approval?.uuid}`;
    const decided = await http.post(approval, { approved: true }, keyed('decided-first'));
    await http.post(`${path}/messages`, call('erase', 'canceled-second'));
    const canceled = await http.post(`${path}/cancel`, {}, keyed('canceled-second'));
    await http.post(`${path}/messages`, call('look', 'third'));
    const decidedAgain = await http.post(approval, { approved: true }, keyed('decided-first'));
    expect(decidedAgain.body.result).toEqual(decided.body.result);
    const canceledAgain = await http.post(`${path}/cancel`, {}, keyed('canceled-second'));
    expect(canceledAgain.body.conversation.run).toEqual(canceled.body.conversation.run);
    expect(canceled.body.conversation.run?.status).toBe('canceled');
  });

  test.each(['short', 'x'.repeat(129), `${'x'.repeat(16)} y`])('the key %j is refused', async (key) => {
    const refused = await http.post('/conversations', call('note', 'bad-key'), { 'idempotency-key': key });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('Idempotency-Key');
    expect(journal.began('note', 'bad-key')).toBe(0);
  });
});

describe('the list', () => {
  test('is paged newest first without gap or repeat, searched, and has messages only on request', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { body } = await http.post('/conversations', call('look', `needle-${index}`));
      made.unshift(body.conversation.id);
    }
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await http.get(`/conversations?q=needle&limit=2${cursor}`);
      expect(body.conversations.length).toBeLessThanOrEqual(2);
      for (const conversation of body.conversations) expect(conversation.messages).toBeUndefined();
      found.push(...body.conversations.map(({ id }) => id));
      cursor = body.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
    } while (cursor !== '');
    expect(found).toEqual(made);
    const full = await http.get('/conversations?q=needle-3&include=messages');
    expect(full.body.conversations).toHaveLength(1);
    expect(full.body.conversations[0]?.messages.at(-1)?.content).toContain('look needle-3');
    for (const bad of ['limit=0', 'limit=1001', 'limit=x', 'status=odd', 'include=odd', 'cursor=odd'])
      expect((await http.get(`/conversations?${bad}`)).status, bad).toBe(400);
  });
});

describe('event streams', () => {
  test('resume after the last event that was seen, over a restart, without loss or repeat', async () => {
    const { id, approval } = await waiting('streamed');
    const before = await follow(platform.url, id);
    const asked = await before.next('the request', ({ type }) => type === 'approval_requested');
    await platform.discard();
    await before.ended;
    await startAgain();
    expect((await http.post(`/approvals/${approval}`, { approved: true })).status).toBe(200);
    const after = await follow(platform.url, id, asked.id);
    await after.next('the end', ({ type }) => type === 'run_completed');
    const whole = await follow(platform.url, id);
    await whole.next('the end', ({ type }) => type === 'run_completed');
    const durable = (events: typeof whole.events) => events.filter(({ id: revision }) => revision !== undefined);
    const seen = durable(before.events).filter(({ id: revision }) => Number(revision) <= Number(asked.id));
    expect([...seen, ...durable(after.events)]).toEqual(durable(whole.events));
    expect(durable(whole.events).map(({ id: revision }) => revision)).toEqual(
      durable(whole.events).map((_, index) => index + 1),
    );
    after.close();
    whole.close();
  });
});

describe('a short wait', () => {
  test('is answered with 202 when the run takes longer than sync_wait', async () => {
    await platform.end('SIGTERM');
    await startAgain('sync_wait: 300ms\nlimits: {concurrent_runs: 1, open_streams: 1}');
    const slow = await http.post('/conversations', call('hold', 'slow'));
    expect(slow.status).toBe(202);
    expect(slow.body.run.status).toBe('working');
    const second = await http.post('/conversations', call('look', 'too-many'));
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
    const open = await follow(platform.url, slow.body.conversation.id);
    expect((await http.get(`/conversations/${slow.body.conversation.id}/events`)).status).toBe(429);
    open.close();
    journal.letGo('slow');
    expect((await settled(slow.body.conversation.id)).body.conversation.run?.status).toBe('completed');
    // The end of a run is on the record a moment before there is room; whether the next ends in the short wait is another matter.
    const next = await until('there is room again', async () => {
      const answer = await http.post('/conversations', call('look', 'room-again'));
      return answer.status === 429 ? undefined : answer;
    });
    expect([201, 202]).toContain(next.status);
  });
});
