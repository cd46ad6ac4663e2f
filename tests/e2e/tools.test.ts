import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { follow } from './sse.ts';

/** Tool servers as they are: some crash, some want a token, some change what they said they do. */
const filesystemServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const goodToken = 'bearer-good-8c1d2e3f4a5b';
const badToken = 'bearer-bad-0f9e8d7c6b5a';

let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let paid: HttpTools;
let wanted: string | undefined;
let files: string;
let platform: Platform;
let http: Client;

async function startAgain(): Promise<void> {
  const yaml = `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${journal.server()}${journal.server('again_')}${journal.server('done_')}${journal.server('no_')}
  ${journal.server('careful_', 'approval: require')}${journal.server('unknown_', 'unannotated: ask')}
  - name: files
    command: node
    args: [${JSON.stringify(filesystemServer)}, ${JSON.stringify(files)}]
  - name: paid
    url: ${paid.url}
`;
  platform = await start(place, yaml, { env: model.env });
  http = client(platform.url);
}

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  files = join(realpathSync(place.folder), 'files');
  mkdirSync(files);
  paid = await httpTools({ bearer: () => wanted });
  await startAgain();
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await Promise.all([model.stop(), paid.stop()]);
  place.remove();
});

const call = (tool: string, args: object) => ({ message: `call ${tool} ${JSON.stringify(args)}` });
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const ask = (tool: string, args: object, headers?: Record<string, string>): Promise<Answer> =>
  http.post('/conversations', call(tool, args), headers);
const answered = ({ body }: Answer) =>
  body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call])).at(-1);

/** Waits until a server that crashed answers again. */
async function back(prefix: string): Promise<void> {
  await until(`${prefix} is back`, async () => {
    const answer = await ask(`${prefix}look`, { name: 'back' });
    return answered(answer)?.is_error === false ? true : undefined;
  });
}

describe('a server that crashes inside a call', () => {
  test('is reported in the conversation if the call only reads, is started again, and works', async () => {
    const answer = await ask('vanish', { name: 'reading' });
    expect(answer.status).toBe(201);
    expect(answered(answer)).toMatchObject({ is_error: true });
    expect(answered(answer)?.result).toMatch(/ended while the call ran|is down/);
    await back('');
  });

  const inDoubt = async (prefix: string, name: string): Promise<{ readonly approval: string; readonly id: string }> => {
    const { body } = await ask(`${prefix}die`, { name });
    expect(body.result.waiting_approval).toBe(true);
    expect(body.result.approvals).toHaveLength(1);
    expect(body.result.approval).toMatchObject({
      kind: 'in_doubt',
      choices: ['run_again', 'happened', 'give_up'],
      tool_name: `${prefix}die`,
      tool_args: { name },
    });
    expect(journal.began('die', name)).toBe(1);
    const approval = `/approvals/${body.result.approval?.uuid}`;
    for (const plain of [{ approved: true }, { answer: 'yes' }]) {
      const refused = await http.post(approval, plain);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toContain('run_again, happened, give_up');
    }
    return { approval, id: body.conversation.id };
  };

  test('leaves a call in doubt that is run again only when somebody says so', async () => {
    const { approval } = await inDoubt('again_', 'again');
    await back('again_');
    const done = await http.post(approval, { action: 'run_again' });
    expect(done.status).toBe(200);
    expect(answered(done)).toMatchObject({ result: 'died once for again' });
    expect(journal.began('die', 'again')).toBe(2);
    expect((await http.post(approval, { action: 'run_again' })).status).toBe(409);
    expect(journal.began('die', 'again')).toBe(2);
  });

  test('leaves a call in doubt whose result somebody knows', async () => {
    const { approval } = await inDoubt('done_', 'done');
    const done = await http.post(approval, { action: 'happened', result: 'the letter was sent at noon' });
    expect(done.status).toBe(200);
    expect(answered(done)?.result).toContain('the letter was sent at noon');
    expect(done.body.result.response).toContain('the letter was sent at noon');
    expect(journal.began('die', 'done')).toBe(1);
  });

  test.each([
    ['given up', 'no_', { action: 'give_up' }],
    ['answered with a plain no', '', { answer: 'no' }],
  ])('leaves a call in doubt that is not run again when it is %s', async (name, prefix, decision) => {
    if (prefix === '') await back('');
    const { approval } = await inDoubt(prefix, name);
    const done = await http.post(approval, decision);
    expect(done.status).toBe(200);
    expect(done.body.result.waiting_approval).toBe(false);
    expect(done.body.result.response).toContain('may have taken effect');
    expect((await http.get(approval)).body.approval).toMatchObject({ status: 'rejected', decision: 'give_up' });
    expect(journal.began('die', name)).toBe(1);
  });
});

describe('what asks', () => {
  beforeAll(() => back(''));

  test('the official filesystem server: what reads runs, what writes waits', async () => {
    const path = join(files, 'letter.txt');
    writeFileSync(path, 'dear reader');
    const read = await ask('read_text_file', { path });
    expect(read.body.result.waiting_approval).toBe(false);
    expect(read.body.result.response).toContain('dear reader');
    const write = await ask('write_file', { path, content: 'dear writer' });
    expect(write.body.result.waiting_approval).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('dear reader');
    expect((await http.post(`/approvals/${write.body.result.approval?.uuid}`, { approved: true })).status).toBe(200);
    expect(readFileSync(path, 'utf8')).toBe('dear writer');
  });

  test.each([
    ['look', false],
    ['note', false],
    ['erase', true],
    ['careful_look', true],
    ['careful_note', true],
    ['unknown_look', false],
    ['unknown_note', true],
  ])('%s waits: %s', async (tool, waits) => {
    const name = `asked-${tool}`;
    const { body } = await ask(tool, { name });
    expect(body.result.waiting_approval).toBe(waits);
    const plain = tool.replace(/^.*_/, '');
    expect(journal.began(plain, name)).toBe(waits ? 0 : 1);
    if (!waits) return;
    expect((await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true })).status).toBe(200);
    expect(journal.began(plain, name)).toBe(1);
  });

  test('a tool that was defined anew after it was asked for is not run: it is asked for again', async () => {
    const { body } = await ask('erase', { name: 'rug' });
    const first = body.result.approval?.uuid;
    await ask('redefine', { name: 'everything you have' });
    const pulled = await http.post(`/approvals/${first}`, { approved: true });
    expect(pulled.status).toBe(200);
    expect(pulled.body.result.waiting_approval).toBe(true);
    expect(pulled.body.result.approval).toMatchObject({
      reason:
        'the definition of erase changed after it was approved; nobody has accepted it as it is now, and until then it runs for nobody (`stopgo tools`)',
    });
    expect(journal.began('erase', 'rug')).toBe(0);
    const second = pulled.body.result.approval?.uuid;
    expect(second).not.toBe(first);
    // What was decided stays decided, and does not count any more.
    expect((await http.get(`/approvals/${first}`)).body.approval).toMatchObject({ status: 'approved', void: true });
    expect((await http.post(`/approvals/${first}`, { approved: true })).status).toBe(409);
    expect(journal.began('erase', 'rug')).toBe(0);
    const events = await follow(platform.url, body.conversation.id);
    await events.next(
      'the second request',
      ({ type, data }) => type === 'approval_requested' && JSON.stringify(data).includes(second ?? '-'),
    );
    expect(events.events.map(({ type }) => type)).toContain('tool_call_refused');
    events.close();
    const held = (await http.get('/tools/held')).body.tools.map(({ server, name, pin }) => ({ server, name, pin }));
    expect(held.map(({ name }) => name)).toEqual(['erase']);
    expect((await http.post('/tools/accept', { tools: held, by: 'ann' })).status).toBe(200);
    const done = await http.post(`/approvals/${second}`, { approved: true });
    expect(answered(done)?.result).toBe('erase rug');
    expect(journal.began('erase', 'rug')).toBe(1);
  });
});

describe("the caller's bearer token", () => {
  test('goes to an HTTP server on this machine, to no child process, and not into the answer', async () => {
    paid.calls.length = 0;
    const answer = await ask('whoami', {}, as(goodToken));
    expect(paid.calls.map(({ authorization }) => authorization)).toEqual([`Bearer ${goodToken}`]);
    expect(answer.text).not.toContain(goodToken);
    await ask('note', { name: 'no token here' }, as(goodToken));
    expect(journal.text()).not.toContain(goodToken);
  });

  test('is asked for when the server refuses it; the next message with one lets the run go on', async () => {
    wanted = goodToken;
    paid.calls.length = 0;
    const refused = await ask('whoami', {}, as(badToken));
    expect(refused.body.result).toMatchObject({
      auth_required: true,
      waiting_approval: false,
      response: 'Authentication required to access the paid server.',
    });
    expect(refused.body.conversation.status).toBe('active');
    const path = `/conversations/${refused.body.conversation.id}/messages`;
    const without = await http.post(path, { message: 'and now?' });
    expect(without.body.result).toMatchObject({
      auth_required: true,
      error: 'conversation is waiting for authentication',
    });
    const resumed = await http.post(path, { message: 'here is my token' }, as(goodToken));
    expect(resumed.status).toBe(200);
    expect(resumed.body.result.notice).toContain('was not stored');
    expect(resumed.body.result.auth_required).toBe(false);
    expect(answered(resumed)).toMatchObject({ name: 'whoami', is_error: false });
    expect(JSON.stringify(resumed.body.conversation.messages)).not.toContain('here is my token');
    expect(paid.calls.map(({ authorization }) => authorization)).toEqual([`Bearer ${badToken}`, `Bearer ${goodToken}`]);
    wanted = undefined;
  });

  test('is asked for after a restart if the run began with one: the approved call is made once, with the new one', async () => {
    paid.calls.length = 0;
    const { body } = await ask('pay', { amount: 7 }, as(badToken));
    expect(body.result.waiting_approval).toBe(true);
    await platform.discard();
    await startAgain();
    const approved = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(approved.status).toBe(200);
    expect(approved.body.result).toMatchObject({ auth_required: true, waiting_approval: false });
    expect(paid.calls).toEqual([]);
    const path = `/conversations/${body.conversation.id}/messages`;
    const resumed = await http.post(path, { message: 'go on' }, as(goodToken));
    expect(resumed.body.result.auth_required).toBe(false);
    expect(paid.calls).toEqual([{ tool: 'pay', arguments: { amount: 7 }, authorization: `Bearer ${goodToken}` }]);
  }, 60_000);

  test('that comes with the decision is used for the call', async () => {
    paid.calls.length = 0;
    const { body } = await ask('pay', { amount: 8 }, as(badToken));
    await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true }, as(goodToken));
    expect(paid.calls.map(({ authorization }) => authorization)).toEqual([`Bearer ${goodToken}`]);
  });

  test('is never waited for by a run that began without one', async () => {
    paid.calls.length = 0;
    const { body } = await ask('pay', { amount: 9 });
    const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(done.body.result.auth_required).toBe(false);
    expect(paid.calls).toEqual([{ tool: 'pay', arguments: { amount: 9 } }]);
  });
});
