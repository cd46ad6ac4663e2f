export type { Credentials } from './git/access.ts';
