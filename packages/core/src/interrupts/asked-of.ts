import type { views } from '@stopgo/proto';
import type { Principal } from '../people/principal.ts';
import { demandFromWire } from '../state/demand.ts';
import { mayDecide } from './may-decide.ts';
import { voterOf } from './voter.ts';

/**
 * Whether an approval concerns somebody by what it demands of people, whoever's it is: it names who decides, and they are one of those.
 * Somebody who asked for it is among them, though they may not be let decide.
 *
 * @param now - milliseconds since 1970.
 */
export function isAskedOf(
  approval: Pick<views.Approval, 'demand' | 'expiresAt' | 'requester'>,
  principal: Principal,
  now: number,
): boolean {
  const demand = demandFromWire(approval);
  if (demand === undefined || demand.approvers.length === 0) return false;
  return mayDecide({ ...demand, notRequester: false }, voterOf(principal, { id: '' }), approval.requester, now).may;
}
