import { type Action, DomainError, type Principal, permissionDenied } from '@stopgo/core';
import { type Resource, requirePermission } from '../authorize.ts';
import type { Frame } from '../frame.ts';
import type { RouteDependencies } from '../routes/route.ts';
import { isNotSignedIn } from './refusal.ts';

/** Whether somebody may still follow what they follow. */
export type Tenure = {
  /** Aborts when they may not any more, with the reason that they are told. */
  readonly signal: AbortSignal;
  /** To be called when they have left. */
  readonly end: () => void;
};

/**
 * What lasts as long as it lasts: where nobody signs in, nobody's right ends. A signal for each: what is made of one that lives as long as the
 * process is never let go of in Node 20.
 */
const forGood = (): Tenure => ({ signal: new AbortController().signal, end: () => undefined });

/**
 * Asks every `recheckMs` whether whoever opened an event stream is still let in with what they presented, and may still do this. A
 * stream lives for hours: a user who is deactivated meanwhile, a key that is revoked, a token that expires, ends it. While nobody can
 * tell, it goes on.
 *
 * @param seesTheSame - whether somebody still sees what the stream was opened for, where that depends on more than the permission.
 */
export function tenureOf(
  { authorize, recheckMs }: Pick<RouteDependencies, 'authorize' | 'recheckMs'>,
  { signInAgain }: Frame,
  action: Action,
  resource: Resource,
  seesTheSame: (principal: Principal) => boolean = () => true,
): Tenure {
  if (signInAgain === undefined) return forGood();
  const over = new AbortController();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      const principal = await signInAgain();
      await requirePermission(authorize, principal, action, resource);
      if (!seesTheSame(principal)) throw permissionDenied('what you may see has changed; connect again');
    } catch (error) {
      if (isRefusal(error)) over.abort(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), recheckMs);
  over.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { signal: over.signal, end: () => clearInterval(timer) };
}

/** A service that does not take the gateway's own token says nothing of who follows. */
const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && (isNotSignedIn(error) || ['permission_denied', 'not_found'].includes(error.kind));
