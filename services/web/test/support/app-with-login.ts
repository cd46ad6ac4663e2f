import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@stopgo/runtime';
import { freePort } from '../../../../tests/free-ports.ts';
import { loginOf, parseWebConfig, type StartedWeb, startWeb } from '../../src/index.ts';
import { SealedCookies } from '../../src/login/cookies.ts';
import { clientId, clientSecret, type IdentityProvider, resource, startIdentityProvider } from './identity-provider.ts';
import type { TestBrowser } from './test-browser.ts';

export type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** The server of the app with a login, the provider behind it, and a gateway that takes everything. */
export class AppWithLogin {
  /** Its public address. */
  readonly url: string;
  readonly idp: IdentityProvider;
  /** What sessions are sealed with. */
  readonly key = randomBytes(32).toString('hex');
  /** What the gateway was asked. */
  readonly seen: Seen[] = [];
  readonly logged: string[] = [];
  /** By how much the server's clock is ahead, in milliseconds. */
  ahead = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stopgo-login-'));
  readonly #gateway = createServer((req, res) => this.#answer(req, res));
  readonly #running: StartedWeb[] = [];

  constructor(url: string, idp: IdentityProvider) {
    this.url = url;
    this.idp = idp;
    writeFileSync(join(this.#folder, 'index.html'), '<meta name="login-state" content="%LOGIN_STATE%">');
  }

  get callback(): string {
    return `${this.url}/login/callback`;
  }

  /** What is sealed with the key of the server, as only it could. */
  get cookies(): SealedCookies {
    const config = { issuer: this.idp.issuer, clientId, publicUrl: this.url };
    const { sealers } = loginOf({ sessionKeyVariable: 'K' } as never, { K: this.key });
    return new SealedCookies({ config: config as never, sealers });
  }

  /** A replica, behind the same public address; gives where it listens. */
  async start(keys = this.key, more = '', port = 0): Promise<string> {
    if (!this.#gateway.listening) await once(this.#gateway.listen(0, '127.0.0.1'), 'listening');
    const text = `
agent_url: http://127.0.0.1:${(this.#gateway.address() as AddressInfo).port}
host: 127.0.0.1
port: ${port}
login:
  issuer: ${this.idp.issuer}
  name: Example
  client_id: ${clientId}
  client_secret_env: CLIENT_SECRET
  session_key_env: SESSION_KEY
  resource: ${resource}
  public_url: ${this.url}
${more}`;
    const config = parseWebConfig(text, 'web.yaml');
    if (config.login === undefined) throw new Error('there is no login');
    const login = loginOf(config.login, { CLIENT_SECRET: clientSecret, SESSION_KEY: keys });
    const note = (line: string, fields?: unknown) => this.logged.push(`${line} ${JSON.stringify(fields)}`);
    const log = { info: note, warn: note, error: note, debug: note } as unknown as Logger;
    const started = await startWeb({ config, login, log, folder: this.#folder, now: () => Date.now() + this.ahead });
    this.#running.push(started);
    return started.address;
  }

  /** Starts the one at the public address anew, with other keys or other lines of its login. */
  async restart(keys = this.key, more = ''): Promise<void> {
    await this.#running.shift()?.stop();
    await this.start(keys, more, Number(new URL(this.url).port));
  }

  /** What the app is told of a browser. */
  async stateOf(browser: TestBrowser, at?: string): Promise<{ person: string | null; renew_in_ms: number | null }> {
    return JSON.parse((await browser.ask('/login/session', {}, at)).text);
  }

  /** Signs somebody in; gives what the app tells them from others by. */
  async signIn(browser: TestBrowser, person: string): Promise<string> {
    this.idp.person = person;
    const { answer } = await browser.go('/login');
    const { person: known } = await this.stateOf(browser);
    if (answer.status !== 200 || known === null) throw new Error(`not signed in: ${answer.text}`);
    return known;
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((one) => one.stop()));
    await this.idp.stop();
    this.#gateway.closeAllConnections();
    this.#gateway.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer({ method, url, headers }: IncomingMessage, res: ServerResponse): void {
    this.seen.push({ method, url, headers });
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }
}

export async function openApp(): Promise<AppWithLogin> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = new AppWithLogin(url, await startIdentityProvider(url));
  await app.start(app.key, '', port);
  return app;
}

/** What the token says that a request was sent with. */
export const claimsOf = (headers: IncomingHttpHeaders | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(
    Buffer.from(String(headers?.authorization).split('.')[1] ?? '', 'base64url').toString() || '{}',
  ) as Readonly<Record<string, unknown>>;
