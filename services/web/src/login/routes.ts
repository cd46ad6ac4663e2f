import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@stopgo/runtime';
import { sendError, sendHtml, sendJson } from '../answers.ts';
import { leavingMs, signInMs, signInsMax } from '../bounds.ts';
import { type Admission, admissionOf, isOwnPage, notOurs } from './admission.ts';
import { cookiesIn, SealedCookies } from './cookies.ts';
import { failedSignInPage } from './login-page.ts';
import { type Begun, Provider, ProviderFailure } from './provider.ts';
import { Renewals } from './renewals.ts';
import { returnPath } from './return-path.ts';
import type { Login } from './secrets.ts';
import { type Session, sessionWith } from './session.ts';

/** What the app is told: how one signs in, and who has. No token is in it. */
export type LoginState = {
  /** What the button calls the provider; null: nobody signs in here with one. */
  readonly login: string | null;
  /** Tells who is signed in from others; null: nobody is. */
  readonly person: string | null;
  /** In how many milliseconds the session is to be renewed; null: it cannot be, or need not. */
  readonly renew_in_ms: number | null;
};

export const noLogin: LoginState = { login: null, person: null, renew_in_ms: null };

type BegunHere = Begun & { readonly to: string };

/** The routes of signing in and out, and what a session admits. */
export class LoginRoutes {
  readonly #login: Login;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #cookies: SealedCookies;
  readonly #provider: Provider;
  readonly #renewals: Renewals;

  /** `now`: milliseconds since 1970. */
  constructor(login: Login, log: Logger, now: () => number) {
    this.#login = login;
    this.#log = log;
    this.#now = now;
    this.#cookies = new SealedCookies(login);
    this.#provider = new Provider(login, now);
    this.#renewals = new Renewals(this.#provider, now);
  }

  /** Answers what is about signing in and out; false if a request is not. */
  async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean> {
    const route = this.#routes[path];
    if (route === undefined) return false;
    const { method = 'GET' } = req;
    const handle = route[method];
    if (handle === undefined) {
      const allowed = Object.keys(route).join(', ');
      res.setHeader('Allow', allowed);
      sendError(res, 405, `${method} is not allowed here; use ${allowed}`);
      return true;
    }
    if (method === 'POST' && !isOwnPage(req.headers, this.#login.config.publicUrl)) sendError(res, 403, notOurs);
    else await handle(req, res);
    return true;
  }

  /** Whether a request goes to the gateway, and with whose token. */
  admit(req: IncomingMessage): Admission {
    const { method = 'GET', headers } = req;
    const { publicUrl } = this.#login.config;
    return admissionOf({ method, headers }, this.#sessionOf(req), { publicUrl, now: this.#now() });
  }

  /** What the app is told of whoever sends a request. */
  stateOf(req: IncomingMessage): LoginState {
    return this.#stateWith(this.#sessionOf(req));
  }

  readonly #routes: Readonly<
    Record<string, Readonly<Record<string, (req: IncomingMessage, res: ServerResponse) => Promise<void> | void>>>
  > = {
    '/login': { GET: (req, res) => this.#begin(req, res) },
    '/login/callback': { GET: (req, res) => this.#finish(req, res) },
    '/login/session': { GET: (req, res) => sendJson(res, 200, this.stateOf(req)) },
    '/login/renew': { POST: (req, res) => this.#renew(req, res) },
    '/logout': { GET: (req, res) => this.#leave(req, res), POST: (req, res) => this.#signOut(req, res) },
  };

  async #begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { publicUrl } = this.#login.config;
    const to = returnPath(new URL(req.url ?? '/', publicUrl).searchParams.get('to'), publicUrl);
    // The provider leads back to the public address, and cookies of another are not there.
    if (req.headers.host?.toLowerCase() !== new URL(publicUrl).host)
      return redirect(res, `${publicUrl}/login?to=${encodeURIComponent(to)}`, []);
    try {
      const { url, begun } = await this.#provider.begin();
      const now = this.#now();
      const until = now + signInMs;
      const sealed = this.#cookies.seal('login', { ...begun, to } satisfies BegunHere, until);
      redirect(res, url.href, [
        ...this.#tooManyBegun(req),
        this.#cookies.set(this.#begunName(begun.state), sealed, until, now),
      ]);
    } catch (error) {
      this.#failed(res, error, to, []);
    }
  }

  async #finish(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { publicUrl, sessionMs } = this.#login.config;
    const url = new URL(req.url ?? '/', publicUrl);
    const name = this.#begunName(url.searchParams.get('state') ?? '');
    const begun = this.#cookies.open('login', cookiesIn(req.headers.cookie).get(name) ?? '', this.#now());
    const remove = [this.#cookies.remove(name)];
    if (begun === undefined) return sendFailedPage(res, 400, notBegun, againAt('/'), remove);
    const { to, ...rest } = begun as BegunHere;
    try {
      const { person, tokens } = await this.#provider.finish(url.search, rest);
      const now = this.#now();
      const session = sessionWith(tokens, { person, until: now + sessionMs }, now);
      const set = this.#setSession(session);
      if (set === undefined) return sendFailedPage(res, 502, tooLong, againAt(to), remove);
      redirect(res, to, [...remove, ...set]);
    } catch (error) {
      this.#failed(res, error, to, remove);
    }
  }

  async #renew(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const session = this.#sessionOf(req);
    if (session === undefined) return sendJson(res, 401, { error: 'sign in first', session: 'none' });
    try {
      const renewed = await this.#renewals.renew(session);
      if (this.#now() >= renewed.tokenUntil)
        return sendJson(res, 401, { error: 'the session has ended; sign in again', session: 'ended' });
      const set = renewed === session ? [] : this.#setSession(renewed);
      if (set === undefined) return sendJson(res, 401, { error: tooLong, session: 'ended' });
      sendJson(res, 200, this.#stateWith(renewed), set);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      this.#log.warn(`a session could not be renewed: the identity provider: ${error.message}`);
      // The cookies stay: another replica may have renewed them meanwhile, and what is over is taken by nobody.
      if (error.kind === 'away') sendError(res, 503, 'the identity provider does not answer; try again');
      else sendJson(res, 401, { error: 'the session has ended; sign in again', session: 'ended' });
    }
  }

  /** Ends the session here at once, whatever the provider says; the browser goes on to its end there. */
  #signOut(req: IncomingMessage, res: ServerResponse): void {
    const session = this.#sessionOf(req);
    // Nobody waits for a provider that is slow.
    if (session?.refreshToken !== undefined)
      void this.#provider.revoke(session.refreshToken).catch((error: unknown) => {
        this.#log.warn(`a refresh token could not be revoked: the identity provider: ${wordsOf(error)}`);
      });
    const now = this.#now();
    const until = now + leavingMs;
    const leaving = this.#cookies.seal('leaving', { idToken: session?.idToken }, until);
    sendJson(res, 200, { to: '/logout' }, [
      ...this.#cookies.removeSession(),
      ...(session === undefined ? [] : [this.#cookies.set(this.#cookies.name('leaving'), leaving, until, now)]),
    ]);
  }

  /** On to the provider's own end of the session. It is an address of its own, so that no script sees the ID token that goes along. */
  async #leave(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const name = this.#cookies.name('leaving');
    const opened = this.#cookies.open('leaving', cookiesIn(req.headers.cookie).get(name) ?? '', this.#now());
    const remove = [this.#cookies.remove(name)];
    if (opened === undefined) return redirect(res, '/', remove);
    const { idToken } = opened as { readonly idToken?: string };
    const url = await this.#provider.endOfSession(idToken).catch((error: unknown) => {
      this.#log.warn(`nobody was signed out at the identity provider: ${wordsOf(error)}`);
      return undefined;
    });
    redirect(res, url?.href ?? '/', remove);
  }

  #sessionOf(req: IncomingMessage): Session | undefined {
    const sealed = this.#cookies.sessionIn(cookiesIn(req.headers.cookie));
    return sealed === undefined
      ? undefined
      : (this.#cookies.open('session', sealed, this.#now()) as Session | undefined);
  }

  #stateWith(session: Session | undefined): LoginState {
    const login = this.#login.config.name;
    const now = this.#now();
    if (session === undefined || (now >= session.tokenUntil && session.refreshToken === undefined))
      return { login, person: null, renew_in_ms: null };
    const { person, refreshToken, renewFrom, tokenUntil, until } = session;
    const renews = refreshToken !== undefined && tokenUntil < until;
    return { login, person, renew_in_ms: renews ? Math.max(0, renewFrom - now) : null };
  }

  /** What only makes leaving smoother is left out where it does not fit. */
  #setSession({ idToken, ...session }: Session): readonly string[] | undefined {
    const { until } = session;
    const now = this.#now();
    const set = (value: Session) => this.#cookies.setSession(this.#cookies.seal('session', value, until), until, now);
    return (idToken === undefined ? undefined : set({ ...session, idToken })) ?? set(session);
  }

  #begunName(state: string): string {
    return this.#cookies.name('login', /^[\w-]+$/.test(state) ? state.slice(0, begunCharacters) : '');
  }

  #tooManyBegun(req: IncomingMessage): readonly string[] {
    const prefix = this.#cookies.name('login', '-').slice(0, -1);
    const before = [...cookiesIn(req.headers.cookie).keys()].filter((name) => name.startsWith(prefix));
    return before.length < signInsMax ? [] : before.map((name) => this.#cookies.remove(name));
  }

  #failed(res: ServerResponse, error: unknown, to: string, cookies: readonly string[]): void {
    if (!(error instanceof ProviderFailure)) throw error;
    this.#log.warn(`nobody was signed in: the identity provider: ${error.message}`);
    const isAway = error.kind === 'away';
    const problem = isAway
      ? `${this.#login.config.name} does not answer. Try again in a moment.`
      : `${this.#login.config.name} did not sign you in: ${error.message}.`;
    sendFailedPage(res, isAway ? 503 : 400, problem, againAt(to), cookies);
  }
}

/** Characters of a state that tell one begun sign-in of a browser from its others; all of it is compared later. */
const begunCharacters = 12;

const notBegun =
  'This sign-in was not begun in this browser, has been used already, or has taken longer than 10 minutes.';
const tooLong =
  'What the identity provider gave does not fit into the cookies of a browser. Whoever runs it can have it name fewer groups or claims.';

const againAt = (to: string): string => `/login?to=${encodeURIComponent(to)}`;
const wordsOf = (error: unknown): string => (error instanceof ProviderFailure ? error.message : 'it failed');

function redirect(res: ServerResponse, to: string, cookies: readonly string[]): void {
  res.writeHead(303, { Location: to, 'Cache-Control': 'no-store', 'Set-Cookie': [...cookies] });
  res.end();
}

function sendFailedPage(
  res: ServerResponse,
  status: number,
  problem: string,
  again: string,
  cookies: readonly string[],
): void {
  sendHtml(res, status, (nonce) => failedSignInPage(nonce, problem, again), cookies);
}
