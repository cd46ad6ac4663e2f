import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { idempotencyExtension } from '@stopgo/a2a-agent/idempotency';
import { Secret } from '@stopgo/rpc';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventCharactersMax, failuresMax, leftAloneMs, sendTimeoutMs } from '../../src/a2a/bounds.ts';
import { HandClock } from '../driver/one-driver.ts';
import { answeringAgent } from './answering-agent.ts';
import { agentAt, client, delegated, may, never, order } from './orders.ts';
import {
  cardOf,
  isCard,
  result,
  rpcError,
  type ScriptedAgent,
  type ScriptedRequest,
  scriptedAgent,
  sendJson,
} from './scripted-agent.ts';

const open: ScriptedAgent[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const sends = ({ requests }: ScriptedAgent) => requests.filter(({ headers }) => 'idempotency-key' in headers);

describe('what nobody took is unavailable', () => {
  test.each<[string, RegExp, (request: ScriptedRequest, response: ServerResponse) => void]>([
    ['a redirect', /redirect \(HTTP 307\)/, (_, response) => response.writeHead(307, { location: '/x' }).end()],
    ['an address with nothing behind it', /HTTP 404/, (_, response) => response.writeHead(404).end('<p>not here')],
    ['a version that it does not speak', /-32009/, (request, response) => rpcError(request, response, -32009, 'no')],
    [
      'an error status with an error of the protocol',
      /-32602/,
      ({ rpc }, response) =>
        sendJson(response, { jsonrpc: '2.0', id: rpc.id, error: { code: -32602, message: 'bad' } }, 400),
    ],
  ])('%s', async (_name, says, answer) => {
    const agent = await answeringAgent(answer);
    const { outcome } = await delegated(order(agent.url, { bearer: new Secret('s3cret-token') }));
    expect(outcome).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(says) });
    expect(sends(agent)).toHaveLength(1);
    expect(agent.requests.every(({ path }) => path !== '/x')).toBe(true);
  });

  test('an agent that is not there, whatever the reason', async () => {
    const gone = await answeringAgent(() => undefined);
    gone.close();
    expect((await delegated(order(gone.url))).outcome).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const broken = await scriptedAgent((_, response) => response.writeHead(500).end());
    open.push(broken);
    expect((await delegated(order(`${broken.origin}/a2a`))).outcome).toMatchObject({ kind: 'unavailable' });
    expect(sends(broken)).toHaveLength(0);
  });

  test('a token is wanted', async () => {
    const agent = await answeringAgent((_, response) => response.writeHead(401).end());
    expect((await delegated(order(agent.url))).outcome).toEqual({ kind: 'unauthenticated' });
  });
});

describe('what may have arrived is neither sent again nor called a failure', () => {
  test.each<[string, (request: ScriptedRequest, response: ServerResponse) => void]>([
    ['a gateway that lost the agent', (_, response) => response.writeHead(502).end('bad gateway')],
    ['a connection that breaks', (_, response) => response.destroy()],
    ['an answer to something else', (_, response) => sendJson(response, { jsonrpc: '2.0', id: 77, result: {} })],
    ['an answer that is none', (_, response) => response.writeHead(200).end('<p>')],
    [
      'an answer that never ends',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, ' ')));
        };
        response.on('drain', more);
        more();
      },
    ],
  ])('%s', async (_name, answer) => {
    const agent = await answeringAgent(answer);
    await expect(delegated(order(agent.url))).rejects.toThrow();
    expect(sends(agent)).toHaveLength(1);
  });

  test('an agent that hangs, once its time is up', async () => {
    const clock = new HandClock();
    const arrivals = new EventEmitter();
    const agent = await answeringAgent(() => arrivals.emit('message'));
    const arrived = once(arrivals, 'message');
    const outcome = delegated(order(agent.url), client(clock));
    outcome.catch(() => undefined);
    await arrived;
    await clock.pass(sendTimeoutMs - 1);
    await clock.pass(1);
    await expect(outcome).rejects.toThrow('took longer than 300 s');
    expect(sends(agent)).toHaveLength(1);
  });

  test('an agent that hangs, when its caller gives up', async () => {
    const events = new EventEmitter();
    const agent = await answeringAgent((_, response) => {
      response.on('close', () => events.emit('closed'));
      events.emit('message');
    });
    const [arrived, closed] = [once(events, 'message'), once(events, 'closed')];
    const caller = new AbortController();
    const outcome = client().delegate(order(agent.url), () => undefined, caller.signal);
    outcome.catch(() => undefined);
    await arrived;
    caller.abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    await closed;
  });

  test('an agent that could not do it has answered; one that takes a message once may have done it before', async () => {
    const fails = (request: ScriptedRequest, response: ServerResponse) =>
      rpcError(request, response, -32603, 'it broke: Bearer s3cret-token');
    const agent = await answeringAgent(fails);
    const request = { bearer: new Secret('s3cret-token') };
    const { outcome } = await delegated(order(agent.url, request));
    expect(outcome).toMatchObject({ kind: 'finished', isError: true, text: expect.stringContaining('it broke') });
    expect(JSON.stringify(outcome)).not.toContain('s3cret-token');
    const promising = await answeringAgent(fails, { capabilities: { extensions: [{ uri: idempotencyExtension }] } });
    await expect(delegated(order(promising.url, request))).rejects.toThrow('it broke');
  });
});

test('a task whose stream breaks is asked about, through a while without answers', async () => {
  let asked = 0;
  const agent = await answeringAgent(
    (request, response) => {
      const task = (state: string, id = 't') => ({
        id,
        contextId: 'c',
        status: { state: `TASK_STATE_${state}` },
        artifacts: [{ artifactId: 'a', parts: [{ text: 'Done.' }] }],
      });
      if (request.rpc.method === 'SendStreamingMessage') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const event = { jsonrpc: '2.0', id: request.rpc.id, result: { task: task('WORKING') } };
        response.write(`: beat\n\ndata: ${JSON.stringify(event)}\n\n`, () => response.destroy());
        return;
      }
      asked += 1;
      if (asked < 3) response.writeHead(503).end();
      else if (asked === 3) result(request, response, task('COMPLETED', 'another'));
      else result(request, response, task(asked < 6 ? 'WORKING' : 'COMPLETED'));
    },
    { capabilities: { streaming: true } },
  );
  const { outcome, told } = await delegated(order(agent.url));
  expect(outcome).toMatchObject({ kind: 'finished', isError: false, text: 'Done.', task: { id: 't' } });
  expect(told).toEqual([{ task: { id: 't', state: 'working' }, text: '' }]);
  expect(sends(agent)).toHaveLength(1);
});

test.each([
  ['no JSON', 'data: {"token":"s3cret-token"'],
  ['no event', 'data: {"task":{"id":"t","artifacts":[null]}}'],
  ['endless', `data: ${'x'.repeat(eventCharactersMax + 64 * 1024)}`],
])('an event over HTTP+JSON that is %s is printed by nobody; its task is asked about', async (_what, broken) => {
  const working = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
  const agent = await scriptedAgent((request, response) => {
    const url = `http://${request.headers.host}/rest`;
    const supportedInterfaces = [{ url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }];
    if (isCard(request))
      return sendJson(response, cardOf('', { supportedInterfaces, capabilities: { streaming: true } }));
    if (request.method === 'GET')
      return sendJson(response, {
        ...working.task,
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ artifactId: 'a', parts: [{ text: 'Done.' }] }],
      });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(working)}\n\n: beat\n\n`);
    response.end(`${broken}\n\n`);
  });
  open.push(agent);
  const printed = vi.spyOn(console, 'error');
  const { outcome, told } = await delegated(order(`${agent.origin}/rest`));
  expect(outcome).toMatchObject({ kind: 'finished', isError: false, text: 'Done.', task: { id: 't' } });
  expect(told).toMatchObject([{ task: { id: 't', state: 'working' } }]);
  expect(printed).not.toHaveBeenCalled();
  expect(sends(agent)).toHaveLength(1);
});

test('once a task is known, no answer makes it one that nobody took', async () => {
  const agent = await answeringAgent((request, response) => {
    if (request.rpc.method !== 'SendMessage') return void response.writeHead(401).end();
    result(request, response, { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } });
  });
  await expect(delegated(order(agent.url))).rejects.toThrow('lost while its task went on');
  expect(sends(agent)).toHaveLength(1);
});

test('only the one task of the message’s own context is its task', async () => {
  const seen = (id: string, contextId: string) => ({ id, contextId, status: { state: 'TASK_STATE_WORKING' } });
  let tasks: object[] = [];
  const agent = await answeringAgent((request, response) => {
    if (request.rpc.method === 'ListTasks') return result(request, response, { tasks });
    result(request, response, seen('mine', 'own'));
  });
  const request = order(agent.url, { contextId: 'own' });
  const by = client();
  tasks = [seen('foreign', 'other')];
  expect(await by.lookUp(request, never)).toMatchObject({ kind: 'unknown' });
  tasks = [seen('foreign', 'other'), seen('mine', 'own')];
  expect(await by.lookUp(request, never)).toMatchObject({ kind: 'running', task: { id: 'mine' } });
  let looks = 0;
  const late = await answeringAgent((request, response) => {
    if (request.rpc.method !== 'ListTasks') return result(request, response, seen('mine', 'own'));
    looks += 1;
    result(request, response, { tasks: looks < 3 ? [] : [seen('mine', 'own')] });
  });
  expect(await by.lookUp(order(late.url, { contextId: 'own' }), never)).toMatchObject({ task: { id: 'mine' } });
  tasks = [seen('mine', 'own'), seen('second', 'own')];
  expect(await by.lookUp(request, never)).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining('several'),
  });
});

test('an agent that promises to take a message once need not list its tasks', async () => {
  const card = { capabilities: { extensions: [{ uri: idempotencyExtension }] } };
  const agent = await answeringAgent((request, response) => rpcError(request, response, -32601, 'no'), card);
  expect(await client().lookUp(order(agent.url), never)).toEqual({ kind: 'repeatable' });
});

test('a look that is answered with 401 wants a token; an answer that is answered with -32603 has failed', async () => {
  const agent = await answeringAgent((request, response) =>
    request.rpc.method === 'GetTask' ? response.writeHead(401).end() : rpcError(request, response, -32603, 'no paper'),
  );
  const request = order(agent.url, { taskId: 't' });
  const yes = { approvalId: 'q1', verdict: 'approved', result: '', messageId: 'm2', isOneOfSeveral: false } as const;
  expect(await client().lookUp(request, never)).toEqual({ kind: 'unauthenticated' });
  expect(await client().answer(request, yes, () => undefined, never, may)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('no paper'),
  });
});

describe('an agent from before versions', () => {
  const card = { name: 'old', description: 'An old one', url: 'http://0.0.0.0:8082', skills: [{ id: 'x', name: 'x' }] };

  test('is talked to in its own words at the address that is configured', async () => {
    const agent = await scriptedAgent((request, response) => {
      if (request.path === '/.well-known/agent.json') return sendJson(response, card);
      if (isCard(request)) return void response.writeHead(404).end('Cannot GET');
      const parts = [{ type: 'text', text: 'Done.' }];
      if (request.rpc.method === 'message/send')
        return result(request, response, { id: 't', status: { state: 'working' } });
      result(request, response, { id: 't', status: { state: 'completed' }, artifact: { parts } });
    });
    open.push(agent);
    const request = order(`${agent.origin}/a2a`);
    const { outcome } = await delegated(request);
    expect(outcome).toMatchObject({ kind: 'finished', isError: false, text: 'Done.', task: { id: 't' } });
    expect(sends(agent)[0]?.rpc).toMatchObject({
      method: 'message/send',
      params: { message: { role: 'user', parts: [{ type: 'text', text: 'Buy bread.' }] } },
    });
    expect(sends(agent)[0]?.headers).not.toHaveProperty('a2a-version');
    expect(await client().lookUp(request, never)).toMatchObject({ kind: 'unknown' });
    expect(await client().lookUp({ ...request, taskId: 't' }, never)).toMatchObject({
      kind: 'outcome',
      outcome: { text: 'Done.' },
    });
  });

  test('may have no card at all, and ask in a sentence; it is answered with a word, beside its task', async () => {
    const id = '0b6ef5a7-7f2c-4f4e-9d38-2f30a7e0a001';
    const agent = await scriptedAgent((request, response) => {
      if (isCard(request)) return void response.writeHead(404).end();
      const { params = {} } = request.rpc as { params?: { taskId?: string } };
      if (params.taskId !== undefined) return result(request, response, { id: 't', status: { state: 'completed' } });
      const message = `Approval required (id: ${id}): resources_add`;
      const artifact = { parts: [{ type: 'text', text: 'More words.' }] };
      result(request, response, { id: 't', status: { state: 'input-required', message }, artifact });
    });
    open.push(agent);
    const request = order(`${agent.origin}/a2a`, { taskId: 't' });
    const prompt = `Approval required (id: ${id}): resources_add`;
    expect(await client().lookUp(request, never)).toMatchObject({
      kind: 'asks',
      task: { id: 't', state: 'input-required' },
      questions: [{ key: id, kind: 'approval', prompt }],
    });
    const yes = { approvalId: '', verdict: 'approved', result: '', messageId: 'yes', isOneOfSeveral: false } as const;
    expect(await client().answer(request, yes, () => undefined, never, may)).toMatchObject({ kind: 'finished' });
    const parts = [{ type: 'text', text: 'approved' }];
    expect(sends(agent).at(-1)?.rpc).toMatchObject({ params: { taskId: 't', message: { parts } } });
    expect((await delegated(order(agent.origin))).outcome).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('no agent card'),
    });
  });
});

test('what an agent shows of an approval is read, and its answer names it', async () => {
  const id = '0b6ef5a7-7f2c-4f4e-9d38-2f30a7e0a001';
  const data = { approval_id: id, tool: 'pay', server: 'bank', arguments: { to: 'x' }, agents: ['c', 7] };
  const status = (state: string, parts: readonly object[]) => ({
    state,
    message: { messageId: 'm', role: 'ROLE_AGENT', parts },
  });
  const asking = status('TASK_STATE_INPUT_REQUIRED', [{ text: 'May I?' }, { data }, { data: { approval_id: 7 } }]);
  let isOver = false;
  const agent = await answeringAgent((request, response) => {
    const task = { id: 't', contextId: 'c', artifacts: [], status: asking };
    if (request.rpc.method === 'GetTask') return result(request, response, task);
    if (isOver) return rpcError(request, response, -32004, 'the approval is settled');
    result(request, response, { task: { ...task, status: status('TASK_STATE_COMPLETED', [{ text: 'Paid.' }]) } });
  });
  const request = order(agent.url, { taskId: 't', bearer: new Secret('s3cret-token') });
  const found = await client().lookUp(request, never);
  const approval = {
    id,
    tool: 'pay',
    server: 'bank',
    argumentsJson: '{"to":"x"}',
    choices: [],
    agents: ['c'],
  };
  expect(found).toMatchObject({ kind: 'asks', questions: [{ key: id, kind: 'approval', prompt: '', approval }] });
  const no = { approvalId: id, verdict: 'rejected', result: '', messageId: 'no', isOneOfSeveral: false } as const;
  await client().answer(request, no, () => undefined, never, may);
  expect(agent.requests.at(-1)?.rpc.params).toMatchObject({
    // Nothing would tell for minutes that it was taken.
    configuration: { returnImmediately: true },
    message: {
      taskId: 't',
      messageId: 'no',
      parts: [{ text: `reject ${id}` }, { data: { kind: 'decision', approval_id: id, decision: 'reject' } }],
    },
  });
  isOver = true;
  const late = await client().answer(request, no, () => undefined, never, may);
  expect(late).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('settled') });
});

test('an agent that fails again and again is left alone for a while, and then tried once', async () => {
  const clock = new HandClock();
  const by = client(clock);
  const agent = await scriptedAgent((_, response) => response.writeHead(500).end());
  open.push(agent);
  const request = order(`${agent.origin}/a2a`);
  for (let tries = 0; tries < failuresMax; tries += 1) await delegated(request, by);
  const before = agent.requests.length;
  const { outcome } = await delegated(request, by);
  expect(outcome).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('left alone') });
  expect(agent.requests).toHaveLength(before);
  await clock.pass(leftAloneMs);
  await Promise.all([delegated(request, by), delegated(request, by)]);
  expect(agent.requests).toHaveLength(before + 1);
});

test('a token that an agent repeats is not in what it says', async () => {
  const text = 'You are s3cret-token.';
  const status = (state: string) => ({ state, message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } });
  const task = (state: string) => ({ id: 't', contextId: 'c', status: status(state), artifacts: [] });
  const agent = await answeringAgent((request, response) => {
    if (request.rpc.method === 'SendMessage') return result(request, response, { task: task('TASK_STATE_WORKING') });
    result(request, response, task('TASK_STATE_COMPLETED'));
  });
  const request = order(agent.url, { bearer: new Secret('s3cret-token') });
  const all = [await delegated(request), await client().lookUp({ ...request, taskId: 't' }, never)];
  expect(JSON.stringify(all)).toContain('You are [redacted].');
  expect(JSON.stringify(all)).not.toContain('s3cret-token');
});

test('a token goes to no agent that may not have it', async () => {
  const agent = await answeringAgent((_, response) => response.writeHead(404).end());
  const bearer = new Secret('s3cret-token');
  await delegated(order(agent.url, { bearer, agent: agentAt(agent.url, { forwardsBearer: false }) }));
  expect(agent.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});
