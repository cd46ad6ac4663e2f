import { afterEach, expect, test } from 'vitest';
import { until } from './http.ts';
import { type RemoteAgent, remoteAgent } from './remote-agent.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Delegating to an agent that is made with the official SDK, from a message to its answer in the conversation. */
let tree: PlantedTree | undefined;
let peer: RemoteAgent | undefined;

afterEach(async () => {
  await tree?.end();
  peer?.end();
  tree = undefined;
  peer = undefined;
});

const sending = ({ requests }: RemoteAgent) => requests.filter(({ headers }) => 'idempotency-key' in headers);

test('a model delegates to a destructive agent: nothing is sent before a yes, and all that belongs to it after that', async () => {
  peer = await remoteAgent();
  const a2a = [{ name: 'peer', url: peer.url, description: 'Pays.', destructiveHint: true }];
  tree = await plant({ name: 'clerk', prompt: 'CLERK, help.', a2a });
  const tools = (await tree.http.get('/tools')).body.tools;
  expect(tools.find(({ name }) => name === 'a2a_peer')).toMatchObject({
    description: "Delegate task to A2A agent 'peer'. Pays.",
    destructiveHint: true,
  });
  await tree.model.script(
    { match: 'settle', calls: [{ name: 'a2a_peer', args: { message: 'pay 5' } }] },
    { text: 'It is paid.' },
  );
  const headers = { 'X-Session-ID': 'sid-of-this', Authorization: 'Bearer t0ken-of-this' };
  const asked = await tree.ask('settle it', headers);
  const { approval } = asked.body.result;
  expect(approval).toMatchObject({ tool_name: 'a2a_peer', tool_args: { message: 'pay 5' } });
  expect(peer.requests).toEqual([]);

  const done = await tree.http.post(
    `/approvals/${approval?.uuid}`,
    { approved: true },
    { Authorization: headers.Authorization },
  );
  // The decision names no session: it is made in that of its conversation, and so is what follows from it.
  expect(done.headers.get('x-session-id')).toBe('sid-of-this');
  expect(done.body.result).toMatchObject({ response: 'It is paid.', waiting_approval: false });
  expect(peer.taken).toEqual(['pay 5']);
  const [sent] = sending(peer);
  expect(sent?.headers).toMatchObject({
    authorization: 'Bearer t0ken-of-this',
    'x-session-id': 'sid-of-this',
    'a2a-version': '1.0',
  });
  expect(sent).toMatchObject({ body: { params: { message: { messageId: sent?.headers['idempotency-key'] } } } });
  const results = done.body.conversation.messages.flatMap(({ tool_call: call }) => call?.result ?? []);
  expect(results).toEqual(['pay 5: done']);
  expect(`${tree.platform.output()}${done.text}`).not.toContain('t0ken-of-this');
});

test('a node delegates, and what the agent answers is there for the next; one that is gone is an answer, too', async () => {
  peer = await remoteAgent();
  const asks = { type: 'a2a', name: 'desk', url: peer.url, prompt: 'look up {what}', output_key: 'found' };
  const first = { name: 'first', prompt: 'FIRST, say what.', output_key: 'what' };
  const last = {
    name: 'last',
    prompt: 'LAST, tell of {found}',
    a2a: [{ name: 'gone', url: 'http://127.0.0.1:9/a2a' }],
  };
  tree = await plant({ type: 'sequential', agents: [first, asks, last] });
  await tree.model.script(
    { prompt: 'FIRST', text: 'bread' },
    { prompt: 'LAST', calls: [{ name: 'a2a_gone', args: { message: 'hello' } }] },
    { prompt: 'LAST', text: 'So be it.' },
  );
  const { body } = await tree.ask('go');
  expect(body.result.response).toContain('So be it.');
  expect(await tree.asked('LAST, tell of look up bread: done')).toHaveLength(2);
  const [failed] = body.conversation.messages.filter(({ tool_call: call }) => call?.is_error === true);
  expect(failed?.tool_call?.result).toMatch(/^Sub-agent unavailable: gone: no connection to .* \(ECONNREFUSED\)$/);
});

test('a task goes on while the platform is dead, and is found again: it is sent once', async () => {
  peer = await remoteAgent();
  tree = await plant({ type: 'a2a', name: 'desk', url: peer.url }, { asProcess: true });
  peer.hold();
  const { taken } = peer;
  const created = await tree.http.post('/conversations', {});
  const { id } = created.body.conversation;
  const lost = tree.http.post(`/conversations/${id}/messages`, { message: 'bake' }).catch(() => undefined);
  await until('the agent works', async () => (taken.length > 0 ? true : undefined));
  await tree.again('SIGKILL');
  await lost;
  peer.letGo();
  const settled = await tree.settled(id);
  expect(settled.body.conversation.run?.status).toBe('completed');
  expect(settled.text).toContain('bake: done');
  expect(taken).toEqual(['bake']);
  expect(sending(peer)).toHaveLength(1);
});

test('an agent that is configured without a description is described to models by its card', async () => {
  peer = await remoteAgent();
  tree = await plant({ name: 'clerk', prompt: 'CLERK, help.', a2a: [{ name: 'peer', url: peer.url }] });
  const { http, model } = tree;
  await until('the card is known', async () => {
    await http.post('/conversations', { message: 'hello' });
    const requests = await model.requests();
    return JSON.stringify(requests.at(-1)?.body).includes("Delegate task to A2A agent 'peer'. A peer")
      ? true
      : undefined;
  });
});

test('a run that is canceled has its agent end the task', async () => {
  peer = await remoteAgent();
  tree = await plant({ type: 'a2a', name: 'desk', url: peer.url });
  peer.hold();
  const { taken, requests } = peer;
  const created = await tree.http.post('/conversations', {});
  const { id } = created.body.conversation;
  const answer = tree.http.post(`/conversations/${id}/messages`, { message: 'bake' });
  await until('the agent works', async () => (taken.length > 0 ? true : undefined));
  const { status } = await tree.http.post(`/conversations/${id}/cancel`, {});
  expect(status).toBe(200);
  await answer;
  await until('the agent is told', async () => requests.find(({ method }) => method === 'CancelTask'));
  expect((await tree.settled(id)).body.conversation.run?.status).toBe('canceled');
  expect(taken).toEqual(['bake']);
});
