import { type DomainError, unauthenticated } from '@stopgo/core';

/** What tells a person who has to sign in from a service that holds no internal token. */
const reason = 'sign_in';

/** Somebody has to sign in, or what they signed in with is not taken: the text says which. */
export const notSignedIn = (text: string): DomainError => unauthenticated(text, { reason });

/** True for what {@link notSignedIn} makes. */
export const isNotSignedIn = ({ kind, details }: DomainError): boolean =>
  kind === 'unauthenticated' && details.reason === reason;
