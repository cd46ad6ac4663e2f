import { renewalKeptMs, renewalsKeptMax } from '../bounds.ts';
import type { Provider } from './provider.ts';
import { isDue, type Session, sessionWith } from './session.ts';

type Kept = { readonly at: number; readonly renewed: Promise<Session> };

/**
 * Renews the tokens of sessions.
 *
 * Many providers take a refresh token once, and take it for stolen when it comes again: they end all that came of that sign-in. So a
 * browser renews in one of its tabs at a time (`app/api/login.ts`), which holds over all replicas; and here whoever comes with the same
 * refresh token, at the same time or soon after, since the answer before was lost, is given the same session.
 */
export class Renewals {
  readonly #provider: Pick<Provider, 'renew'>;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(provider: Pick<Provider, 'renew'>, now: () => number) {
    this.#provider = provider;
    this.#now = now;
  }

  /** The session with a new token; the same one while that is not due. @throws ProviderFailure. */
  async renew(session: Session): Promise<Session> {
    const { refreshToken } = session;
    if (refreshToken === undefined || !isDue(session, this.#now())) return session;
    const before = this.#kept.get(refreshToken);
    if (before !== undefined) {
      const renewed = await before.renewed;
      // A provider that gives no new refresh token is asked with the same one again, once what came of it is due as well.
      if (renewed.until === session.until && !isDue(renewed, this.#now())) return renewed;
    }
    return this.#ask(refreshToken, session);
  }

  #ask(refreshToken: string, session: Session): Promise<Session> {
    const renewed = this.#provider
      .renew(refreshToken, session.person)
      .then((tokens) => sessionWith(tokens, session, this.#now()));
    const kept = { at: this.#now(), renewed };
    // What is asked for anew is the youngest.
    this.#kept.delete(refreshToken);
    this.#kept.set(refreshToken, kept);
    // What failed is tried again.
    renewed.catch(() => {
      if (this.#kept.get(refreshToken) === kept) this.#kept.delete(refreshToken);
    });
    this.#forgetOld();
    return renewed;
  }

  #forgetOld(): void {
    for (const [refreshToken, { at }] of this.#kept) {
      if (this.#kept.size <= renewalsKeptMax && this.#now() - at < renewalKeptMs) return;
      this.#kept.delete(refreshToken);
    }
  }
}
