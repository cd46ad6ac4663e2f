import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, root, start, type Workplace, workplace } from './platform.ts';

/** Two callers at the same time, each with a token, and servers that keep something of whoever calls. */
const script = join(root, 'services/mcp-bridge/test/fixtures/notes-server.mjs');
const tokens = { alice: 'bearer-of-alice-41f0c9', bob: 'bearer-of-bob-7d2e58' } as const;
type Caller = keyof typeof tokens;
type Line = {
  readonly call?: string;
  readonly request?: string;
  readonly who: string;
  readonly session?: string;
};

let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
const children: ChildProcess[] = [];

async function notesServer(era: string): Promise<string> {
  const child = spawn(process.execPath, [script, journalOf(era), era], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const printed = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
  return printed.toString().trim();
}

const journalOf = (era: string) => join(place.folder, `notes-${era}`);
const linesOf = (era: string) =>
  readFileSync(journalOf(era), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  const [old, modern] = await Promise.all(['legacy', 'modern'].map(notesServer));
  const yaml = `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - { name: old, url: "${old}", era: legacy }
  - { name: new, url: "${modern}", era: modern }
`;
  platform = await start(place, yaml, { env: model.env });
  http = client(platform.url);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  for (const child of children) child.kill('SIGKILL');
  await model.stop();
  place.remove();
});

const headers = (caller: Caller | undefined): Record<string, string> =>
  caller === undefined ? {} : { authorization: `Bearer ${tokens[caller]}` };
const ask = (caller: Caller | undefined, tool: string, args: object = {}): Promise<Answer> =>
  http.post('/conversations', { message: `call ${tool} ${JSON.stringify(args)}` }, headers(caller));
const resultOf = ({ body }: Answer) =>
  body.conversation.messages
    .flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call.result]))
    .at(-1);
const both = <T>(work: (caller: Caller) => Promise<T>): Promise<readonly [T, T]> =>
  Promise.all([work('alice'), work('bob')]);

describe.each([
  ['legacy', 'old'],
  ['modern', 'new'],
])('at a server of the %s era', (era, prefix) => {
  test('callers who are inside at the same time each have their own token with them, and their own notes', async () => {
    // Neither ends before the other is inside too.
    const [alice, bob] = await both((caller) => ask(caller, `${prefix}_meet`));
    expect([resultOf(alice), resultOf(bob)]).toEqual(['[]', '[]']);
    const inside = linesOf(era).filter(({ call }) => call === `${prefix}_meet`);
    expect(inside.map(({ who }) => who).sort()).toEqual([`Bearer ${tokens.alice}`, `Bearer ${tokens.bob}`]);

    const asked = await both((caller) => ask(caller, `${prefix}_remember`, { text: `note of ${caller}` }));
    expect(asked.map(({ body }) => body.result.waiting_approval)).toEqual([true, true]);
    const [first, second] = asked.map(({ body }) => `/approvals/${body.result.approval?.uuid}`);
    await Promise.all([
      http.post(second ?? '', { approved: true }, headers('bob')),
      http.post(first ?? '', { approved: true }, headers('alice')),
    ]);
    for (let round = 0; round < 4; round += 1) {
      const seen = await both((caller) => ask(caller, `${prefix}_recall`));
      expect(seen.map(resultOf)).toEqual(['["note of alice"]', '["note of bob"]']);
    }
    expect(resultOf(await ask(undefined, `${prefix}_recall`))).toBe('[]');
  });

  test('a conversation that one goes on with after the other is made with the token of whoever goes on', async () => {
    const begun = await ask('alice', `${prefix}_recall`);
    expect(resultOf(begun)).toBe('["note of alice"]');
    const path = `/conversations/${begun.body.conversation.id}/messages`;
    const next = await http.post(path, { message: `call ${prefix}_recall {}` }, headers('bob'));
    expect(resultOf(next)).toBe('["note of bob"]');
    const last = await http.post(path, { message: `call ${prefix}_recall {}` });
    expect(resultOf(last)).toBe('[]');
  });
});

test('no session is ever used by two callers, its first and last requests included', () => {
  const users = new Map<string, Set<string>>();
  for (const { session, who } of linesOf('legacy'))
    if (session !== undefined) users.set(session, (users.get(session) ?? new Set()).add(who));
  const all = [...users.values()].map((one) => [...one]);
  for (const one of all) expect(one).toHaveLength(1);
  expect(new Set(all.flat())).toEqual(new Set([`Bearer ${tokens.alice}`, `Bearer ${tokens.bob}`, 'nobody']));
  // Whoever opened it brought the same token: a handshake has no session yet.
  const opened = linesOf('legacy').filter(({ request, session }) => request === 'POST' && session === undefined);
  expect(opened.map(({ who }) => who).sort()).toEqual(all.flat().sort());
});

test('neither token is in what is shown or logged', async () => {
  const { text } = await http.get('/conversations?limit=50');
  for (const token of Object.values(tokens)) {
    expect(text).not.toContain(token);
    expect(platform.output()).not.toContain(token);
  }
});
