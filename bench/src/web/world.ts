import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startNode } from '../child.ts';
import { benchFolder, program, stdioTool } from '../platform.ts';
import { concurrently, createConversation, destructive, openClients } from '../turn.ts';
import { measuring, readyWhen } from './in-page.ts';
import { startWritingModel } from './model.ts';

/** A platform with its web app, each a process of its own, and the browser of this machine. */
export type World = {
  /** Of the platform. */
  readonly address: string;
  /** Opens an address of the app in a browser that has seen nothing of it; `ready` is an expression that holds once it can be used. */
  open(path: string, ready: string): Promise<Page>;
  close(): Promise<void>;
};

const connections = 50;
const patienceMs = 120_000;

export async function openWorld(): Promise<World> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(
      `there is no Chromium at ${executablePath}: install the package "chromium", or name one with CHROMIUM`,
    );
  const model = await startWritingModel();
  const folder = benchFolder(model.address, stdioTool());
  const platform = await startNode([program, 'start', '--config', folder.config], folder.env, /ready on (http:\S+)/);
  const webConfig = join(folder.dataDir, '..', 'web.yaml');
  writeFileSync(webConfig, JSON.stringify({ agent_url: platform.said, host: '127.0.0.1', port: 0 }));
  const web = await startNode([program, 'web', '--config', webConfig], {}, /ready on (http:\S+)/);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    address: platform.said,
    open: (path, ready) => open(browser, `${web.said}${path}`, ready),
    close: async () => {
      await browser.close();
      await web.stop();
      await platform.stop();
      model.stop();
      folder.remove();
    },
  };
}

async function open(browser: Browser, address: string, ready: string): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 820 } });
  context.setDefaultTimeout(patienceMs);
  await context.addInitScript(measuring);
  await context.addInitScript(readyWhen(ready));
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** Makes a conversation of so many messages, half of them answers. Gives its id. */
export async function converse({ address }: World, messages: number): Promise<string> {
  const [client] = await openClients(address, 1);
  if (client === undefined) throw new Error('no connection');
  try {
    const id = await createConversation(client);
    for (let turn = 0; turn < messages / 2; turn += 1) {
      const { status, body } = await client.post(`/conversations/${id}/messages`, {
        message: `What of section ${turn}?`,
      });
      if (status !== 200) throw new Error(`message: HTTP ${status} ${body}`);
    }
    return id;
  } finally {
    client.close();
  }
}

/** Makes so many conversations that wait for an approval each. */
export async function askFor({ address }: World, approvals: number): Promise<void> {
  const clients = await openClients(address, connections);
  try {
    await concurrently(clients, Array.from({ length: approvals }), async (client, _, index) => {
      const { status, body } = await client.post('/conversations', { message: destructive(String(index)) });
      if (status !== 201) throw new Error(`create: HTTP ${status} ${body}`);
    });
  } finally {
    for (const client of clients) client.close();
  }
}
