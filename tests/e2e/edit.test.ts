import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

/** Somebody approves a call with other arguments: what runs is what they wrote, if the rules let it, and the model is told. */
let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let platform: Platform;
let http: Client;

const launch = async (yaml: string): Promise<void> => {
  platform = await start(place, yaml, { env: model.env, asProcess: true });
  http = client(platform.url);
};
let config = '';

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  config = `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${journal.server()}
approvals:
  rules:
    - { name: never, tool: erase, when: 'args.name.startsWith("all")', verdict: deny, reason: Not everything. }
    - { name: two, tool: erase, when: 'args.name.startsWith("big")', verdict: ask, approvers: "2 of [ana@x.example, bob@x.example, carl@x.example]" }
`;
  await launch(config);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

type Shown = {
  readonly status: string;
  readonly tool_args: unknown;
  readonly replaced_by?: string;
  readonly edited?: unknown;
};

async function asked(name: string): Promise<{ readonly uuid: string; readonly conversation: string }> {
  await model.script({ calls: [{ name: 'erase', args: { name } }] }, { text: 'done' });
  const { body } = await http.post('/conversations', { message: `erase ${name}` });
  return { uuid: body.result.approval?.uuid ?? '', conversation: body.conversation.id };
}

const edit = (uuid: string, args: unknown, by = 'ana@x.example'): Promise<Answer> =>
  http.post(`/approvals/${uuid}`, { action: 'approve', arguments: args, by });

const shown = async (uuid: string): Promise<Shown> =>
  (await http.get(`/approvals/${uuid}`)).body.approval as unknown as Shown;

const problem = ({ status, body }: Answer) => [status, (body as unknown as { reason?: string }).reason];

describe('a call that is approved with other arguments', () => {
  test('runs with those alone; both versions are shown, and the model is told', async () => {
    const { uuid, conversation } = await asked('first');
    const done = await edit(uuid, { name: 'second' });
    expect([done.status, done.body.result.waiting_approval]).toEqual([200, false]);
    expect([journal.began('erase', 'first'), journal.began('erase', 'second')]).toEqual([0, 1]);

    const before = await shown(uuid);
    expect(before).toMatchObject({ status: 'withdrawn', tool_args: { name: 'first' } });
    expect(await shown(before.replaced_by ?? '')).toMatchObject({
      status: 'approved',
      tool_args: { name: 'second' },
      edited: { by: 'ana@x.example', claimed: true, replaces: uuid, tool_args_before: { name: 'first' } },
    });
    const { messages } = (await http.get(`/conversations/${conversation}`)).body.conversation;
    const calls = messages.filter(({ role }) => role === 'assistant').flatMap(({ tool_call }) => tool_call ?? []);
    expect(calls.map((one) => one.arguments)).toEqual([{ name: 'first' }, { name: 'second' }]);

    const told = JSON.stringify((await model.requests()).at(-1)?.body);
    // Its own call is handed back as it made it; the result says what was called.
    expect(told).toMatch(/first.*A person changed the arguments of this call.*second/);
    // Who repeats it is told that somebody was first.
    expect(problem(await edit(uuid, { name: 'third' }))).toEqual([409, 'settled']);
    expect(journal.began('erase', 'third')).toBe(0);
  });

  test('is refused for what the tool does not take, for what a rule forbids, and for what it has', async () => {
    const { uuid } = await asked('kept');
    expect((await edit(uuid, { name: ['x'] })).status).toBe(400);
    const denied = await edit(uuid, { name: 'all of it' });
    expect(problem(denied)).toEqual([409, 'edit']);
    expect(denied.body.error).toContain('Not everything.');
    expect(problem(await edit(uuid, { name: 'kept' }))).toEqual([409, 'edit']);
    expect((await http.post(`/approvals/${uuid}`, { approved: false, arguments: { name: 'x' } })).status).toBe(400);
    expect(await shown(uuid)).toMatchObject({ status: 'pending', tool_args: { name: 'kept' } });
    expect((await http.post(`/approvals/${uuid}`, { action: 'withdraw' })).status).toBe(200);
    expect(journal.text()).not.toContain('all of it');
  });

  test('waits for those whom the changed call asks for; the votes before do not count', async () => {
    const { uuid, conversation } = await asked('big one');
    expect((await http.post(`/approvals/${uuid}`, { approved: true, by: 'bob@x.example' })).status).toBe(200);
    expect(problem(await edit(uuid, { name: 'small' }, 'eve@x.example'))).toEqual([403, 'not_entitled']);
    expect((await edit(uuid, { name: 'big two' })).status).toBe(200);
    const next = (await shown(uuid)).replaced_by ?? '';
    expect(await shown(next)).toMatchObject({
      status: 'pending',
      votes_needed: 2,
      votes: [{ by: 'ana@x.example' }],
      tool_args: { name: 'big two' },
    });
    expect(journal.began('erase', 'big two')).toBe(0);
    // What was changed outlives a crash.
    await platform.end('SIGKILL');
    await launch(config);
    expect((await http.post(`/approvals/${next}`, { approved: true, by: 'carl@x.example' })).status).toBe(200);
    await until('the run is over', async () => {
      const { run } = (await http.get(`/conversations/${conversation}`)).body.conversation;
      return run?.status === 'completed' ? true : undefined;
    });
    expect([journal.began('erase', 'big one'), journal.began('erase', 'big two')]).toEqual([0, 1]);
  }, 60_000);

  test('has one winner among many', async () => {
    const { uuid } = await asked('raced');
    const names = ['race 1', 'race 2', 'race 3'];
    const answers = await Promise.all([
      ...names.map((name) => edit(uuid, { name })),
      http.post(`/approvals/${uuid}`, { approved: true }),
      http.post(`/approvals/${uuid}`, { action: 'withdraw' }),
    ]);
    expect(answers.filter(({ status }) => status === 200 || status === 202)).toHaveLength(1);
    const ran = ['raced', ...names].map((name) => journal.began('erase', name)).reduce((sum, one) => sum + one, 0);
    expect(ran).toBeLessThanOrEqual(1);
  });
});
