import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { data, dataOf, PEERS, said, task, text, textsOf } from './a2a.ts';
import { type AgentsInGit, agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, stopgo, type Workplace, workplace } from './platform.ts';

/** An agent from git asks for a file: its bytes are kept beside the log, and each provider's model is given them in its own way. */
const longMs = 120_000;

let place: Workplace;
let platform: Platform;
let http: Client;
let model: ScriptedModel;
let agents: AgentsInGit;

const models = { gemini: 'gemini-3-pro', claude: 'claude-sonnet-5-5', openai: 'openai:gpt-5' } as const;
const names = Object.keys(models) as readonly (keyof typeof models)[];
const agentOf = (name: keyof typeof models) => `---
name: Reader ${name}
description: Reads files
model: ${models[name]}
---
You read what people give you. Your task: {{prompt}}
`;

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const pdf = Buffer.from('%PDF-1.7 a contract');
const csv = Buffer.from('item,price\nkey,€2.99\n');
const zip = Buffer.from('PK\x03\x04 no model takes it');

const asks = { calls: [{ name: 'request_user_input', args: { prompt: 'Which file?', inputType: 'file' } }] };
const completes = (result: string) => ({
  calls: [{ name: 'complete_agent_execution', args: { result, status: 'SUCCESS', confidence: 1 } }],
});
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const fileOf = (name: string, media_type: string, bytes: Buffer) => ({
  ...{ name, media_type, base64: bytes.toString('base64') },
});

// The shapes of other routes do not fit here.
const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${platform.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as never as ReturnType<typeof JSON.parse> };
};

/** A conversation whose agent waits for a file, and the path under which it is given one. */
async function asked(name: keyof typeof models = 'openai') {
  await model.script(asks);
  const { status, body } = await post('/conversations', { agent: `reader/${name}`, message: 'Read my file' });
  const { id, pending_inputs: inputs } = body.conversation;
  expect([status, inputs]).toMatchObject([201, [{ mode: 'file', input_type: 'file' }]]);
  expect(inputs[0]).not.toHaveProperty('requested_schema');
  return { id, path: `/conversations/${id}/inputs/${inputs[0].id}` };
}

/** Answers; what the model says then is that it is done. */
async function give(path: string, file: object, headers?: Readonly<Record<string, string>>) {
  await model.script(completes('read'));
  return post(path, { action: 'accept', file }, headers);
}

const lastRequest = async () => JSON.stringify((await model.requests()).at(-1)?.body);
const blobOf = (digest: string, id: string) => fetch(`${platform.url}/conversations/${id}/blobs/${digest}`);

beforeAll(async () => {
  place = workplace();
  model = await scriptedModel();
  agents = agentsInGit(join(place.folder, 'agents'));
  for (const name of names) agents.write(`reader/${name}/prompt.md`, agentOf(name));
  agents.commit('First');
  platform = await start(
    place,
    resourcesConfig(
      place,
      `
llm: { model: openai:m }
a2a_grpc_port: 0
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1h }`,
    ),
    { env: model.env },
  );
  http = client(platform.url);
  await until(
    'the repository is synced',
    async () => (await http.get('/agents/reader/openai')).status === 200 || undefined,
  );
}, longMs);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

/** What stands for a file in the request to each provider. */
const forms: Readonly<Record<keyof typeof models, (mediaType: string, bytes: Buffer) => object>> = {
  gemini: (mimeType, bytes) => ({ mimeType, data: bytes.toString('base64') }),
  claude: (media_type, bytes) => ({ type: 'base64', media_type, data: bytes.toString('base64') }),
  openai: (mediaType, bytes) => {
    const url = `data:${mediaType};base64,${bytes.toString('base64')}`;
    return mediaType === 'image/png' ? { url } : { filename: 'document.pdf', file_data: url };
  },
};

test.each(names)(
  'a picture, a document and a text reach the model in the way of %s, all else in words',
  {
    timeout: longMs,
  },
  async (name) => {
    for (const [file, type, bytes] of [
      ['photo.png', 'image/png', png],
      ['contract.pdf', 'application/pdf', pdf],
    ] as const) {
      const { path } = await asked(name);
      const { status, body } = await give(path, fileOf(file, type, bytes));
      expect([status, body.error, body.result?.response]).toEqual([200, undefined, 'read']);
      const request = await lastRequest();
      expect(request).toContain(JSON.stringify(forms[name](type, bytes)).slice(1, -1));
      expect(request).toContain(`${file}\\": ${type}, ${bytes.length} bytes`);
    }
    const table = await asked(name);
    await give(table.path, fileOf('prices.csv', 'text/csv', csv));
    expect(await lastRequest()).toContain('item,price\\nkey,€2.99');
    const packed = await asked(name);
    await give(packed.path, fileOf('all.zip', 'application/zip', zip));
    const request = await lastRequest();
    expect(request).toContain(`all.zip\\": application/zip, ${zip.length} bytes`);
    expect(request).toContain(`[application/zip of ${zip.length} bytes is not shown: this model cannot be given it]`);
    expect(request).not.toContain(zip.toString('base64'));
  },
);

test('whoever may read the conversation reads the file there, as an attachment', {
  timeout: longMs,
}, async () => {
  const page = Buffer.from('<script>alert(1)</script>');
  const { id, path } = await asked();
  const other = await asked();
  const { body } = await give(path, fileOf('page.html', 'text/html', page));
  const digest = digestOf(page);
  const [blob] = body.conversation.messages.flatMap(
    ({ tool_call: call }: { tool_call?: { blobs?: readonly object[] } }) => call?.blobs ?? [],
  );
  expect(blob).toEqual({ digest, media_type: 'text/html', size: page.length, name: 'page.html' });
  const response = await blobOf(digest, id);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(page);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-disposition': `attachment; filename="${digest}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  expect((await blobOf(digest, other.id)).status).toBe(404);
});

test('an answer that is sent again under its key is given once; another file under it is refused', {
  timeout: longMs,
}, async () => {
  const { path } = await asked();
  const key = { 'idempotency-key': 'file-0123456789-abcdef' };
  const answer = { action: 'accept', file: fileOf('a.csv', 'text/csv', csv) };
  await model.script(completes('read'));
  const first = await post(path, answer, key);
  const again = await post(path, answer, key);
  expect([first.status, again.status, again.body.result]).toEqual([200, 200, first.body.result]);
  const other = await post(path, { action: 'accept', file: fileOf('a.csv', 'text/csv', pdf) }, key);
  expect([other.status, other.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
  expect((await post(path, answer)).status).toBe(409);
});

test('a person in a terminal is shown that a file is asked for, and gives it by its path', {
  timeout: longMs,
}, async () => {
  const { id, path } = await asked();
  const input = path.split('/').at(-1) ?? '';
  expect((await stopgo(['inputs', id, '--url', platform.url])).output).toContain('a file is asked for');
  const file = join(place.folder, 'prices.csv');
  writeFileSync(file, csv);
  await model.script(completes('read'));
  const { code, output } = await stopgo(['answer', id, '--input', input, '--file', file, '--url', platform.url]);
  expect([code, output]).toEqual([0, expect.stringContaining('read')]);
  expect(await lastRequest()).toContain('prices.csv\\": text/csv');
  expect(Buffer.from(await (await blobOf(digestOf(csv), id)).arrayBuffer())).toEqual(csv);
});

describe.each(Object.entries(PEERS))('another agent, %s,', (how, connect) => {
  const file = (bytes: Buffer, name: string, mediaType: string) =>
    ({ content: { $case: 'raw', value: bytes }, metadata: undefined, filename: name, mediaType }) as const;
  const address = {
    ...file(csv, 'prices.csv', 'text/csv'),
    content: { $case: 'url', value: 'https://shop.example/a.csv' },
  } as const;

  test('gives the file that is asked for with its bytes, once; an address is fetched by nobody', {
    timeout: longMs,
  }, async () => {
    const peer = await connect(platform.url);
    const { id } = await asked();
    const say = (...parts: Parameters<typeof said>[0]) => said(parts, { taskId: id });
    await expect(peer.sendMessage(say(address))).rejects.toThrow('fetches no files');
    // The official client leaves the name out where 0.3 is written as protocol buffers.
    if (!/^0.3 over (?:HTTP|gRPC)/.test(how))
      await expect(peer.sendMessage(say(file(csv, '../a.csv', 'text/csv')))).rejects.toThrow('without a path');
    await model.script(completes('read'));
    const given = say(text('Here it is.'), file(csv, 'prices.csv', 'text/csv'));
    given.configuration = {
      ...{ acceptedOutputModes: [], returnImmediately: false, historyLength: undefined },
      taskPushNotificationConfig: undefined,
    };
    const done = task(await peer.sendMessage(given));
    expect([done.status?.state, textsOf(done.artifacts[0]?.parts)]).toEqual([3, 'read']);
    expect(await lastRequest()).toContain('item,price\\nkey,€2.99');
    expect(Buffer.from(await (await blobOf(digestOf(csv), id)).arrayBuffer())).toEqual(csv);
    const again = task(await peer.sendMessage(given));
    expect(textsOf(again.artifacts[0]?.parts)).toBe('read');
    await expect(peer.sendMessage(say(text('More.'), file(pdf, 'b.pdf', 'application/pdf')))).rejects.toThrow(
      'waits for no file',
    );
  });

  test('names the question of two that a file answers', { timeout: longMs }, async () => {
    await model.script({ calls: [...asks.calls, ...asks.calls] });
    const peer = await connect(platform.url);
    const { body } = await post('/conversations', { agent: 'reader/openai', message: 'Read my files' });
    const { id, pending_inputs: inputs } = body.conversation;
    expect(inputs).toHaveLength(2);
    const say = (...parts: Parameters<typeof said>[0]) => peer.sendMessage(said(parts, { taskId: id }));
    const unclear = task(await say(file(csv, 'a.csv', 'text/csv')));
    expect(textsOf(unclear.status?.message?.parts)).toContain('and the file as a part with its bytes');
    const left = dataOf(unclear.status?.message?.parts) as readonly {
      readonly input_id: string;
      readonly mode: string;
    }[];
    expect(left.map(({ mode }) => mode)).toEqual(['file', 'file']);
    const answer = data({ input_id: left[1]?.input_id, action: 'accept' });
    await say(answer, file(csv, 'a.csv', 'text/csv'));
    const { text: shown } = await http.get(`/conversations/${id}`);
    expect(JSON.parse(shown).conversation.pending_inputs).toMatchObject([{ id: left[0]?.input_id }]);
  });
});

test.each([
  ['a path', fileOf('../a.csv', 'text/csv', csv), 'without a path'],
  ['a hidden character', fileOf('a\u202evsc.exe', 'text/csv', csv), 'do not see'],
  ['no bytes', { name: 'a.csv', media_type: 'text/csv' }, 'file.base64'],
  ['no base64', { name: 'a.csv', media_type: 'text/csv', base64: 'a*b=' }, 'file.base64'],
  ['what is not known', { ...fileOf('a.csv', 'text/csv', csv), path: '/etc/passwd' }, 'unknown member "path"'],
])('a file with %s is refused in words, and the question stays open', { timeout: longMs }, async (_, file, problem) => {
  const { id, path } = await asked();
  const { status, body } = await post(path, { action: 'accept', file });
  expect([status, body.error]).toEqual([400, expect.stringContaining(problem)]);
  const { text } = await http.get(`/conversations/${id}`);
  expect(JSON.parse(text).conversation.pending_inputs).toHaveLength(1);
  await model.script(completes('nothing read'));
  expect((await post(path, { action: 'decline' })).status).toBe(200);
});
