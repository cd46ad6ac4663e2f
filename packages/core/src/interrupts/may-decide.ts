// Whether somebody may decide an approval: by what it demands, who they are, and the time. Nothing else is looked at.

import { isAtLeast, roleNamed } from '../people/roles.ts';
import { type Approver, approversAt, approverText, type Demand, keptOut } from '../state/demand.ts';
import type { Voter } from './voter.ts';

/** `entitledBy`: what lets them, in words; empty: nothing in particular is asked for. */
export type Entitlement =
  | { readonly may: true; readonly entitledBy: string }
  | { readonly may: false; readonly reason: string };

/**
 * Whether somebody may decide.
 *
 * @param requester - key of whoever sent the message that the run answers; empty: nobody knows.
 */
export function mayDecide(demand: Demand | undefined, voter: Voter, requester: string, now: number): Entitlement {
  if (demand === undefined) return { may: true, entitledBy: '' };
  const no = (reason: string): Entitlement => ({ may: false, reason });
  const needsNames = demand.votes > 1 || demand.notRequester;
  if (needsNames && voter.key === '')
    return no(`it needs ${demandText(demand, now)}; say who you are: sign in, or send your name in X-Approver`);
  if (demand.notRequester && requester === '')
    return no(
      'who asked for it must not decide it, and nobody knows who asked: it can only expire, or its run be canceled',
    );
  const out = keptOut(demand, requester);
  if (out.includes(''))
    return no(
      'who changed its arguments must not decide it, and nobody knows who did: it can only expire, or its run be canceled',
    );
  if (out.includes(voter.key)) {
    const did = requester === voter.key ? 'asked for it' : 'changed its arguments';
    return no(`${voter.name} ${did} and cannot decide it as well; it needs ${demandText(demand, now)}`);
  }
  const approvers = approversAt(demand, now);
  if (demand.approvers.length === 0) return { may: true, entitledBy: '' };
  const found = approvers.find((approver) => isOne(voter, approver));
  if (found === undefined) return no(`${voter.name} may not decide it; it needs ${demandText(demand, now)}`);
  return { may: true, entitledBy: approverText(found) };
}

/** Roles and groups are those of people who are signed in: nobody claims them. */
function isOne(voter: Voter, { kind, name }: Approver): boolean {
  switch (kind) {
    case 'user':
      return voter.key !== '' && voter.name.toLowerCase() === name.toLowerCase();
    case 'role': {
      const least = roleNamed(name);
      return voter.role !== undefined && least !== undefined && isAtLeast(voter.role, least);
    }
    case 'group':
      return !voter.claimed && voter.groups.includes(name);
    case 'unknown':
      return false;
  }
}

/** Who has to decide, in words: `2 of group finance, role ADMIN`. */
export function demandText(demand: Demand, now: number): string {
  const whom = approversAt(demand, now).map(approverText).join(', ');
  const changed = demand.authors === undefined ? '' : ' or changed its arguments';
  const other = demand.notRequester ? `, but not who asked for it${changed}` : '';
  return demand.approvers.length === 0
    ? `${demand.votes} different ${demand.votes === 1 ? 'person' : 'people'}${other}`
    : `${demand.votes} of ${whom}${other}`;
}
