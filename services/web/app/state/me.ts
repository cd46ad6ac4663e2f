import { useAnswer } from './answer.ts';

/** Who uses the app, as the platform says. */
export type Me =
  | { readonly kind: 'unknown' }
  /** Nobody signs in on this platform: everybody may do everything. */
  | { readonly kind: 'nobody' }
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly role: 'USER' | 'ADMIN' | 'SUPER_ADMIN';
      /** What their key may be used for; undefined: all that they may do. */
      readonly scopes: readonly string[] | undefined;
    };

type Answer = {
  readonly user: { readonly id: string; readonly role: 'USER' | 'ADMIN' | 'SUPER_ADMIN' } | null;
  readonly scopes?: readonly string[];
};

const everyMs = 30_000;

/** Who uses the app, and again from time to time: a role may change. */
export function useMe(): Me {
  const { value, status } = useAnswer<Answer>('/me', everyMs);
  if (status === 404) return { kind: 'nobody' };
  if (value === undefined || value.user === null) return { kind: 'unknown' };
  return { kind: 'user', id: value.user.id, role: value.user.role, scopes: value.scopes };
}

/** Whether somebody may do what is for administrators, with a key of this scope. What they may not do, the platform refuses as well. */
export function isAdministrator(me: Me, scope = 'admin'): boolean {
  if (me.kind === 'nobody') return true;
  return me.kind === 'user' && me.role !== 'USER' && hasScope(me, scope);
}

export const hasScope = (me: Me, scope: string): boolean =>
  me.kind === 'nobody' || (me.kind === 'user' && (me.scopes?.includes(scope) ?? true));
