/** Who says something to an approval. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { facts as wire } from '@stopgo/proto';
import type { Actor } from '../events/facts.ts';
import { type Principal, userKey } from '../people/principal.ts';
import type { Role } from '../people/roles.ts';

export type Voter = {
  /** What tells them from others; empty: nobody in particular. */
  readonly key: string;
  /** As people are shown it. */
  readonly name: string;
  /** Nobody has checked who they are. */
  readonly claimed: boolean;
  /** Of somebody who is signed in. */
  readonly role?: Role;
  readonly groups: readonly string[];
};

/** Nobody in particular. */
export const nobody: Voter = { key: '', name: 'anonymous', claimed: false, groups: [] };

/** Who decides: somebody who is signed in, else whoever the name is of that they claim. */
export function voterOf(principal: Principal, actor: Pick<Actor, 'id' | 'claimed'>): Voter {
  if (principal.kind === 'user') {
    const { id, email: name, role, groups } = principal;
    return { key: userKey(id), name, claimed: false, role, groups };
  }
  return actor.claimed === true
    ? { key: claimedKey(actor.id), name: actor.id, claimed: true, groups: [] }
    : { ...nobody, name: actor.id };
}

/** Names that differ by case and blanks alone are claimed by one person: who has said yes does not say it again as `Ada`. */
const claimedKey = (name: string): string => `claimed:${name.normalize('NFKC').trim().toLowerCase()}`;

/** A voter as they are recorded. */
export const voterToWire = (
  { key, name, claimed, role = '', groups }: Omit<Voter, 'role'> & { readonly role?: string },
  entitledBy: string,
): MessageInitShape<typeof wire.VoterSchema> => ({ key, name, claimed, role, groups: [...groups], entitledBy });
