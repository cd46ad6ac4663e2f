import { ask } from '../api/client.ts';
import { apiKey, setApiKey } from '../api/identity.ts';
import { goLive } from './live.ts';

// Who uses this tab, one after the other. Nobody sees what somebody else was shown or has written: what was written is removed, and what
// the app holds goes with the page.

/** Names of what somebody has written and what is not known to be sent. */
const written = /^stopgo\.(draft|try)\./;

function forgetAll(): void {
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  for (const name of names) if (written.test(name)) sessionStorage.removeItem(name);
  location.reload();
}

/**
 * Signs in. With the key that was there before the app goes on where it was, and true is given; with another one the page is loaded anew.
 *
 * @throws as `ask` does if the key is not taken, or nobody knows; nobody is signed in then.
 */
export async function signIn(key: string): Promise<boolean> {
  const before = apiKey();
  setApiKey(key);
  try {
    await ask('/conversations?limit=1');
  } catch (error) {
    setApiKey('');
    throw error;
  }
  const isSame = key === before;
  if (isSame) goLive();
  else forgetAll();
  return isSame;
}

export function signOut(): void {
  setApiKey('');
  forgetAll();
}
