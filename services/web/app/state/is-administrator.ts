/** What `GET /me` says of whoever asks. */
export type Me = {
  readonly user: { readonly role?: string } | null;
  /** What the key that was signed in with is limited to; absent: to nothing. */
  readonly scopes?: readonly string[];
};

const administrators = new Set(['ADMIN', 'SUPER_ADMIN']);

/** Whether somebody may do what is for administrators. */
export const isAdministrator = ({ user, scopes }: Me): boolean =>
  administrators.has(user?.role ?? '') && (scopes === undefined || scopes.includes('admin'));
