import type { AgentCard } from '@a2a-js/sdk';
import type { Client, RequestOptions } from '@a2a-js/sdk/client';
import type { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { credentials, Client as GrpcClient, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PEERS, type Peer, said, task, text } from './a2a.ts';
import { client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** An agent that has more to say to who asks for it, and speaks only with peers that name an extension. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;

const REQUIRED = 'https://example.com/receipts/v1';
const HITL = 'https://kagent.dev/extensions/hitl/v1';
const IDEMPOTENCY = 'urn:stopgo:a2a:idempotency-key:v1';
const config = `
a2a_grpc_port: 0
a2a_required_extensions: ['${REQUIRED}']
a2a_extended_card:
  description: Also refunds.
  skills: [{ id: refund, name: Refunds, description: Gives money back. }]
`;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, resourcesConfig(place, config), { env: model.env });
});

afterAll(async () => {
  await platform?.end('SIGTERM');
  await model.stop();
  place.remove();
});

type Reader = Pick<Client, 'getAgentCard'> | Pick<LegacyJsonRpcTransport, 'getExtendedAgentCard'>;

const extendedCard = (peer: Reader, options: RequestOptions): Promise<AgentCard> =>
  'getExtendedAgentCard' in peer ? peer.getExtendedAgentCard({ tenant: '' }, options) : peer.getAgentCard(options);

describe.each(Object.entries(PEERS))('version %s', (how, connect) => {
  const header = how.startsWith('1.0') ? 'A2A-Extensions' : 'X-A2A-Extensions';
  const naming = { serviceParameters: { [header]: `${HITL}, ${REQUIRED}` } };

  test('a peer that names what is required is served, and one that does not is told; nothing is created', async () => {
    const http = client(platform.url);
    const peer = (await connect(platform.url)) as Peer;
    const before = (await http.get('/conversations')).body.summary.total ?? 0;
    await expect(peer.sendMessage(said([text('list all resources')]))).rejects.toThrow(REQUIRED);
    expect((await http.get('/conversations')).body.summary.total).toBe(before);
    const done = task(await peer.sendMessage(said([text('list all resources')]), naming));
    expect((await peer.getTask({ tenant: '', id: done.id }, naming)).id).toBe(done.id);
    expect((await http.get('/conversations')).body.summary.total).toBe(before + 1);
  });

  test('the extended card says more', async () => {
    const peer = (await connect(platform.url)) as Peer & Reader;
    const card = await extendedCard(peer, naming);
    expect(card.description).toBe('Also refunds.');
    expect(card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['resources_add', 'refund']));
    await expect(extendedCard((await connect(platform.url)) as Peer & Reader, {})).rejects.toThrow(REQUIRED);
  });
});

test('cards declare what is spoken and what is required', async () => {
  const http = client(platform.url);
  const expected = [
    { uri: HITL, required: false },
    { uri: IDEMPOTENCY, required: false },
    { uri: REQUIRED, required: true },
  ];
  const old = JSON.parse((await http.get('/.well-known/agent-card.json')).text);
  const modern = JSON.parse((await http.get('/.well-known/agent-card.json', { 'a2a-version': '1.0' })).text);
  expect(old).toMatchObject({ supportsAuthenticatedExtendedCard: true, capabilities: { extensions: expected } });
  expect(modern.capabilities).toMatchObject({ extendedAgentCard: true, extensions: expected });
  expect(JSON.stringify([old, modern])).not.toContain('refund');
});

test('what is active is told in the header of each version', async () => {
  const http = client(platform.url);
  const named = { 'a2a-extensions': `${REQUIRED},urn:unheard-of` };
  const tasks = await http.get('/tasks', named);
  expect([tasks.status, tasks.headers.get('a2a-extensions')]).toEqual([200, REQUIRED]);
  const older = await http.get('/v1/tasks', { 'x-a2a-extensions': `${REQUIRED}, ${IDEMPOTENCY}` });
  expect(older.headers.get('x-a2a-extensions')).toBe(`${IDEMPOTENCY}, ${REQUIRED}`);
  expect(older.headers.get('a2a-extensions')).toBeNull();
  const call = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
  const listed = await http.post('/a2a', call, named);
  expect([listed.headers.get('a2a-extensions'), JSON.parse(listed.text).error]).toEqual([REQUIRED, undefined]);
  const refused = await http.post('/a2a', call, { 'a2a-extensions': 'urn:unheard-of' });
  expect([refused.headers.get('a2a-extensions'), JSON.parse(refused.text).error.code]).toEqual([null, -32008]);
  const streamed = await fetch(`${platform.url}/message:stream`, {
    method: 'POST',
    headers: named,
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'list all resources' }] } }),
  });
  expect([streamed.status, streamed.headers.get('a2a-extensions')]).toEqual([200, REQUIRED]);
  expect(await streamed.text()).toContain('TASK_STATE_COMPLETED');
  const old = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x' } };
  expect(JSON.parse((await http.post('/a2a/v1', old)).text).error.code).toBe(-32008);
  expect((await http.get('/tasks')).status).toBe(400);
});

test('and over gRPC in the metadata of the answer', async () => {
  const card = JSON.parse((await client(platform.url).get('/.well-known/agent-card.json')).text);
  const { url } = card.additionalInterfaces.find(
    ({ transport }: { readonly transport: string }) => transport === 'GRPC',
  );
  const caller = new GrpcClient(url, credentials.createInsecure());
  const named = new Metadata();
  named.set('a2a-extensions', `${IDEMPOTENCY},${REQUIRED},urn:unheard-of`);
  const asIs = (bytes: Buffer): Buffer => bytes;
  const told = await new Promise<Metadata>((resolve) => {
    caller
      .makeUnaryRequest('/lf.a2a.v1.A2AService/ListTasks', asIs, asIs, Buffer.alloc(0), named, () => undefined)
      .on('metadata', resolve);
  });
  caller.close();
  expect(told.get('a2a-extensions')).toEqual([`${IDEMPOTENCY},${REQUIRED}`]);
});
