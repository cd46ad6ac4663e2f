import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idempotencyExtension } from '@stopgo/a2a-agent/idempotency';
import { Secret } from '@stopgo/rpc';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { agentAt, client, delegated, may, never, order } from './orders.ts';
import { type Behaviour, type SdkAgent, type SdkAgentOptions, sdkAgent } from './sdk-agent.ts';
import { sdkAgent03 } from './sdk-agent-0-3.ts';

const working = 2;
const completed = 3;
const failed = 4;
const inputRequired = 6;
const rejected = 7;

const open: SdkAgent[] = [];
async function agent(options: Offer, behave: Behaviour): Promise<SdkAgent> {
  const one = await (options.isOlder ? sdkAgent03(options, behave) : sdkAgent(options, behave));
  open.push(one);
  return one;
}
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** Works for a while, and answers in two pieces. */
const bakes: Behaviour = async ({ text, task, status, artifact, finished }) => {
  task(1);
  status(working, 'In the oven.');
  await new Promise((resolve) => setImmediate(resolve));
  artifact(`${text} Do`);
  artifact('ne.', true);
  status(completed);
  finished();
};

type Offer = SdkAgentOptions & {
  /** Made with the SDK of the 0.3 line. */
  readonly isOlder?: true;
};

const offers: readonly Offer[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'JSONRPC', streaming: true },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '1.0', binding: 'HTTP+JSON', streaming: true },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'JSONRPC', streaming: true },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'HTTP+JSON', streaming: true },
  { version: '1.0', binding: 'GRPC' },
  { version: '1.0', binding: 'GRPC', streaming: true },
  { version: '0.3', binding: 'GRPC' },
  { version: '0.3', binding: 'GRPC', streaming: true },
  { version: '0.3', binding: 'JSONRPC', isOlder: true },
  { version: '0.3', binding: 'JSONRPC', streaming: true, isOlder: true },
  { version: '0.3', binding: 'HTTP+JSON', isOlder: true },
  { version: '0.3', binding: 'HTTP+JSON', streaming: true, isOlder: true },
  { version: '0.3', binding: 'GRPC', isOlder: true },
  { version: '0.3', binding: 'GRPC', streaming: true, isOlder: true },
];
const named = offers.map(
  (offer) =>
    [
      `${offer.version} ${offer.binding}${offer.streaming ? ' stream' : ''}${offer.isOlder ? ' of the 0.3 line' : ''}`,
      offer,
    ] as const,
);

describe.each(named)('an agent of the SDK over %s', (_name, offer) => {
  test('gets the message once, with its ids, and its results come back', async () => {
    const peer = await agent(offer, bakes);
    const own = agentAt(peer.url, { tokenOrigins: [peer.grpcOrigin] });
    const request = order(peer.url, { agent: own, bearer: new Secret('t0ken+/=') });
    const { outcome, told } = await delegated(request);
    expect(outcome).toMatchObject({ kind: 'finished', isError: false, task: { state: 'completed' } });
    const isStreamed = offer.streaming === true;
    // Who streams puts the pieces together; the SDK's own store of tasks, in which some look, makes two parts of them.
    expect(outcome).toHaveProperty(
      'text',
      expect.stringMatching(isStreamed ? /^Buy bread. Do\n?ne.$/ : /^Buy bread. Do\nne.$/),
    );
    expect(peer.taken).toEqual([request.messageId]);
    expect(told.every(({ task }) => task.state === 'working' || task.state === 'submitted')).toBe(true);
    const sent = peer.requests.find(({ headers }) => headers['idempotency-key'] !== undefined);
    expect(sent?.headers).toMatchObject({
      authorization: 'Bearer t0ken+/=',
      'x-session-id': 'a1b2c3d4',
      'a2a-version': offer.version,
      'idempotency-key': request.messageId,
    });
    const body = JSON.stringify(sent?.body);
    expect(body).toContain(request.contextId);
    const isGrpc = offer.binding === 'GRPC';
    if (!isGrpc) expect(/stream/i.test(`${sent?.path} ${body}`)).toBe(isStreamed);
    if (offer.version === '1.0' && (!isGrpc || !isStreamed)) expect(body).toContain('"returnImmediately":true');
    // The card is the same for everybody: no token is shown for it.
    expect(
      peer.requests.filter(({ path }) => path.includes('well-known')).map(({ headers }) => headers.authorization),
    ).toEqual([undefined]);
  });

  test('calls back with the token once its task goes on; one that does not offer that is not asked to', async () => {
    const calls: IncomingHttpHeaders[] = [];
    const hook = createServer((call, answer) => {
      calls.push(call.headers);
      answer.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(hook, 'listening');
    const token = new Secret('t0ken-of-the-callback');
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    const callback = { id: crypto.randomUUID(), url, token };
    for (const notifies of [true, false]) {
      const peer = await agent({ ...offer, notifies }, ({ text, task, status, finished }) => {
        task(text === 'Buy bread.' ? inputRequired : working);
        if (text !== 'Buy bread.') status(completed);
        finished();
      });
      const by = client();
      const { outcome } = await delegated(order(peer.url), by);
      const taskId = outcome.kind === 'asks' ? outcome.task.id : '';
      const request = order(peer.url, { taskId });
      const before = peer.requests.length;
      // The two lines of the SDK do not agree on how 0.3 says that over HTTP+JSON.
      const isHeard = offer.isOlder !== true || offer.binding !== 'HTTP+JSON';
      const kind = notifies ? (isHeard ? 'taken' : 'refused') : 'not_offered';
      expect(await by.notify(request, callback, never)).toMatchObject({ kind });
      expect(peer.requests.length - before).toBe(notifies ? 1 : 0);
      if (kind !== 'taken') continue;
      expect(await by.notify({ ...request, taskId: 'other' }, callback, never)).toMatchObject({ kind: 'refused' });
      const answer = {
        approvalId: '',
        verdict: 'approved',
        result: '',
        messageId: 'm',
        isOneOfSeveral: false,
      } as const;
      await by.answer(request, answer, () => undefined, never, may);
      await vi.waitFor(() => expect(calls.length).toBeGreaterThan(0), 30_000);
      const shown = calls.map((one) => one['x-a2a-notification-token'] ?? one.authorization);
      for (const one of shown) expect(one).toMatch(/^(Bearer )?t0ken-of-the-callback$/);
    }
    hook.close();
  });

  test('says why it has failed, or will not', async () => {
    const peer = await agent(offer, ({ text, task, status, finished }) => {
      task(working);
      status(text.includes('sell') ? rejected : failed, 'No flour.');
      finished();
    });
    const { outcome } = await delegated(order(peer.url));
    expect(outcome).toMatchObject({ kind: 'finished', isError: true, text: 'No flour.', task: { state: 'failed' } });
    const other = await delegated(order(peer.url, { message: 'sell' }));
    expect(other.outcome).toMatchObject({ kind: 'finished', isError: true, task: { state: 'rejected' } });
  });

  test('asks in words, is answered in words under an id, and may ask again', async () => {
    const peer = await agent(offer, ({ text, task, status, artifact, finished }) => {
      task(working);
      if (text === 'Buy bread.') status(inputRequired, 'White or brown?');
      else if (text === 'approved') status(inputRequired, 'Sliced?');
      else {
        artifact(`${text}, so none.`);
        status(completed);
      }
      finished();
    });
    const request = order(peer.url);
    const by = client();
    const { outcome, told } = await delegated(request, by);
    const [first] = outcome.kind === 'asks' ? outcome.questions : [];
    expect(outcome).toMatchObject({ kind: 'asks', questions: [{ kind: 'approval', prompt: 'White or brown?' }] });
    expect(told.map(({ task }) => task.state)).not.toContain('input-required');
    const known = { ...request, taskId: outcome.kind === 'asks' ? outcome.task.id : '' };
    expect(await by.lookUp(known, never)).toMatchObject({ kind: 'asks', questions: [{ key: first?.key }] });
    const yes = { approvalId: '', verdict: 'approved', result: '', messageId: 'yes', isOneOfSeveral: false } as const;
    const next = await by.answer(known, yes, () => undefined, never, may);
    expect(next).toMatchObject({ kind: 'asks', questions: [{ prompt: 'Sliced?' }] });
    const no = { ...yes, verdict: 'rejected', messageId: 'no' } as const;
    expect(await by.answer(known, no, () => undefined, never, may)).toMatchObject({
      kind: 'finished',
      isError: false,
      text: 'rejected, so none.',
    });
    expect(peer.taken).toEqual([request.messageId, 'yes', 'no']);
    const keys = peer.requests.map(({ headers }) => headers['idempotency-key']).filter((key) => key !== undefined);
    expect([...new Set(keys)]).toEqual(peer.taken);
    // The SDK of the 0.3 line breaks while it says so: an error inside of it is no refusal.
    const isBroken = offer.isOlder && offer.streaming && offer.binding === 'HTTP+JSON';
    const late = await by.answer(known, no, () => undefined, never, may);
    expect(late).toMatchObject(
      isBroken ? { kind: 'failed', message: expect.stringContaining('Bug: ') } : { kind: 'unavailable' },
    );
  });

  test('is asked about a task that is known, and asked to end it', async () => {
    const peer = await agent(offer, ({ task, status }) => {
      task(working);
      status(working, 'It takes long.');
    });
    const request = order(peer.url);
    const by = client();
    const parked = new EventEmitter();
    const works = once(parked, 'working');
    const ending = by.delegate(request, ({ task }) => parked.emit(task.state, task.id), never);
    const [taskId] = await works;
    const known = { ...request, taskId };
    expect(await by.lookUp(known, never)).toMatchObject({ kind: 'running', task: { state: 'working' } });
    await by.cancel(known);
    expect(await ending).toMatchObject({ kind: 'finished', isError: true, task: { state: 'canceled' } });
    expect(await by.lookUp(known, never)).toMatchObject({ kind: 'outcome', outcome: { task: { state: 'canceled' } } });
    expect(await by.lookUp({ ...request, taskId: 'nobodys' }, never)).toMatchObject({ kind: 'unknown' });
  });
});

describe('an answer that was lost', () => {
  const loses = (offer: SdkAgentOptions) =>
    agent(
      {
        ...offer,
        before: (request, response, next) => {
          if (request.headers['idempotency-key'] === undefined) return next();
          // What the agent says of the message is not heard.
          response.end = () => response.destroy();
          response.write = () => true;
          next();
        },
      },
      bakes,
    );

  test('is found by the context of the message, where the agent lists its tasks', async () => {
    const peer = await loses({ version: '1.0', binding: 'JSONRPC' });
    const request = order(peer.url);
    const by = client();
    await expect(by.delegate(request, () => undefined, never)).rejects.toThrow();
    await expect
      .poll(() => by.lookUp(request, never))
      .toMatchObject({ kind: 'outcome', outcome: { task: { state: 'completed' }, isError: false } });
    expect(peer.taken).toHaveLength(1);
  });

  test('is nobody’s to know where the agent cannot list, and may be sent again where it takes a message once', async () => {
    const silent = await loses({ version: '0.3', binding: 'JSONRPC' });
    const by = client();
    const request = order(silent.url);
    await expect(by.delegate(request, () => undefined, never)).rejects.toThrow();
    expect(await by.lookUp(request, never)).toMatchObject({ kind: 'unknown' });
    expect(silent.taken).toHaveLength(1);

    const promising = await agent({ version: '1.0', binding: 'JSONRPC', extensions: [idempotencyExtension] }, bakes);
    expect(await by.lookUp(order(promising.url), never)).toEqual({ kind: 'repeatable' });
    const older = await agent({ version: '0.3', binding: 'JSONRPC', extensions: [idempotencyExtension] }, bakes);
    expect(await by.lookUp(order(older.url), never)).toEqual({ kind: 'repeatable' });
    const other = await agent({ version: '1.0', binding: 'JSONRPC' }, bakes);
    expect(await by.lookUp(order(other.url), never)).toMatchObject({ kind: 'unknown' });
  });
});

test('an agent may answer with no more than a message', async () => {
  const peer = await agent({ version: '1.0', binding: 'JSONRPC', streaming: true }, ({ message, finished }) => {
    message('We are closed.');
    finished();
  });
  const { outcome } = await delegated(order(peer.url));
  expect(outcome).toMatchObject({ kind: 'finished', isError: false, text: 'We are closed.', task: { id: '' } });
});

test.each([-32602, -32000])(
  'an agent that repeats the token as it refuses a callback, with %i, is not repeated',
  async (code) => {
    const token = new Secret('t0ken-of-the-callback');
    const peer = await agent(
      {
        ...{ version: '1.0', binding: 'JSONRPC', notifies: true },
        before: (request, response, next) => {
          const { method, id, params } = request.body ?? {};
          if (method !== 'CreateTaskPushNotificationConfig') return next();
          const message = `no: ${JSON.stringify(params)}`;
          if (code === 0) response.status(500).send(message);
          else response.json({ jsonrpc: '2.0', id, error: { code, message } });
        },
      },
      bakes,
    );
    const callback = { id: crypto.randomUUID(), url: 'https://us.example.com/', token };
    const answer = await client()
      .notify(order(peer.url, { taskId: 'task-1' }), callback, never)
      .then(
        (said) => (said.kind === 'refused' ? said.reason : said.kind),
        (error: unknown) => String(error),
      );
    expect(answer).toContain('[redacted]');
    expect(answer).not.toContain(token.reveal());
  },
);
