/** The platform that is asked where nothing names another. */
export const defaultUrl = 'http://127.0.0.1:8080';

/**
 * True if an address may hold a user name or a password. Every `@` counts: where one holds a `#` or a `/`, a parser takes a part of it for
 * something else.
 */
export const holdsCredentials = (address: string): boolean => address.includes('@');

/** Why such an address is refused; it is never repeated. */
export const noCredentials =
  'must not hold a user name or a password (no @): they would be printed, and this command cannot log in';
