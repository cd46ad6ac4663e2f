import { facts } from '@stopgo/proto';

/** What a user may do at most, the least first. */
export const roles = ['USER', 'ADMIN', 'SUPER_ADMIN'] as const;
export type Role = (typeof roles)[number];

const numbers = {
  USER: facts.UserRole.USER,
  ADMIN: facts.UserRole.ADMIN,
  SUPER_ADMIN: facts.UserRole.SUPER_ADMIN,
} as const satisfies Readonly<Record<Role, facts.UserRole>>;

/** The role as it is recorded. */
export const roleToWire = (role: Role): facts.UserRole => numbers[role];

/** The role of a record; what this program does not know may do the least. */
export const roleFromWire = (role: facts.UserRole): Role => roles.find((one) => numbers[one] === role) ?? 'USER';

/** The role of this name, in any case; undefined if there is none. */
export const roleNamed = (text: string): Role | undefined => roles.find((one) => one === text.trim().toUpperCase());

/** True for the name of a role, exactly as it is written. */
export const isRole = (value: unknown): value is Role => roles.some((one) => one === value);

/** Whether one role may do all that another may. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);
