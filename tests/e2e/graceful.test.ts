import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, type Platform, start, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';
import { follow } from './sse.ts';

/** How the platform ends, when it is asked to and when it is not, and what is there at the next start. */
let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let platform: Platform;
let http: Client;

async function startAgain(): Promise<void> {
  platform = await start(place, journaledConfig(place), { asProcess: true, env: model.env });
  http = client(platform.url);
}

beforeAll(async () => {
  model = await scriptedModel();
});

afterAll(() => model.stop());

beforeEach(async () => {
  place = workplace();
  journal = journalOf(place);
  await startAgain();
});

afterEach(async () => {
  await platform.discard();
  place.remove();
});

const call = (tool: string, name: string) => ({ message: `call ${tool} ${JSON.stringify({ name })}` });
const shuttingDown = () =>
  until('it stops', async () => (platform.output().includes('Shutting down') ? true : undefined));

test('SIGTERM lets a running request finish, takes no new one, ends every child, and what was there is there again', async () => {
  const waiting = await http.post('/conversations', call('erase', 'later'));
  const running = http.post('/conversations', call('hold', 'running'));
  await journal.running('hold', 'running');
  const events = await follow(platform.url, waiting.body.conversation.id);
  const ended = platform.end('SIGTERM');
  await shuttingDown();
  await events.ended;
  await until('no new connection is taken', async () => {
    const refused = await http.get('/health').catch(() => undefined);
    return refused === undefined ? true : undefined;
  });
  journal.letGo('running');
  const finished = await running;
  expect(finished.status).toBe(201);
  expect(finished.body.result.response).toContain('let running go');
  expect(await ended).toBe(0);
  await noneLeftOf(place.folder);
  await startAgain();
  for (const { body } of [waiting, finished])
    expect((await http.get(`/conversations/${body.conversation.id}`)).body.conversation).toEqual(body.conversation);
  const done = await http.post(`/approvals/${waiting.body.result.approval?.uuid}`, { approved: true });
  expect(done.body.result.response).toContain('erase later');
});

test('a run that nobody waits for may finish too', async () => {
  const { body } = await http.post('/conversations', call('hold', 'unwatched'), { prefer: 'respond-async' });
  await journal.running('hold', 'unwatched');
  const ended = platform.end('SIGINT');
  await shuttingDown();
  journal.letGo('unwatched');
  expect(await ended).toBe(0);
  await startAgain();
  const { conversation } = (await http.get(`/conversations/${body.conversation.id}`)).body;
  expect(conversation.run?.status).toBe('completed');
  expect(journal.began('hold', 'unwatched')).toBe(1);
});

test('a second signal ends it at once, its children too; what ran is in doubt afterwards, and never runs by itself', async () => {
  const running = http.post('/conversations', call('hold', 'cut-off')).catch(() => undefined);
  await journal.running('hold', 'cut-off');
  const ended = platform.end('SIGTERM');
  await shuttingDown();
  // One signal that a terminal and npm both pass on is no second wish; only a later one is.
  await until('it has ended', async () => {
    platform.process.kill('SIGTERM');
    return platform.process.exitCode === null ? undefined : true;
  });
  expect(await ended).toBe(143);
  await running;
  await noneLeftOf(place.folder);
  await startAgain();
  const inDoubt = await until('it is asked about', async () => {
    const { conversations } = (await http.get('/conversations')).body;
    return conversations.find(({ pending_approval }) => pending_approval?.kind === 'in_doubt');
  });
  expect(inDoubt.run?.status).toBe('waiting');
  expect(journal.began('hold', 'cut-off')).toBe(1);
});

test('killed in the middle of many conversations, it settles all of them at the next start, and nothing runs twice', async () => {
  const count = 20;
  const tools = ['note', 'look', 'erase', 'note'] as const;
  const requests = Array.from({ length: count + 1 }, (_, index) => {
    const tool = index === count ? 'hold' : (tools[index % tools.length] ?? 'note');
    const key = (what: string) => ({ 'idempotency-key': `killed-in-the-middle-${what}-${index}` });
    return { tool, name: `busy-${index}`, key };
  });
  const send = async ({ tool, name, key }: (typeof requests)[number]): Promise<Answer> => {
    const answer = await http.post('/conversations', call(tool, name), key('create'));
    const approval = answer.body.result?.approval;
    if (approval?.kind !== 'tool') return answer;
    return http.post(`/approvals/${approval.uuid}`, { approved: true }, key('decide'));
  };
  const cutOff = (request: (typeof requests)[number]) => send(request).catch(() => undefined);
  const sent = requests.slice(0, count).map(cutOff);
  await until('some calls ran', async () => (journal.text().split('"began"').length > count / 4 ? true : undefined));
  // This one does not end by itself: it is cut off whatever the others do, and those that come after it wait.
  sent.push(...requests.slice(count).map(cutOff));
  await journal.running('hold', `busy-${count}`);
  await platform.end('SIGKILL');
  const answers = await Promise.all(sent);
  expect(answers).toContain(undefined);
  await startAgain();
  const repeated = await Promise.all(requests.map((request) => send(request)));
  for (const [index, { body, status }] of repeated.entries()) {
    expect([200, 201]).toContain(status);
    const { run, pending_approvals } = body.conversation;
    expect(['completed', 'waiting']).toContain(run?.status);
    // A call that was cut off is in doubt unless it only reads; everything else has its answer.
    for (const { kind } of pending_approvals) expect(kind).toBe('in_doubt');
    const first = answers[index];
    if (first !== undefined) expect(body.conversation).toEqual(first.body.conversation);
    const { tool, name } = requests[index] ?? { tool: 'note', name: '' };
    if (tool !== 'look') expect(journal.began(tool, name)).toBeLessThanOrEqual(1);
    if (run?.status === 'completed') expect(journal.began(tool, name)).toBeGreaterThanOrEqual(1);
  }
  const { conversations } = (await http.get('/conversations?q=busy&limit=1000')).body;
  const ids = repeated.map(({ body }) => body.conversation.id);
  expect(conversations.map(({ id }) => id).sort()).toEqual(ids.sort());
});
