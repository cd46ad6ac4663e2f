// Who is signed in with the identity provider, where there is one. The token is with the server, and no script here ever has it: what
// a page knows is who it was made for, and when it is time to have the token renewed.

/** What the server says of whoever looks at the page. */
export type LoginState = {
  /** What the provider is called; null: nobody signs in with one. */
  readonly login: string | null;
  /** Tells one person from another; null: nobody is signed in. */
  readonly person: string | null;
  /** In how many milliseconds the session is to be renewed; null: it need not be, or cannot be. */
  readonly renew_in_ms: number | null;
};

const nobody: LoginState = { login: null, person: null, renew_in_ms: null };
const lock = 'stopgo.renew';
/** After a renewal to which nobody answered, in milliseconds. */
const againMs = 15_000;

let state = nobody;
let timer: ReturnType<typeof setTimeout> | undefined;
let renewing: Promise<boolean> | undefined;

export const loginState = (): LoginState => state;

/** Takes what the server has written into the page, for whoever asked for it. */
export function readLogin(page: Pick<Document, 'querySelector'>): void {
  const text = page.querySelector('meta[name="login-state"]')?.getAttribute('content') ?? '';
  state = text.startsWith('{') ? (JSON.parse(text) as LoginState) : nobody;
  keepRenewing();
}

/** Headers that say for whom this page was made. */
export const pageOf = (): Record<string, string> => (state.person === null ? {} : { 'X-Signed-In-As': state.person });

/** Where a sign-in begins that leads back to here. */
export const signInAddress = (): string => `/login?to=${encodeURIComponent(location.pathname + location.search)}`;

/** Has the token renewed before it ends, from now on. */
function keepRenewing(): void {
  clearTimeout(timer);
  if (state.renew_in_ms !== null) timer = setTimeout(() => void renew(), state.renew_in_ms);
}

/**
 * Has the token renewed, if that is due; gives whether there is one that can be used. All tabs of the browser do so one after the other:
 * the next one finds that it is done.
 */
export function renew(): Promise<boolean> {
  renewing ??= inTurn(once).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request(lock, act) : act();

async function once(): Promise<boolean> {
  const renewed = (await stateFrom('/login/renew', 'POST')) ?? (await stateFrom('/login/session', 'GET'));
  if (renewed === 'away') {
    timer = setTimeout(() => void renew(), againMs);
    return true;
  }
  if (renewed?.person !== state.person || renewed?.person === null) return false;
  state = renewed;
  keepRenewing();
  return true;
}

/**
 * Whether a request that was refused (401) may be sent again: the server has not passed it on, and its session is renewed now. Where
 * somebody else has signed in meanwhile the page is of no use any more, and is loaded anew.
 */
export async function mayGoOn(refusal: Readonly<Record<string, unknown>> | undefined): Promise<boolean> {
  if (refusal?.session === 'due') return renew();
  if (refusal?.session === 'other') location.reload();
  return false;
}

/** Who is signed in now, whoever the page was made for; undefined: nobody can tell. */
export async function whoIsThere(): Promise<string | null | undefined> {
  const now = await stateFrom('/login/session', 'GET');
  return now === 'away' ? undefined : now?.person;
}

/** What the server says; undefined: there is no session that can go on; `away`: nobody knows. */
async function stateFrom(path: string, method: 'GET' | 'POST'): Promise<LoginState | 'away' | undefined> {
  try {
    const response = await fetch(path, { method, headers: pageOf(), cache: 'no-store' });
    if (response.ok) return (await response.json()) as LoginState;
    return response.status === 401 ? undefined : 'away';
  } catch {
    return 'away';
  }
}

/**
 * Ends the session; gives where to go to end it at the provider too. A renewal that is under way ends before: its answer would bring the
 * session back.
 *
 * @throws Error if nobody answers: it goes on then.
 */
export const endSession = (): Promise<string> =>
  inTurn(async () => {
    const response = await fetch('/logout', { method: 'POST', headers: pageOf() });
    if (!response.ok) throw new Error('You are still signed in: the app does not answer. Try again.');
    return ((await response.json()) as { to: string }).to;
  });
