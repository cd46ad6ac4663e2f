import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill, makeRoom, onSmallDisk, whyNoSmallDisk } from '../small-disk.ts';
import { client, until } from './http.ts';
import { journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, type Platform, start, stopgo, type Workplace, workplace } from './platform.ts';

/** The platform on a real disk that runs full and is given space again; nobody restarts anything. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform | undefined;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
});

afterAll(async () => {
  await platform?.discard();
  await model.stop();
  place.remove();
});

const call = (tool: string, name: string) => ({ message: `call ${tool} ${JSON.stringify({ name })}` });
const full = /^the disk of the event log is full: nothing is recorded until there is space/;

test('a full disk is told to everybody, and when there is space everything goes on by itself, once', async (context) => {
  const why = whyNoSmallDisk(place.folder);
  if (why !== undefined) {
    if (process.env.CI === 'true') throw new Error(`no disk of its own can be had: ${why}`);
    console.warn(`SKIPPED, the full disk: no disk of its own can be had here: ${why}`);
    context.skip();
  }
  platform = await start(place, journaledConfig(place), {
    env: model.env,
    command: 'start',
    asProcess: true,
    within: onSmallDisk(place.dataDir, 32),
  });
  const http = client(platform.url);
  const pid = platform.process.pid ?? 0;
  const journal = journalOf(place);
  expect((await http.get('/health')).text).toBe('{"status":"ok"}');

  const waiting = (await http.post('/conversations', call('erase', 'waiting'))).body;
  const uuid = waiting.result.approval?.uuid;
  const running = http.post('/conversations', call('hold', 'running'));
  await journal.running('hold', 'running');
  fill(pid, place.dataDir);

  for (const refused of [
    await http.post('/conversations', { message: 'hello' }),
    await http.post(`/conversations/${waiting.conversation.id}/cancel`, {}),
    await http.post(`/approvals/${uuid}`, { answer: 'yes' }),
  ]) {
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      error: expect.stringMatching(full),
      reason: 'disk_full',
      recorded: 'nothing',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // The call ends now, and what it came to cannot be recorded.
  journal.letGo('running');
  const health = await http.get('/health');
  expect([health.status, health.body]).toEqual([200, { status: 'degraded', reason: expect.stringMatching(full) }]);
  expect((await stopgo(['health', platform.url])).output).toMatch(
    /\/health is degraded: the disk of the event log is full/,
  );
  expect((await http.get(`/conversations/${waiting.conversation.id}`)).body.conversation.status).toBe(
    'waiting_approval',
  );
  const told = () => platform?.output().match(/the disk of the event log is full/g) ?? [];
  expect(told()).toHaveLength(1);

  makeRoom(pid, place.dataDir);
  await until('it is well again', async () => {
    const { text } = await http.get('/health');
    return text === '{"status":"ok"}' ? true : undefined;
  });
  expect((await running).body.result.response).toContain('let running go');
  const decided = await http.post(`/approvals/${uuid}`, { answer: 'yes' });
  expect([decided.status, decided.body.conversation.run?.status]).toEqual([200, 'completed']);
  expect([journal.began('hold', 'running'), journal.began('erase', 'waiting')]).toEqual([1, 1]);
  expect((await http.get('/conversations')).body.conversations).toHaveLength(2);
  expect(told()).toHaveLength(1);
  expect(platform.output()).toContain('the disk of the event log takes what it is handed again');
});
