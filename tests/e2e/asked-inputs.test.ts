import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, serversIn } from './asking-servers.ts';
import { signsIn } from './bank.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** The list of what people are asked, over all conversations: whose they are, in which order, in pages. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let boss: Readonly<Record<string, string>>;
let ana: Readonly<Record<string, string>>;
let bob: Readonly<Record<string, string>>;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  const jwt = await jwtTaken(place.folder);
  // Several calls of one server wait for people at once.
  const servers = serversIn(place).replace('era: modern', 'era: modern\n    concurrency: 4');
  platform = await start(place, servers + signsIn(jwt), { env: model.env });
  const setupKey = [place.dataDir, join(place.dataDir, 'approvals'), join(place.dataDir, 'approvals-1')]
    .map((folder) => join(folder, 'setup-key'))
    .find(existsSync);
  if (setupKey === undefined) throw new Error('there is no setup-key');
  const headers = { 'x-api-key': readFileSync(setupKey, 'utf8').trim() };
  await send('POST', '/users', headers, { email: 'boss@x.example', name: 'Boss' });
  boss = bearer(await tokenOf('boss@x.example'));
  ana = bearer(await tokenOf('ana@x.example'));
  bob = bearer(await tokenOf('bob@x.example'));
}, 150_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  sendJson(new URL(path, platform.url), method, headers, body);

async function asks(headers: Readonly<Record<string, string>>, name: string) {
  const { status, json } = await send('POST', '/conversations', headers, call('new_order', { name }));
  expect(status).toBe(201);
  const { id, pending_inputs: inputs } = json.conversation;
  expect(inputs).toHaveLength(1);
  return { id, path: `/conversations/${id}/inputs/${inputs[0].id}`, shown: inputs[0] };
}

/** All that somebody is shown, page by page; a list may lag behind. */
async function listed(headers: Readonly<Record<string, string>>, limit = 100) {
  const messages: string[] = [];
  let total = 0;
  let cursor: string | undefined;
  do {
    const more: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { status, json } = await send('GET', `/inputs?limit=${limit}${more}`, headers);
    expect(status).toBe(200);
    messages.push(...json.inputs.map(({ message }: { message: string }) => message));
    ({ total, next_cursor: cursor } = json);
  } while (cursor !== undefined);
  expect(total).toBe(messages.length);
  return messages;
}

test('everybody sees what is asked in their own conversations, an administrator all, and what is answered is gone', async () => {
  const first = await asks(ana, 'of ana');
  await asks(bob, 'of bob');
  const last = await asks(ana, 'again of ana');
  const all = ['What about of ana?', 'What about of bob?', 'What about again of ana?'];
  const ofAna = [all[0], all[2]];
  await expect.poll(() => listed(boss)).toEqual(all);
  await expect.poll(() => listed(boss, 1)).toEqual(all);
  await expect.poll(() => listed(ana, 1)).toEqual(ofAna);
  await expect.poll(() => listed(bob)).toEqual([all[1]]);
  const { json } = await send('GET', '/inputs?status=pending&limit=1', ana);
  expect(json.inputs).toEqual([first.shown]);
  expect(json.inputs[0]).toMatchObject({ conversation_id: first.id, server: 'new', mode: 'form' });

  // What somebody else's conversation asks is not theirs to answer.
  expect((await send('POST', first.path, bob, { action: 'decline' })).status).toBe(404);
  expect((await send('POST', first.path, ana, { action: 'decline' })).status).toBe(200);
  await expect.poll(() => listed(ana)).toEqual([all[2]]);
  expect((await send('POST', `/conversations/${last.id}/cancel`, ana, {})).status).toBe(200);
  await expect.poll(() => listed(ana)).toEqual([]);
  await expect.poll(() => listed(boss)).toEqual([all[1]]);
});

test('whoever is not signed in, and who asks for what there is not, is told so', async () => {
  expect((await send('GET', '/inputs', {})).status).toBe(401);
  for (const query of ['status=answered', 'limit=0', 'cursor=x', 'sort=up'])
    expect([query, (await send('GET', `/inputs?${query}`, ana)).status]).toEqual([query, 400]);
});
