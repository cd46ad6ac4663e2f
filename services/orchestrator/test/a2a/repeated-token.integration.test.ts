import type { ServerResponse } from 'node:http';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { quotedCharactersMax } from '../../src/a2a/bounds.ts';
import { questionWordsBytesMax } from '../../src/a2a/cut-questions.ts';
import { answeringAgent } from './answering-agent.ts';
import { agentAt, client, may, never, order } from './orders.ts';
import { result, rpcError, type ScriptedRequest, sendJson } from './scripted-agent.ts';

const token = 's3cret-token';
async function answering(...scene: Parameters<typeof answeringAgent>): Promise<string> {
  return (await answeringAgent(...scene)).url;
}

/** An agent whose task waits, and shows this. */
function asking(state: string, ...parts: readonly object[]): Promise<string> {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts };
  return answering((request, response) =>
    result(request, response, { id: 't', contextId: 'c', artifacts: [], status: { state, message } }),
  );
}

const shows = (more: object) => [
  { text: 'May I?' },
  { data: { approval_id: 'q1', tool: 'pay', arguments: {}, ...more } },
];

test.each<[string, readonly object[]]>([
  ['its arguments', shows({ arguments: { auth: `Bearer ${token}` } })],
  ['its words', shows({ description: `You are ${token}.` })],
  ['the name of its tool', shows({ tool: token })],
  ['an agent between', shows({ agents: [token] })],
  ['its choices', shows({ choices: [token] })],
  ['a sentence', [{ text: `May I use ${token}?` }]],
])('a question with the token in %s is marked, and told to nobody, whoever looks', async (_, parts) => {
  const by = client();
  const request = order(await asking('TASK_STATE_INPUT_REQUIRED', ...parts), { taskId: 't' });
  const looks = [
    await by.lookUp({ ...request, bearer: new Secret(token) }, never),
    // Whoever watches has no token; somebody else's is no help either.
    await by.lookUp(request, never),
    await by.lookUp({ ...request, bearer: new Secret('another-token') }, never),
  ];
  for (const found of looks) {
    expect(found).toMatchObject({ kind: 'asks', questions: [{ kind: 'approval', holdsToken: true }] });
    expect(JSON.stringify(found)).not.toContain(token);
  }
});

test.each(['INPUT', 'AUTH'])(
  'a token where long words are cut is not on the record, not even in part: %s',
  async (kind) => {
    // With any length of the mark that is put in the place of the rest, some token here is cut in two.
    const text = `${'x'.repeat(questionWordsBytesMax - 400)}${token.repeat(40)}${'y'.repeat(100_000)}`;
    const url = await asking(`TASK_STATE_${kind}_REQUIRED`, { text });
    const found = await client().lookUp({ ...order(url, { taskId: 't' }), bearer: new Secret(token) }, never);
    const [question] = found.kind === 'asks' ? found.questions : [];
    expect(question?.prompt).toContain('[redacted]');
    expect(question?.prompt).not.toContain(token.slice(0, 4));
    expect(question?.prompt.length).toBeLessThanOrEqual(questionWordsBytesMax);
  },
);

test('what an agent says that wants another token is shown without the one that it had', async () => {
  const request = order(await asking('TASK_STATE_AUTH_REQUIRED', { text: `${token} has expired.` }), { taskId: 't' });
  const by = client();
  await by.lookUp({ ...request, bearer: new Secret(token) }, never);
  const found = await by.lookUp(request, never);
  expect(found).toMatchObject({ questions: [{ kind: 'auth', prompt: '[redacted] has expired.' }] });
  expect(JSON.stringify(found)).not.toContain('holdsToken');
});

test('no error of a look repeats a token, not even to who looks without', async () => {
  let asked = 0;
  const url = await answering((request, response) => {
    asked += 1;
    if (asked > 1) return rpcError(request, response, -32603, `the session of ${token} has timed out`);
    result(request, response, { id: 't', contextId: 'c', artifacts: [], status: { state: 'TASK_STATE_WORKING' } });
  });
  const by = client();
  const request = order(url, { taskId: 't' });
  await by.lookUp({ ...request, bearer: new Secret(token) }, never);
  const error = await by.lookUp(request, never).catch(String);
  expect(error).toMatch(/the session of \S+ has timed out/);
  expect(error).not.toContain(token);
});

test('a token that contains another of the conversation is hidden whole', async () => {
  const by = client();
  const longer = `${token}-of-alice`;
  const request = order(await asking('TASK_STATE_AUTH_REQUIRED', { text: `${longer}, ${token}.` }), { taskId: 't' });
  for (const one of [token, longer]) await by.lookUp({ ...request, bearer: new Secret(one) }, never);
  expect(await by.lookUp(request, never)).toMatchObject({ questions: [{ prompt: '[redacted], [redacted].' }] });
});

test.each([['INPUT'], ['AUTH']])(
  'a token that is named as the approval is in no key, in whatever letters: %s',
  async (kind) => {
    const named = 'A1B2C3D4-5E6F-4A1B-8C2D-3E4F5A6B7C8D';
    for (const shown of [named, named.toLowerCase()]) {
      const url = await asking(`TASK_STATE_${kind}_REQUIRED`, { text: `Approval required (id: ${shown}): pay` });
      const found = await client().lookUp({ ...order(url, { taskId: 't' }), bearer: new Secret(named) }, never);
      const marked = kind === 'INPUT' ? { key: '[redacted]', holdsToken: true } : { key: 'auth [redacted]' };
      expect(found).toMatchObject({ kind: 'asks', questions: [marked] });
      expect(JSON.stringify(found).toLowerCase()).not.toContain(named.toLowerCase());
    }
  },
);

test('a token with signs of patterns in it is hidden as it is, and no other', async () => {
  const signs = 'a+b/c.d$(e)[f]|g\\^{h}*?==';
  const url = await asking('TASK_STATE_AUTH_REQUIRED', { text: `${signs} is not aab/cxd.` });
  const found = await client().lookUp({ ...order(url, { taskId: 't' }), bearer: new Secret(signs) }, never);
  expect(found).toMatchObject({ questions: [{ prompt: '[redacted] is not aab/cxd.' }] });
});

test('a token is hidden as JSON and addresses spell it, too', async () => {
  const signs = 'a+b/c"d\\e==';
  const bearer = new Secret(signs);
  const url = await asking('TASK_STATE_AUTH_REQUIRED', { text: `Go to /?t=${encodeURIComponent(signs)}&u=1` });
  const found = await client().lookUp({ ...order(url, { taskId: 't' }), bearer }, never);
  expect(found).toMatchObject({ questions: [{ prompt: 'Go to /?t=[redacted]&u=1' }] });
  const shown = await asking('TASK_STATE_INPUT_REQUIRED', ...shows({ arguments: { auth: signs } }));
  const asked = await client().lookUp({ ...order(shown, { taskId: 't' }), bearer }, never);
  expect(asked).toMatchObject({ questions: [{ holdsToken: true }] });
});

test('the longest token that a request can have is hidden', async () => {
  const longest = '"'.repeat(15_000);
  const url = await asking('TASK_STATE_AUTH_REQUIRED', { text: `Not with ${longest}.` });
  const found = await client().lookUp({ ...order(url, { taskId: 't' }), bearer: new Secret(longest) }, never);
  expect(found).toMatchObject({ questions: [{ prompt: 'Not with [redacted].' }] });
});

// Wherever within its first kilobyte an error would be cut, some token is there.
const long = `${'x'.repeat(300)} ${token.repeat(200)}`;

test.each<[string, (request: ScriptedRequest, response: ServerResponse) => void]>([
  ['a refusal', (request, response) => rpcError(request, response, -32602, long)],
  ['a failure', (request, response) => rpcError(request, response, -32603, long)],
  ['an error status', (_, response) => sendJson(response, { error: { code: 403, message: long } }, 403)],
])('a token where the long words of an error are cut is told nobody, not even in part: %s', async (_, answer) => {
  const url = await answering(answer);
  const bearer = new Secret(token);
  const told = [
    JSON.stringify(await client().delegate({ ...order(url), bearer }, () => undefined, never)),
    String(
      await client()
        .lookUp({ ...order(url, { taskId: 't' }), bearer }, never)
        .catch(String),
    ),
  ];
  for (const one of told) {
    expect(one).toContain('x [redacted]');
    expect(one).not.toContain(token.slice(0, 4));
    expect(one.length).toBeLessThan(2_000);
  }
});

test('words of an error that are too long to be looked through are not told', async () => {
  const url = await answering((request, response) =>
    rpcError(request, response, -32602, 'sk-'.repeat(quotedCharactersMax)),
  );
  expect(await client().delegate(order(url), () => undefined, never)).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('too many to be repeated'),
  });
});

test('a defect that what an agent answers has led to says where it is, and nothing of a token', async () => {
  // An SDK looks for a member of what is only a text.
  const url = await answering((_, response) => sendJson(response, `You are ${token}.`), {}, '0.3');
  const bearer = new Secret(token);
  const request = { ...order(url, { taskId: 't' }), bearer };
  const answer = { approvalId: '', verdict: 'approved', result: '', messageId: 'm', isOneOfSeveral: false } as const;
  const [by, tell] = [client(), () => undefined];
  const errors = [
    await by.lookUp(request, never).catch((error: unknown) => error),
    await by.lookUp(order(url, { taskId: 't' }), never).catch((error: unknown) => error),
    await by.delegate({ ...order(url), bearer }, tell, never).catch((error: unknown) => error),
    await by.answer(request, answer, tell, never, may).catch((error: unknown) => error),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(TypeError);
    const { message, stack } = error as TypeError;
    expect(stack).toMatch(/^TypeError: .*You are \[redacted\]\.\n {4}at \S/);
    expect(`${message} ${stack}`).not.toContain(token);
  }
});

test('an answer that is no JSON is told without the piece of it that the runtime shows', async () => {
  const text = `{"member": "${'x'.repeat(50)}", "other": ${token}-of-alice}`;
  const url = await answering((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  );
  const request = { ...order(url, { taskId: 't' }), bearer: new Secret(`${token}-of-alice`) };
  const callback = { id: 'c', url: 'http://127.0.0.1:1/', token: new Secret('another-token') };
  const capabilities = { pushNotifications: true };
  const notifying = await answering((_, response) => response.writeHead(200).end(text), { capabilities });
  // Of an event the client library shows the first hundred characters.
  const event = `data: {"member": "${'x'.repeat(75)}", ${token}-of-alice}\n\n`;
  const streaming = await answering(
    (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event),
    { capabilities: { streaming: true } },
  );
  const errors = [
    await client().lookUp(request, never).catch(String),
    await client()
      .notify({ ...request, agent: agentAt(notifying) }, callback, never)
      .catch(String),
    await client()
      .delegate({ ...request, agent: agentAt(streaming), taskId: '' }, () => undefined, never)
      .catch(String),
  ];
  expect(errors).toEqual(errors.map(() => 'Error: the answer cannot be read'));
});

test('a task that is named by the token is none', async () => {
  const url = await answering((request, response) => {
    const status = {
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: shows({}) },
    };
    result(request, response, { task: { id: `task of ${token}`, contextId: 'c', artifacts: [], status } });
  });
  const told: unknown[] = [];
  const request = { ...order(url), bearer: new Secret(token) };
  const end = await client().delegate(request, (update) => told.push(update), never);
  expect(end.kind).not.toBe('asks');
  expect(JSON.stringify([end, told])).not.toContain(token);
});
