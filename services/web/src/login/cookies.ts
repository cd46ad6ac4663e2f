import { isLoopback, type Sealer } from '@stopgo/security';
import { cookieCharactersMax, sessionCookiesMax } from '../bounds.ts';
import type { Login } from './secrets.ts';

// What this server keeps, it keeps in the browser: sealed, each cookie for one purpose and with its end inside. No replica needs to
// have seen the request before.

/** What a cookie is for. One that was sealed for another purpose, or by the login of another provider, is none. */
export type Purpose = 'session' | 'login' | 'leaving';

type Sealed = { readonly until: number; readonly value: unknown };

/** Sealed cookies of one app. */
export class SealedCookies {
  readonly #sealers: readonly [Sealer, ...Sealer[]];
  readonly #place: (purpose: Purpose) => readonly string[];
  readonly #isSecure: boolean;
  readonly #prefix: string;

  constructor({ config, sealers }: Pick<Login, 'config' | 'sealers'>) {
    const { issuer, clientId, publicUrl } = config;
    const { protocol, hostname, port } = new URL(publicUrl);
    this.#sealers = sealers;
    this.#place = (purpose) => ['web app', purpose, issuer, clientId];
    this.#isSecure = !(protocol === 'http:' && isLoopback(hostname));
    // A browser takes a name with __Host- from this host alone. Without TLS there is none, and hosts share cookies over all ports.
    this.#prefix = this.#isSecure ? '__Host-stopgo-' : `stopgo-${port}-`;
  }

  /** The name of a cookie: of several for one purpose, `which` tells them apart. */
  name(purpose: Purpose, which = ''): string {
    return `${this.#prefix}${purpose}${which === '' ? '' : `-${which}`}`;
  }

  /** A value, sealed until a time in milliseconds since 1970. */
  seal(purpose: Purpose, value: unknown, until: number): string {
    const sealed: Sealed = { until, value };
    const [first] = this.#sealers;
    return Buffer.from(first.seal(JSON.stringify(sealed), this.#place(purpose))).toString('base64url');
  }

  /** The value; undefined for what was not sealed here for this purpose, was changed, or is over. */
  open(purpose: Purpose, text: string, now: number): unknown {
    const bytes = Buffer.from(text, 'base64url');
    for (const sealer of this.#sealers) {
      const opened = sealer.open(bytes, this.#place(purpose));
      if (opened === undefined) continue;
      const { until, value } = JSON.parse(opened) as Sealed;
      return now < until ? value : undefined;
    }
    return undefined;
  }

  /** The header that sets a cookie until then, for scripts of no page and for no request that another site sends. */
  set(name: string, value: string, until: number, now: number): string {
    const seconds = Math.max(0, Math.ceil((until - now) / 1_000));
    return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${this.#isSecure ? '; Secure' : ''}`;
  }

  /** The header that removes a cookie. */
  remove(name: string): string {
    return this.set(name, '', 0, 0);
  }

  /**
   * The headers that set the session: in as many cookies as it takes, the first of which says how many. What is left of a longer one
   * before is removed. Undefined if it is longer than browsers keep.
   */
  setSession(text: string, until: number, now: number): readonly string[] | undefined {
    const count = Math.ceil(text.length / cookieCharactersMax);
    if (count > sessionCookiesMax) return undefined;
    return Array.from({ length: sessionCookiesMax }, (_, index) => {
      const piece = text.slice(index * cookieCharactersMax, (index + 1) * cookieCharactersMax);
      const name = this.#sessionPiece(index);
      return index < count ? this.set(name, index === 0 ? `${count}.${piece}` : piece, until, now) : this.remove(name);
    });
  }

  removeSession(): readonly string[] {
    return Array.from({ length: sessionCookiesMax }, (_, index) => this.remove(this.#sessionPiece(index)));
  }

  /** The sealed session that cookies hold; undefined if they hold none, or not all of it. */
  sessionIn(cookies: ReadonlyMap<string, string>): string | undefined {
    const [, count = '', first = ''] = /^([1-9])\.(.*)$/.exec(cookies.get(this.#sessionPiece(0)) ?? '') ?? [];
    if (count === '' || Number(count) > sessionCookiesMax) return undefined;
    const rest = Array.from({ length: Number(count) - 1 }, (_, index) => cookies.get(this.#sessionPiece(index + 1)));
    return rest.includes(undefined) ? undefined : [first, ...rest].join('');
  }

  #sessionPiece(index: number): string {
    return this.name('session', index === 0 ? '' : String(index));
  }
}

/** The cookies of a request; of several of one name the first, which browsers take for the closest one. */
export function cookiesIn(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    if (!cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}
