import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};
export type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

/** What a browser does of signing in: it keeps cookies by host and port, and follows where it is led. */
export class TestBrowser {
  /** By the port that set them. */
  readonly cookies = new Map<string, Map<string, string>>();
  /** Headers `Set-Cookie` as they came. */
  readonly set: string[] = [];
  readonly #app: URL;

  constructor(app: string) {
    this.#app = new URL(app);
  }

  /** Cookies of the app. */
  get own(): Map<string, string> {
    return this.#of(this.#app);
  }

  /** A request to the app; `at`: another replica of it, behind the same public address. */
  async ask(path: string, sent: Sent = {}, at = this.#app.origin): Promise<Answer> {
    return this.#send(new URL(path, at), { ...sent, headers: { host: this.#app.host, ...sent.headers } }, this.own);
  }

  /** As a page of the app does it, of whoever is signed in. */
  async askAsPage(path: string, person: string, sent: Sent = {}, at = this.#app.origin): Promise<Answer> {
    const own = { origin: this.#app.origin, 'sec-fetch-site': 'same-origin', 'x-signed-in-as': person };
    return this.ask(path, { ...sent, headers: { ...own, ...sent.headers } }, at);
  }

  /** Goes to an address and on to where it leads; the answers, the last one last. `until`: an address that is not gone to. */
  async go(path: string, until?: string): Promise<{ readonly answer: Answer; readonly url: string }> {
    let url = new URL(path, this.#app);
    for (let steps = 0; steps < 12; steps += 1) {
      const answer = await this.#send(url, {}, this.#of(url));
      const to = answer.headers.location;
      if (to === undefined) return { answer, url: url.href };
      url = new URL(to, url);
      if (until !== undefined && url.href.startsWith(until)) return { answer, url: url.href };
    }
    throw new Error(`it leads on and on: ${url.href}`);
  }

  #of({ host }: URL): Map<string, string> {
    const cookies = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, cookies);
    return cookies;
  }

  async #send(url: URL, { method = 'GET', headers = {}, body = '' }: Sent, cookies: Map<string, string>) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = cookie === '' ? headers : { cookie, ...headers };
    const answer = await new Promise<Answer>((resolve, reject) => {
      const outgoing = httpRequest(url, { method, headers: all, agent: false }, (res) => {
        const { statusCode: status = 0, headers: answered } = res;
        text(res).then((read) => resolve({ status, headers: answered, text: read }), reject);
      });
      outgoing.on('error', reject).end(body);
    });
    for (const line of answer.headers['set-cookie'] ?? []) {
      this.set.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
}
