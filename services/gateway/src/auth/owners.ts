import { anonymousPrincipal, isAskedOf as askedOf, DomainError, type Principal } from '@stopgo/core';
import type { GatewayClients } from '../options.ts';
import { ownersKeptMax } from './bounds.ts';

/** Whom conversations and approvals belong to, by the key of the principal; undefined for what does not exist. */
export type Owners = {
  readonly ofConversation: (id: string) => Promise<string | undefined>;
  readonly ofApproval: (id: string) => Promise<string | undefined>;
  /** Whether somebody may decide an approval by what it demands of people: then it concerns them, whoever's it is. */
  readonly isAskedOf: (id: string, principal: Principal) => Promise<boolean>;
};

/** Asks the store, once for each: an owner never changes. */
export function ownersIn(
  store: Pick<GatewayClients['store'], 'getConversation' | 'getApproval'>,
  now: () => number,
): Owners {
  const known = new Map<string, string>();
  const remembered = async (name: string, find: () => Promise<string | undefined>): Promise<string | undefined> => {
    const owner = known.get(name) ?? (await unlessMissing(find));
    if (owner === undefined) return undefined;
    known.delete(name);
    known.set(name, owner);
    const [oldest] = known.keys();
    if (known.size > ownersKeptMax && oldest !== undefined) known.delete(oldest);
    return owner;
  };
  const ofConversation = (id: string) =>
    remembered(`conversation ${id}`, async () => {
      const { view } = await store.getConversation({ conversationId: id });
      return view?.head?.principal || anonymousPrincipal;
    });
  const ofApproval = (id: string) =>
    remembered(`approval ${id}`, async () => {
      const { approval } = await store.getApproval({ approvalId: id });
      return approval === undefined ? undefined : ofConversation(approval.conversationId);
    });
  const isAskedOf = async (id: string, principal: Principal) => {
    const { approval } = await store.getApproval({ approvalId: id });
    return approval !== undefined && askedOf(approval, principal, now());
  };
  return { ofConversation, ofApproval, isAskedOf };
}

async function unlessMissing(find: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'invalid_argument'))
      return undefined;
    throw error;
  }
}
