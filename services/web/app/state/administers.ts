import { useEffect } from 'react';
import { ApiError, ask } from '../api/client.ts';
import { isAdministrator, type Me } from './is-administrator.ts';
import { onConnected } from './live.ts';
import { Store, useStore } from './store.ts';

/** Whether whoever uses this tab may do what administrators may; undefined while nobody knows. A tab serves one person. */
const administers = new Store<boolean | undefined>(undefined);

async function look(): Promise<void> {
  try {
    administers.set(isAdministrator(await ask<Me>('/me')));
  } catch (error) {
    // Where nobody signs in, nobody is asked who they are, and everybody may do everything.
    if (error instanceof ApiError && error.status === 404) administers.set(true);
  }
}

/** Whether what is for administrators is offered here. The platform refuses it all the same to who may not. */
export function useAdministers(): boolean {
  const known = useStore(administers);
  useEffect(() => {
    void look();
    return onConnected(() => void look());
  }, []);
  return known === true;
}
