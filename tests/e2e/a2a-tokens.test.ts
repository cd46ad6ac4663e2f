import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeenTask, STORY_PEERS, type StoryPeer } from './a2a-peers.ts';
import { client } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { filesOf, spellings } from './spellings.ts';

/**
 * A bearer token goes from agent to agent and to tools as it came, the session's id with it; the token is kept nowhere, so that
 * who drives a run on after a restart has to be brought it again.
 */
const token = 'chained+token/5be1f00d7c3a==';
const sessionId = 'sid-of-the-chain';
const longMs = 120_000;

let model: ScriptedModel;
let tools: HttpTools;

beforeAll(async () => {
  model = await scriptedModel();
  // A tool that repeats the token in what it says would put it on the record in its own words.
  tools = await httpTools({ bearer: () => token, onCall: ({ tool }) => `${tool} done` });
});

afterAll(async () => {
  await Promise.all([model.stop(), tools.stop()]);
});

const config = (place: Workplace, name: string, more: string): string => `
name: ${name}
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
log_level: debug
${more}`;

const withTools = () => `mcp_servers:\n  - name: desk\n    url: ${tools.url}\n    auth: forward\n`;
const asking = (name: string, url: string) => `agent: {type: a2a, name: ${name}, url: "${url}/a2a"}\n`;

/** Where a secret is found in what platforms wrote and said, and in what was answered. */
function foundIn(places: readonly Workplace[], said: Readonly<Record<string, string>>): string[] {
  const files = places.flatMap(({ dataDir }) => filesOf(dataDir).map((file) => [file, readFileSync(file, 'latin1')]));
  expect(files.length).toBeGreaterThan(0);
  return [...files, ...Object.entries(said)].flatMap(([where = '', text = '']) =>
    spellings(token).some((spelling) => text.includes(spelling)) ? [where] : [],
  );
}

test('a token and a session id go through three agents to a tool, and stay nowhere', { timeout: longMs }, async () => {
  const places = [workplace(), workplace(), workplace()] as const;
  const [atA, atB, atC] = places;
  const running: Platform[] = [];
  const run = async (place: Workplace, name: string, more: string): Promise<Platform> => {
    const one = await start(place, config(place, name, more), { env: model.env });
    running.push(one);
    return one;
  };
  try {
    const c = await run(atC, 'last', withTools());
    const b = await run(atB, 'middle', asking('to_last', c.url));
    const a = await run(atA, 'first', asking('to_middle', b.url));
    const headers = { authorization: `Bearer ${token}`, 'x-session-id': sessionId };
    const done = await client(a.url).post('/conversations', { message: 'call whoami {}' }, headers);
    expect(done.body.result.response).toContain('whoami done');
    expect(tools.calls.at(-1)).toMatchObject({ tool: 'whoami', authorization: `Bearer ${token}` });
    const bare = await client(a.url).post('/conversations', { message: 'hello' }, { 'x-session-id': 'other-sid' });
    expect(bare.status).toBe(201);

    const said: Record<string, string> = { 'the answer': `${done.text} ${JSON.stringify([...done.headers])}` };
    for (const [index, { url }] of running.entries()) {
      said[`the conversations of ${index}`] = (await client(url).get('/conversations?include=messages')).text;
      expect(said[`the conversations of ${index}`]).toContain(sessionId);
    }
    for (const one of running) await one.end('SIGTERM');
    for (const [index, one] of running.entries()) {
      said[`the output of ${index}`] = one.output();
      for (const sid of [sessionId, 'other-sid'])
        expect(one.output(), `agent ${index}`).toMatch(new RegExp(`POST .*sid=${sid} `));
    }
    expect(foundIn(places, said)).toEqual([]);
  } finally {
    for (const one of running) await one.discard();
    for (const place of places) place.remove();
  }
});

test('a token goes over plain http to a host that is allowed by name, and to no other', {
  timeout: longMs,
}, async () => {
  const places = [workplace(), workplace(), workplace()] as const;
  const running: Platform[] = [];
  const run = async (place: Workplace, name: string, more: string): Promise<Platform> => {
    const one = await start(place, config(place, name, more), { env: model.env });
    running.push(one);
    return one;
  };
  try {
    const last = await run(places[0], 'last', withTools());
    // It leads to this machine, and is no loopback address.
    const asksLast = asking('to_last', last.url.replace('127.0.0.1', '0.0.0.0'));
    const allowed = await run(places[1], 'allowed', `allow_http_tokens_to: ["0.0.0.0"]\n${asksLast}`);
    const other = await run(places[2], 'other', `allow_http_tokens_to: [agent-b]\n${asksLast}`);
    const ask = (one: Platform) =>
      client(one.url).post('/conversations', { message: 'call whoami {}' }, { authorization: `Bearer ${token}` });
    expect((await ask(allowed)).body.result.response).toContain('whoami done');
    expect(tools.calls.at(-1)).toMatchObject({ tool: 'whoami', authorization: `Bearer ${token}` });
    expect(allowed.output()).toContain('tokens of callers may go to 0.0.0.0 over plain http');
    const withToken = tools.calls.length;
    expect((await ask(other)).text).not.toContain('whoami done');
    expect(tools.calls.slice(withToken).filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  } finally {
    for (const one of running) await one.discard();
    for (const place of places) place.remove();
  }
});

/** What a peer of the dialect before 0.3 does, as the others do it. */
const legacy = (url: string): Pick<StoryPeer, 'send' | 'get'> => {
  const ask = async (method: string, params: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await client(url).post('/a2a', { jsonrpc: '2.0', id: 1, method, params }, headers);
    const { result } = JSON.parse(answer.text);
    const { id, status, artifact } = result;
    const results = artifact === undefined ? [] : [artifact.parts[0].text as string];
    return { id, contextId: '', state: status.state, says: status.message ?? '', shown: [], results, history: [] };
  };
  return {
    send: ({ text, taskId }, headers): Promise<SeenTask> =>
      ask('message/send', { taskId, message: { role: 'user', parts: [{ type: 'text', text }] } }, headers),
    get: (id) => ask('tasks/get', { id }),
  };
};

test('after a restart a task wants its token again, and says so in every dialect', { timeout: longMs }, async () => {
  const place = workplace();
  const startIt = () => start(place, config(place, 'desk', `${withTools()}a2a_grpc_port: 0\n`), { env: model.env });
  const ways = { ...STORY_PEERS, legacy: async (url: string) => legacy(url) };
  let platform = await startIt();
  const said: Record<string, string> = {};
  try {
    const headers = { authorization: `Bearer ${token}` };
    const parked = new Map<string, SeenTask>();
    for (const [how, connect] of Object.entries(ways)) {
      const waiting = await (await connect(platform.url)).send({ text: 'call pay {}' }, headers);
      expect(waiting.state, how).toBe('input-required');
      parked.set(how, waiting);
    }
    await platform.discard();
    said['the first output'] = platform.output();
    platform = await startIt();
    for (const [how, connect] of Object.entries(ways)) {
      const { id = '' } = parked.get(how) ?? {};
      const peer = await connect(platform.url);
      const called = tools.calls.length;
      const paused = await peer.send({ text: 'yes', taskId: id });
      expect([paused.state, paused.says], how).toEqual([
        'auth-required',
        expect.stringContaining('Authentication required'),
      ]);
      const seen = await peer.get(id, 0);
      expect([seen.state, seen.says], how).toEqual([paused.state, paused.says]);
      expect(tools.calls, how).toHaveLength(called);
      if ('follow' in peer) {
        const following = (peer as StoryPeer).follow(id);
        expect((await following.next()).value, how).toEqual({ kind: 'task', tells: 'auth-required' });
        await following.return();
      }
      // Without a token it still wants one.
      expect((await peer.send({ text: 'go on', taskId: id })).state, how).toBe('auth-required');
      const done = await peer.send({ text: 'here it is', taskId: id }, headers);
      expect([done.id, done.state, done.results.join()], how).toEqual([
        id,
        'completed',
        expect.stringContaining('pay done'),
      ]);
      expect(tools.calls.slice(called), how).toMatchObject([{ tool: 'pay', authorization: `Bearer ${token}` }]);
      said[how] = JSON.stringify([paused, seen, done]);
    }
    said.conversations = (await client(platform.url).get('/conversations?include=messages')).text;
    await platform.end('SIGTERM');
    said['the last output'] = platform.output();
    expect(foundIn([place], said)).toEqual([]);
  } finally {
    await platform.discard();
    place.remove();
  }
});
