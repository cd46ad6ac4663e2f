import { apiKey, setApiKey } from '../api/identity.ts';
import { endSession, loginState, signInAddress } from '../api/login.ts';
import { platform } from '../api/platform.ts';
import { goLive } from './live.ts';

// Who uses this tab, one after the other. Nobody sees what somebody else was shown or has written: what was written is removed, and what
// the app holds goes with the page.

/** Names of what somebody has written and what is not known to be sent. */
const written = /^stopgo\.(draft|try)\./;

/** As whom this tab was used last, where people sign in with a provider. */
const personName = 'stopgo.person';
/** Between the tabs of a browser; what a tab posts is not told to itself. */
let tabs: BroadcastChannel | undefined;

function forget(): void {
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  for (const name of names) if (written.test(name)) sessionStorage.removeItem(name);
}

function forgetAll(): void {
  forget();
  location.reload();
}

/** Whether somebody has to sign in with the provider before anything is asked. */
export const mustSignIn = (): boolean => loginState().login !== null && loginState().person === null && apiKey() === '';

/** At the start of a page: somebody else than before finds nothing of what was written; whoever comes back finds all of it. */
export function beginAsWhoIsThere(): void {
  const { person } = loginState();
  if (person !== null) {
    const before = sessionStorage.getItem(personName);
    if (before !== null && before !== person) forget();
    sessionStorage.setItem(personName, person);
  }
  // Whoever signs out does so in all tabs.
  tabs = new BroadcastChannel('stopgo.session');
  tabs.addEventListener('message', () => {
    if (apiKey() === '' && loginState().person !== null) forgetAll();
  });
}

/** Goes to the provider. A key that was used in this tab is not, from then on. */
export function goToSignIn(): void {
  if (apiKey() !== '') {
    setApiKey('');
    forget();
  }
  location.assign(signInAddress());
}

/**
 * Signs in. With the key that was there before the app goes on where it was, and true is given; with another one the page is loaded anew.
 *
 * @throws as the client does if the key is not taken, or nobody knows; nobody is signed in then.
 */
export async function signIn(key: string): Promise<boolean> {
  const before = apiKey();
  setApiKey(key);
  try {
    await platform.conversations.list({ limit: 1 });
  } catch (error) {
    setApiKey('');
    throw error;
  }
  const isSame = key === before;
  if (isSame) goLive();
  else forgetAll();
  return isSame;
}

/** Signs out, and leaves nothing of whoever was here. @throws Error if nobody answers: they are still signed in then. */
export async function signOut(): Promise<void> {
  if (apiKey() !== '') {
    setApiKey('');
    return forgetAll();
  }
  const to = await endSession();
  forget();
  sessionStorage.removeItem(personName);
  tabs?.postMessage('signed out');
  location.assign(to);
}
