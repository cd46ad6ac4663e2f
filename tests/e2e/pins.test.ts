import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, type Platform, start, type Workplace, workplace } from './platform.ts';
import { stopgoHere } from './stopgo-here.ts';
import { topology } from './topology.ts';

/** Tools are what people accepted: what a server makes of them afterwards runs for nobody until somebody has looked. */
const longMs = 120_000;

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
}, longMs);

afterAll(() => model.stop());

const ask = (tool: string, args: object): Promise<Answer> =>
  http.post('/conversations', { message: `call ${tool} ${JSON.stringify(args)}` });
const approve = (id: string | undefined): Promise<Answer> => http.post(`/approvals/${id}`, { approved: true });
const result = ({ body }: Answer) =>
  body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call])).at(-1);
const offered = async () => (await http.get('/tools')).body.tools.map(({ name }) => name);
/** What the model was offered last. */
const lastOffer = async () => JSON.stringify((await model.requests()).at(-1)?.body);
const held = async () => (await http.get('/tools/held')).body.tools;
/** The pin of a tool that is held, as `stopgo tools` shows it. */
const pinOf = async (name: string) => (await held()).find((tool) => tool.name === name)?.pin?.slice(0, 12) ?? '';
const through = (args: readonly string[]) => stopgoHere([...args, '--url', platform.url]);

describe('first contact accepts', () => {
  beforeAll(async () => {
    place = workplace();
    journal = journalOf(place);
    await startAgain();
  }, longMs);

  afterAll(async () => {
    await platform.discard();
    place.remove();
  });

  test('a tool that calls itself harmless after an approval is run by nobody, until somebody accepts that', {
    timeout: longMs,
  }, async () => {
    expect(await offered()).toContain('erase');
    const asked = await ask('erase', { name: 'pulled' });
    await ask('redefine', { annotations: { readOnlyHint: true } });
    const again = await approve(asked.body.result.approval?.uuid);
    expect(again.body.result.waiting_approval).toBe(true);
    expect(again.body.result.approval?.reason).toContain('nobody has accepted it as it is now');
    const refused = await approve(again.body.result.approval?.uuid);
    expect(result(refused)).toMatchObject({
      is_error: true,
      result:
        'Tool execution failed: the tool "erase" of the server "journaled" is held: nobody has accepted it as it is now; it runs once a person does: `stopgo tools accept journaled erase`',
    });
    expect(journal.began('erase', 'pulled')).toBe(0);
    expect(await offered()).not.toContain('erase');
    await until('it is offered to no model', async () => {
      await ask('erase', { name: 'unknown' });
      return (await lastOffer())?.includes('"erase"') ? undefined : true;
    });
    await model.script({ match: 'from memory', calls: [{ name: 'erase', args: { name: 'unknown' } }] });
    const told = result(await http.post('/conversations', { message: 'from memory' }));
    expect(told).toMatchObject({
      is_error: true,
      result:
        'The call was not run: the tool "erase" of the server "journaled" is held: nobody has accepted it as it is now; it runs once a person does: `stopgo tools accept journaled erase`',
    });
    expect(journal.began('erase', 'unknown')).toBe(0);

    const list = await through(['tools']);
    expect(list.output).toMatch(/^erase of journaled: changed, pin [0-9a-f]{12}\n1 held; /);
    const diff = await through(['tools', 'diff', 'journaled', 'erase']);
    expect(diff.output).toContain('    - annotations.destructiveHint: true\n    + annotations.readOnlyHint: true\n');
    const unnamed = await through(['tools', 'accept', 'journaled', '--by', 'ann']);
    expect(unnamed).toMatchObject({ code: 1 });
    expect(unnamed.errors).toMatch(
      /^stopgo: nothing was accepted: name the TOOL and the pin that was shown \(--pin\), or .*\n$/,
    );
    const accepted = await through([
      'tools',
      'accept',
      'journaled',
      'erase',
      '--by',
      'ann',
      '--pin',
      await pinOf('erase'),
    ]);
    expect(accepted).toMatchObject({ code: 0, errors: '' });
    expect(accepted.output).toContain('1 accepted\n');
    expect((await through(['tools'])).output).toBe('no tool is held\n');
    const run = await until('a model is offered it again', async () => {
      const answer = await ask('erase', { name: 'accepted' });
      return result(answer) === undefined ? undefined : answer;
    });
    expect(run.body.result.waiting_approval).toBe(false);
    expect(journal.began('erase', 'accepted')).toBe(1);
  });

  test('a new tool, and a new schema, are not offered until they are accepted exactly as they were shown', async () => {
    await ask('redefine', { tool: 'extra', name: 'more \u200b than is seen' });
    await ask('redefine', { tool: 'extra', name: 'more' });
    const [shown] = await held();
    expect(shown).toMatchObject({ server: 'journaled', name: 'extra', state: 'new' });
    expect(shown?.changes).toContainEqual({ path: 'description', after: '"Erases more"' });
    const named = { server: 'journaled', name: 'extra', pin: shown?.pin };
    await ask('redefine', { tool: 'extra', name: 'everything' });
    const late = await http.post('/tools/accept', { tools: [named] });
    expect(late.status).toBe(409);
    expect(late.body.error).toBe(
      'the tool "extra" of the server "journaled" is not defined as it was shown; look at it again',
    );
    expect((await http.post('/tools/accept', { tools: [{ server: 'journaled', name: 'extra' }] })).status).toBe(400);
    expect((await http.post('/tools/accept', {})).status).toBe(400);
    expect(await offered()).not.toContain('extra');
    const [now] = await held();
    const done = await http.post('/tools/accept', { tools: [{ ...named, pin: now?.pin }], by: 'ben' });
    expect(done).toMatchObject({ status: 200, body: { accepted: [{ ...named, pin: now?.pin }] } });
    expect(await offered()).toContain('extra');
    const used = await until('a model is offered it', async () => result(await ask('extra', { name: 'used' })));
    expect(used.result).toBe('extra used');
  });

  test('a read-only tool that changes in the midst of a run is refused, and the model is told why', async () => {
    await model.script(
      { match: 'twice', calls: [{ name: 'redefine', args: { tool: 'look', description: 'Looks and tells us' } }] },
      { calls: [{ name: 'look', args: { name: 'midst' } }] },
    );
    const { body } = await http.post('/conversations', { message: 'twice' });
    const results = body.conversation.messages.flatMap(({ tool_call }) => tool_call?.result ?? []);
    expect(results.at(-1)).toContain('is held: nobody has accepted it as it is now');
    expect(journal.began('look', 'midst')).toBe(0);
    await through(['tools', 'accept', 'journaled', 'look', '--pin', await pinOf('look')]);
  });

  test('after a restart what was accepted is, and what is otherwise again is held', { timeout: longMs }, async () => {
    await platform.discard();
    await startAgain();
    // The server has forgotten what it had become.
    const states = (await held()).map(({ name, state }) => [name, state]);
    expect(states.sort()).toEqual([
      ['erase', 'changed'],
      ['look', 'changed'],
    ]);
    expect(await offered()).toEqual(expect.arrayContaining(['note', 'redefine']));
    await ask('redefine', { tool: 'look', description: 'Looks and tells us' });
    expect(await offered()).toContain('look');
  });

  test.runIf(topology === 'one process')('the log is sound, and tells who accepted what', async () => {
    await platform.end('SIGTERM');
    const verified = await stopgoHere(['verify', '--data-dir', place.dataDir]);
    expect(verified).toMatchObject({ code: 0 });
    const { output } = await stopgoHere(['events', '--data-dir', place.dataDir]);
    expect(output).toContain('pins-');
    await startAgain();
  });
});

describe('pins: strict', () => {
  afterAll(() => place.remove());

  test('holds every tool until it is accepted, whatever is restarted', { timeout: longMs }, async () => {
    place = workplace();
    journal = journalOf(place);
    await startAgain('pins: strict');
    expect(await offered()).toEqual([]);
    const all = await held();
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['new']));
    expect(all.map(({ server }) => server)).toEqual(expect.arrayContaining(['journaled', 'resources']));
    await ask('look', { name: 'held' });
    expect(journal.began('look', 'held')).toBe(0);
    expect((await through(['tools', 'accept', 'nobody'])).errors).toContain('no tool of "nobody" is held');
    expect((await through(['tools', 'accept', 'journaled', 'nope'])).errors).toContain(
      '"nope" of "journaled" is not held, so that nothing was accepted; see `stopgo tools`',
    );
    const other = await through(['tools', 'accept', 'journaled', 'look', '--pin', 'f'.repeat(12)]);
    expect(other).toMatchObject({ code: 1 });
    const short = await through(['tools', 'accept', 'journaled', 'look', '--pin', (await pinOf('look')).slice(0, 11)]);
    expect(short).toMatchObject({ code: 1 });
    expect((await through(['tools', 'accept', 'journaled', 'look', '--pin', await pinOf('look')])).code).toBe(0);
    expect(await offered()).toEqual(['look']);
    await platform.discard();
    await startAgain('pins: strict');
    expect(await offered()).toEqual(['look']);
    await ask('look', { name: 'strict' });
    expect(journal.began('look', 'strict')).toBe(1);
    await platform.discard();
  });
});
