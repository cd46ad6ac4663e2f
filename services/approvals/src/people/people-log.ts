import {
  type Actor,
  apiKeyStream,
  evolveApiKey,
  evolveUser,
  type Fact,
  noApiKey,
  noUser,
  userStream,
} from '@stopgo/core';
import { type Clock, type ConversationLog, changeSmall } from '@stopgo/log';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** What is needed to change who may use the platform. */
export type PeoplePorts = {
  readonly log: ConversationLog;
  readonly store: Pick<Client<typeof store.StoreService>, 'getPerson' | 'listUsers' | 'listApiKeys'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
  /** So many bytes that nobody can guess. */
  readonly randomBytes: (count: number) => Uint8Array;
};

/** A user as the record has them; without a revision if there is none. Never less than was acknowledged before the call. */
export async function loadUser({ store }: PeoplePorts, id: string, signal?: AbortSignal): Promise<views.User> {
  const { user } = await store.getPerson({ by: { case: 'userId', value: id } }, signal === undefined ? {} : { signal });
  return user ?? noUser(id);
}

/** An API key as the record has it, the same way. */
export async function loadApiKey({ store }: PeoplePorts, id: string, signal?: AbortSignal): Promise<views.ApiKey> {
  const by = { case: 'apiKeyId', value: id } as const;
  const { apiKey } = await store.getPerson({ by }, signal === undefined ? {} : { signal });
  return apiKey ?? noApiKey(id);
}

/** All API keys of a user, with those that have ended. */
export async function keysOf({ store }: PeoplePorts, userId: string): Promise<readonly views.ApiKey[]> {
  const keys: views.ApiKey[] = [];
  for (let cursor = ''; ; ) {
    const { apiKeys, nextCursor } = await store.listApiKeys({ userId, cursor });
    keys.push(...apiKeys);
    if (nextCursor === '') return keys;
    cursor = nextCursor;
  }
}

/** Decides about a user and records it, anew after each conflict. */
export async function decideUser(
  ports: PeoplePorts,
  before: views.User,
  actor: Actor,
  decide: (user: views.User) => readonly Fact[],
): Promise<views.User> {
  const { id } = before;
  const load = (signal: AbortSignal) => loadUser(ports, id, signal);
  const stream = { name: userStream(id), load, evolve: evolveUser };
  return (await changeSmall(ports, stream, before, actor, decide)).state;
}

/** Decides about an API key and records it, the same way. `isChanged`: whether this call recorded anything. */
export function decideApiKey(
  ports: PeoplePorts,
  before: views.ApiKey,
  actor: Actor,
  decide: (key: views.ApiKey) => readonly Fact[],
): Promise<{ readonly state: views.ApiKey; readonly isChanged: boolean }> {
  const { id } = before;
  const load = (signal: AbortSignal) => loadApiKey(ports, id, signal);
  return changeSmall(ports, { name: apiKeyStream(id), load, evolve: evolveApiKey }, before, actor, decide);
}
