import type { Role } from './roles.ts';

/** What may be done with an API key, of what its user may. */
export const scopes = ['read', 'converse', 'approve', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Somebody who is signed in, as the record had them when the request came. */
export type UserPrincipal = {
  readonly kind: 'user';
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** As their token names them, or with an API key their last recorded sign-in did. */
  readonly groups: readonly string[];
  readonly via: 'token' | 'api_key' | 'link';
  /** What they presented may be used for; absent: for all that they may. */
  readonly scopes?: readonly Scope[];
  /** When the API key that they presented ends, in milliseconds since 1970; absent: it does not, or it was none. */
  readonly until?: number;
  /** They presented an API key that somebody else made, or one made with such a key; absent: they did not. */
  readonly given?: true;
};

/** Nobody in particular: where nobody has to sign in, everybody is. */
export type AnonymousPrincipal = { readonly kind: 'anonymous' };

/**
 * Whoever holds the key that a new platform is set up with: for one thing only, to make the first user. `keyId`: of that key.
 */
export type SetupPrincipal = { readonly kind: 'setup'; readonly keyId: string };

/** Somebody who has not signed in, where people have to. */
export type NobodyPrincipal = { readonly kind: 'nobody' };

/** Who acts. */
export type Principal = AnonymousPrincipal | NobodyPrincipal | UserPrincipal | SetupPrincipal;

/** Nobody in particular. */
export const anonymous: AnonymousPrincipal = { kind: 'anonymous' };

/** Key of the user of this id: what conversations and facts of the record name them by. */
export const userKey = (id: string): string => `user:${id}`;

/** What tells a principal from all others, for ever: it stands on the record, and in ids that are made from it. */
export function principalKey(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'user':
      return userKey(principal.id);
    case 'setup':
    case 'nobody':
      return principal.kind;
  }
}
