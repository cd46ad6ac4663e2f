import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOneProcess } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { realServers } from './servers.ts';

/*
 * `npm run test:screenshot`: an agent with the Playwright server from npm opens a page of this machine in a real Chromium and takes a
 * screenshot of it; says for each kind of provider what its model is given, as the request that the provider's SDK sends. CHROMIUM
 * names the browser (default: /usr/bin/chromium). Ends with 1 if a model is not given the very picture that REST serves.
 */
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(chromium)) {
  console.error(`there is no Chromium at ${chromium}: install it, or name another with CHROMIUM`);
  process.exit(1);
}
const models = ['gemini-2.5-flash', 'claude-sonnet-5-5', 'openai:gpt-5'];
const server = realServers.find(({ name }) => name === 'playwright')?.package ?? '';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-screenshot-'));
process.chdir(folder);
const pages = createServer((_, answer) => {
  answer.setHeader('content-type', 'text/html');
  answer.end('<!doctype html><title>A page</title><body style="background:#c04">stop and go');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => pages.once('listening', resolve));
const page = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
let failed = 0;
try {
  for (const model of models) if (!(await showsPicture(model))) failed += 1;
} finally {
  pages.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${models.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Opens the page, takes the screenshot, and looks at what the model was given then. */
async function showsPicture(model: string): Promise<boolean> {
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0, control: true });
  const platform = await startOneProcess({
    config: parseAgentConfig(JSON.stringify(configOf(model)), 'screenshot').config,
    env: process.env,
    logger: createLogger({ level: 'warn', format: 'text', destination: process.stderr }),
    offlineModel: offline.url,
    version: '0.1.0',
  });
  try {
    await said(platform.address, `call browser_navigate ${JSON.stringify({ url: page })}`);
    const id = await said(platform.address, 'call browser_take_screenshot {"type":"png","scale":"css"}');
    const { conversation } = (await json(`${platform.address}/conversations/${id}`)) as { conversation: Conversation };
    const [blob] = conversation.messages.flatMap(({ tool_call }) => tool_call?.blobs ?? []);
    if (blob === undefined)
      return report(
        model,
        `the result holds no picture: ${JSON.stringify(conversation.messages).slice(0, 2_000)}`,
        false,
      );
    const served = await fetch(`${platform.address}/conversations/${id}/blobs/${blob.digest}`);
    const shown = createHash('sha256')
      .update(Buffer.from(await served.arrayBuffer()))
      .digest('hex');
    const last = ((await json(`${offline.url}/__requests`)) as { requests: readonly { body: unknown }[] }).requests.at(
      -1,
    );
    const given = picturesIn(last?.body);
    const digests = given.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
    const isSame = shown === blob.digest && digests.includes(shown);
    const forms = given.map(({ form, bytes }) => `${form}, ${sizeOf(bytes)}`).join('; ') || 'nothing';
    return report(model, `${blob.media_type} of ${blob.size} bytes; given as ${forms}`, isSame);
  } finally {
    await platform.stop();
    await offline.stop();
  }
}

function report(model: string, what: string, isSame: boolean): boolean {
  console.log(`${isSame ? 'ok  ' : 'FAIL'}  ${model}: ${what}`);
  return isSame;
}

function configOf(model: string): object {
  return {
    host: '127.0.0.1',
    port: 0,
    data_dir: join(folder, `data-${model.replaceAll(/\W/g, '-')}`),
    llm: { model },
    mcp_servers: [
      {
        name: 'playwright',
        command: 'npx',
        args: ['-y', server, '--headless', '--no-sandbox', '--isolated', '--executable-path', chromium],
        timeout: '60s',
      },
    ],
  };
}

type Blob = { readonly digest: string; readonly media_type: string; readonly size: number };
type Conversation = { readonly messages: readonly { readonly tool_call?: { readonly blobs?: readonly Blob[] } }[] };
type Turn = {
  readonly conversation: { readonly id: string };
  readonly result: { readonly response: string; readonly approval?: { readonly uuid: string } };
};

/** Sends a message, approves what waits, and gives the id of the conversation. */
async function said(address: string, message: string): Promise<string> {
  const { conversation, result } = (await json(`${address}/conversations`, { message })) as Turn;
  if (result.approval !== undefined) await json(`${address}/approvals/${result.approval.uuid}`, { answer: 'yes' });
  return conversation.id;
}

type Picture = { readonly form: string; readonly bytes: Buffer };

/** The pictures of a request in the forms of the three kinds of providers, wherever they stand in it. */
function picturesIn(value: unknown): readonly Picture[] {
  if (typeof value !== 'object' || value === null) return [];
  const { inlineData, type, source, image_url } = value as Readonly<Record<string, Readonly<Record<string, string>>>>;
  if (inlineData?.data !== undefined) return [{ form: 'inlineData', bytes: Buffer.from(inlineData.data, 'base64') }];
  if ((type as unknown) === 'image' && source?.data !== undefined)
    return [{ form: 'an image block', bytes: Buffer.from(source.data, 'base64') }];
  const url = /^data:image\/\w+;base64,(.*)$/s.exec(image_url?.url ?? '')?.[1];
  if (url !== undefined) return [{ form: 'image_url', bytes: Buffer.from(url, 'base64') }];
  return Object.values(value).flatMap(picturesIn);
}

/** Width and height of a PNG, from its header. */
function sizeOf(png: Buffer): string {
  return png.subarray(1, 4).toString() === 'PNG' ? `PNG ${png.readUInt32BE(16)} × ${png.readUInt32BE(20)}` : 'no PNG';
}

async function json(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
