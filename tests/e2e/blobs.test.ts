import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCaptured, startOneProcess } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './platform.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const media = join(root, 'tests/e2e/fixtures/media.mjs');
const folder = mkdtempSync(join(tmpdir(), 'stopgo-blobs-'));
const stops: (() => Promise<void>)[] = [];
let url = '';

type Blob = { readonly digest: string; readonly media_type: string; readonly size: number; readonly name?: string };
type Message = {
  readonly role: string;
  readonly content: string;
  readonly node?: string;
  readonly tool_call?: {
    readonly result?: string;
    readonly blobs?: readonly Blob[];
    readonly structured_content?: unknown;
  };
};
type Conversation = { readonly id: string; readonly messages: readonly Message[] };

/** A node for each provider: each of them hears what the user wants, calls the tool and says what it was shown. */
const nodes = ['gemini-3-pro', 'gemini-2.5-flash', 'claude-sonnet-5-5', 'openai:gpt-5', 'mistral:mistral-large'];

beforeAll(async () => {
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0, strictSignatures: true });
  stops.push(() => offline.stop());
  const agents = nodes.map(
    (model, index) => `
    - name: n${index}
      prompt: You use tools.
      model: ${JSON.stringify(model)}`,
  );
  const { config } = parseAgentConfig(
    `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(join(folder, 'data'))}
heartbeat_ttl: 600s
agent:
  type: sequential
  agents:${agents.join('')}
mcp_servers:
  - name: everything
    command: node
    args: [${JSON.stringify(everything)}]
  - name: media
    command: node
    args: [${JSON.stringify(media)}]
`,
    'blobs.yaml',
  );
  const platform = await startOneProcess({
    config,
    env: { ...process.env, OPENROUTER_API_KEY: 'sk-or-leaked-0123456789' },
    logger: createLogger({ level: 'error', format: 'text', destination: process.stderr }),
    offlineModel: offline.url,
    version: 'test',
  });
  stops.push(() => platform.stop());
  url = platform.address;
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A conversation in which every node has called a tool. */
async function called(tool: string, args: object = {}): Promise<Conversation> {
  const message = `call ${tool} ${JSON.stringify(args)}`;
  const response = await fetch(`${url}/conversations`, { method: 'POST', body: JSON.stringify({ message }) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { conversation: Conversation }).conversation;
}

const blobsOf = ({ messages }: Conversation) => messages.flatMap(({ tool_call }) => tool_call?.blobs ?? []);
/** What each node said at last. */
const saidBy = ({ messages }: Conversation) =>
  nodes.map(
    (_, index) => messages.findLast(({ node, content }) => node === `n${index}` && content !== '')?.content ?? '',
  );
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test("an image of a result reaches every provider's model in its own form, and REST as it was", async () => {
  const conversation = await called('get-tiny-image');
  const [blob] = blobsOf(conversation);
  expect(blob).toMatchObject({ media_type: 'image/png' });
  for (const said of saidBy(conversation))
    expect(said).toContain(`I was shown image/png of ${blob?.size} bytes, SHA-256 ${blob?.digest}.`);
  const response = await fetch(`${url}/conversations/${conversation.id}/blobs/${blob?.digest}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect({ status: response.status, size: bytes.byteLength }).toEqual({ status: 200, size: blob?.size });
  expect(sha256(bytes)).toBe(blob?.digest);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline',
    'content-length': String(blob?.size),
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=31536000, immutable',
    etag: `"${blob?.digest}"`,
  });
  const again = await fetch(response.url, { headers: { 'if-none-match': `"${blob?.digest}"` } });
  expect(again.status).toBe(304);
  const head = await fetch(response.url, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(blob?.size));
});

test('a document and a sound reach those models that take them, the others are told', async () => {
  const page = await called('page');
  expect(blobsOf(page)[0]).toMatchObject({ media_type: 'application/pdf', name: 'file:///page.pdf' });
  for (const said of saidBy(page)) expect(said).toMatch(/I was shown application\/pdf of 17 bytes/);
  const sound = await called('sound');
  const heard = saidBy(sound).map((said) => /I was shown audio\/wav/.test(said));
  expect(heard).toEqual([true, true, false, false, false]);
  expect(saidBy(sound)[2]).toContain('[audio/wav of 16 bytes is not shown: this model cannot be given it]');
  const [{ digest } = { digest: '' }] = blobsOf(page);
  const response = await fetch(`${url}/conversations/${page.id}/blobs/${digest}`);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${digest}"`);
  // Only those who may read a conversation that names it get it there.
  const elsewhere = await fetch(`${url}/conversations/${sound.id}/blobs/${digest}`);
  expect({ status: elsewhere.status, body: await elsewhere.json() }).toEqual({
    status: 404,
    body: { error: `no event of the conversation names this blob: ${digest}` },
  });
});

test('a structured part is kept beside the text, and bytes are what they are, not what their server says', async () => {
  const numbers = await called('numbers');
  const result = numbers.messages.find(({ tool_call }) => tool_call?.result !== undefined)?.tool_call;
  expect(result).toMatchObject({
    result: 'three numbers',
    structured_content: { numbers: [1, 2.5, -3] },
  });
  const lies = await called('lies');
  const [blob] = blobsOf(lies);
  expect(blob?.media_type).toBe('application/octet-stream');
  expect(saidBy(lies)[0]).toContain('is not shown');
  const response = await fetch(`${url}/conversations/${lies.id}/blobs/${blob?.digest}`);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
});

test('a picture that holds the key of a model is told of in words only', async () => {
  const leaked = await called('leak');
  expect(blobsOf(leaked)).toEqual([]);
  expect(leaked.messages.map(({ tool_call }) => tool_call?.result)).toContain('[image image/png, 64 bytes]');
});

test('verify reads the blobs that events name, and export and a backup have them', async () => {
  const conversation = await called('picture', { bytes: 300_000 });
  const [blob] = blobsOf(conversation);
  const dataDir = ['--data-dir', join(folder, 'data')];
  const backup = join(folder, 'backup');
  expect(await runCaptured(['backup', backup, ...dataDir])).toMatchObject({ code: 0, errors: '' });
  for (const from of [join(folder, 'data'), backup]) {
    const exported = await runCaptured(['export', conversation.id, '--data-dir', from]);
    const { blobs } = JSON.parse(exported.output) as { blobs: { digest: string; bytes_base64: string }[] };
    expect(blobs).toHaveLength(1);
    expect(sha256(Buffer.from(blobs[0]?.bytes_base64 ?? '', 'base64'))).toBe(blob?.digest);
  }
  const verified = await runCaptured(['verify', ...dataDir]);
  expect({ code: verified.code, errors: verified.errors }).toEqual({ code: 0, errors: '' });
});
