/** Whom an approval asks, in words that lists find it by: the same words for the approval and for whoever looks. */
import type { views } from '@stopgo/proto';
import { reachOf } from '../people/permissions.ts';
import { principalKey, type UserPrincipal } from '../people/principal.ts';
import { isAtLeast, roleNamed, roles } from '../people/roles.ts';
import { type Approver, demandFromWire, keptOut } from '../state/demand.ts';

/** One word that an approval is found by. */
export type Asking = {
  readonly asked: string;
  /** From when on, in milliseconds since 1970; 0: from the beginning. */
  readonly from: number;
  /** Keys of the principals that it is not asked of, because they asked for it themselves or changed its arguments. */
  readonly notBy: readonly string[];
};

/**
 * The words that a waiting approval is found by, each once. Whoever has one of them at its time, and is not kept out, may decide it
 * by what it demands. {@link votedWord} of who has said yes is one besides, by which it can be left out.
 *
 * @param owner - key of the principal whose conversation it is in.
 */
export function askingsOf(
  approval: Pick<views.Approval, 'demand' | 'expiresAt' | 'requester' | 'votes'>,
  owner: string,
): readonly Asking[] {
  const voted = new Set(approval.votes.map(({ voter }) => votedWord(voter?.key ?? '')));
  return [...askedOf(approval, owner), ...[...voted].map((asked) => ({ asked, from: 0, notBy: [] }))];
}

/** The word of what somebody has said yes to, by their key. Nobody is asked by it. */
export const votedWord = (key: string): string => `voted:${key}`;

function askedOf(
  approval: Pick<views.Approval, 'demand' | 'expiresAt' | 'requester'>,
  owner: string,
): readonly Asking[] {
  const demand = demandFromWire(approval);
  const notBy = demand === undefined ? [] : keptOut(demand, approval.requester);
  // Nobody knows who must not decide it, so nobody may.
  if (notBy.includes('')) return [];
  if (demand === undefined || demand.approvers.length === 0)
    return [anybody, ownWord(owner)].map((asked) => ({ asked, from: 0, notBy }));
  const found = new Map<string, Asking>();
  const escalations = [...demand.escalations].sort((a, b) => a.at - b.at);
  for (const { at: from, approvers } of [{ at: 0, approvers: demand.approvers }, ...escalations])
    for (const asked of approvers.flatMap(approverWord))
      if (!found.has(asked)) found.set(asked, { asked, from, notBy });
  return [...found.values()];
}

/** The words of somebody who is signed in. */
export function askedWords(principal: UserPrincipal): readonly string[] {
  const { email, role, groups } = principal;
  const unnamed = reachOf(principal, 'approval.list') === 'all' ? anybody : ownWord(principalKey(principal));
  return [
    ...new Set([
      unnamed,
      `user:${email.toLowerCase()}`,
      ...roles.filter((least) => isAtLeast(role, least)).map((least) => `role:${least}`),
      ...groups.map((group) => `group:${group}`),
    ]),
  ];
}

/** Asked of whoever may decide all approvals. */
const anybody = 'anybody';

const own = 'own:';
const ownWord = (owner: string): string => `${own}${owner}`;

/** Whether an approval demands nothing: whoever may decide all approvals is asked, and whose conversation it is. */
export const isAskedOfAll = ({ demand, expiresAt }: Pick<views.Approval, 'demand' | 'expiresAt'>): boolean =>
  demand === undefined && expiresAt === undefined;

/** By which of a word's two meanings an approval of {@link isAskedOfAll} is found; undefined: by neither. `owner`: key of a principal. */
export function unnamedBy(word: string): { readonly owner?: string } | undefined {
  if (word === anybody) return {};
  return word.startsWith(own) ? { owner: word.slice(own.length) } : undefined;
}

function approverWord({ kind, name }: Approver): string[] {
  switch (kind) {
    case 'user':
      return [`user:${name.toLowerCase()}`];
    case 'group':
      return [`group:${name}`];
    case 'role': {
      const role = roleNamed(name);
      return role === undefined ? [] : [`role:${role}`];
    }
    case 'unknown':
      return [];
  }
}
