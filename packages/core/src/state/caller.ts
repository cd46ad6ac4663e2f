import type { MessageInitShape } from '@bufbuild/protobuf';
import { facts as wire } from '@stopgo/proto';
import type { Principal } from '../people/principal.ts';
import { roleFromWire, roles, roleToWire } from '../people/roles.ts';
import { nobody, type PolicyCaller } from '../policy/judge-policy.ts';

/** Whom a run answers, as rules see them; `claimed`: the name that somebody claims who is not signed in. */
export function callerOf(principal: Principal, claimed: string): PolicyCaller {
  if (principal.kind !== 'user') return { ...nobody, name: claimed };
  const { id, email, name, role, groups } = principal;
  return { id, email, name, role, groups, authenticated: true };
}

/** The recorded form. */
export function callerToWire({ role, groups, ...caller }: PolicyCaller): MessageInitShape<typeof wire.CallerSchema> {
  const known = roles.find((one) => one === role);
  return { ...caller, groups: [...groups], role: known === undefined ? wire.UserRole.UNSPECIFIED : roleToWire(known) };
}

/** From the recorded form. */
export function callerFromWire({ id, email, name, role, groups, authenticated }: wire.Caller): PolicyCaller {
  return { id, email, name, groups, authenticated, role: role === wire.UserRole.UNSPECIFIED ? '' : roleFromWire(role) };
}
