// Records who may use the platform. Reads are the store's: people can be looked up while nobody can change them.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type Action,
  type Actor,
  actorFromWire,
  apiKeyIdOf,
  apiKeyText,
  changeUser,
  checkIssue,
  checkRole,
  createUser,
  DomainError,
  issueApiKey,
  mayReach,
  noApiKey,
  noteKeyUse,
  noUser,
  permissionDenied,
  revokeApiKey,
  roleFromWire,
  signIn,
  userIdOf,
  userKey,
} from '@stopgo/core';
import { storeLog } from '@stopgo/log';
import type { store, views, people as wire } from '@stopgo/proto';
import type { CallContext, Client, ServiceImpl } from '@stopgo/rpc';
import { decideApiKey, decideUser, loadApiKey, loadUser, type PeoplePorts } from './people-log.ts';

/** What the people service is given. */
export type PeopleDependencies = Omit<PeoplePorts, 'log' | 'store'> & {
  /** Id of this process. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
  /** So many bytes that nobody can guess. */
  readonly randomBytes: (count: number) => Uint8Array;
};

const keyBytes = 32;

/** The gRPC surface for users and API keys. */
export function peopleService(given: PeopleDependencies): ServiceImpl<typeof wire.PeopleService> {
  const ports: PeoplePorts = { ...given, log: storeLog(given.store) };
  const platform: Actor = { kind: 'system', id: given.instance };
  return {
    createUser: async (request, context) => {
      const user = await create(ports, request, context);
      return request.withApiKey ? { user, ...(await firstKey(given, ports, user, request)) } : { user };
    },

    async changeUser({ userId, name, role, active, actor }, { principal }) {
      require({ principal }, 'user.change');
      const change = { name, role: role === undefined ? undefined : roleFromWire(role), active };
      const user = await loadUser(ports, userId);
      return { user: await decideUser(ports, user, actorFromWire(actor), (now) => changeUser(now, change, principal)) };
    },

    async signIn({ email, name, groups, mayCreate }, { peerInternal }) {
      insistOnGateway(peerInternal);
      const known = await loadUser(ports, userIdOf(email));
      const decide = (user: views.User) => signIn(user, { email, name, groups }, mayCreate, ports.clock.now());
      const user = await decideUser(ports, known, platform, decide);
      return user.revision === 0 ? {} : { user };
    },

    async issueApiKey({ userId, name, scopes, expiresAt, actor }, { principal }) {
      require({ principal }, 'key.issue', userId);
      const user = await loadUser(ports, userId);
      const made = { userId, name, scopes, expiresAt: expiresAt && timestampMs(expiresAt) };
      checkIssue(principal, user, made, await keysOf(given.store, userId));
      const text = apiKeyText(given.randomBytes(keyBytes));
      const decide = () => issueApiKey(text, made, ports.clock.now());
      const { state } = await decideApiKey(ports, noApiKey(apiKeyIdOf(text)), actorFromWire(actor), decide);
      return { apiKey: state, text };
    },

    async revokeApiKey({ userId, apiKeyId, actor }, { principal }) {
      require({ principal }, 'key.revoke', userId);
      const known = await loadApiKey(ports, apiKeyId);
      // Whose key it is, is known by its record alone.
      if (known.revision > 0 && known.userId !== userId)
        throw new DomainError('not_found', `there is no API key ${apiKeyId}`);
      // Whoever ends an administrator's keys shuts them out.
      const user = await loadUser(ports, userId);
      if (principal.kind !== 'user' || principal.id !== userId) checkRole(principal, roleFromWire(user.role));
      const { state } = await decideApiKey(ports, known, actorFromWire(actor), revokeApiKey);
      return { apiKey: state };
    },

    async noteKeyUse({ apiKeyId }, { peerInternal }) {
      insistOnGateway(peerInternal);
      const known = await loadApiKey(ports, apiKeyId);
      await decideApiKey(ports, known, platform, (key) => noteKeyUse(key, ports.clock.now()));
      return {};
    },
  };
}

async function create(
  ports: PeoplePorts,
  { email, name, role, actor }: wire.CreateUserRequest,
  { principal }: CallContext,
): Promise<views.User> {
  require({ principal }, 'user.create');
  const made = { email, name, role: roleFromWire(role) };
  const user = noUser(userIdOf(email));
  // Refused before the key is spent that makes the first user.
  createUser(user, made, principal);
  if (principal.kind === 'setup') await spendSetupKey(ports, principal.keyId, actorFromWire(actor));
  return decideUser(ports, user, actorFromWire(actor), (now) => createUser(now, made, principal));
}

/** All keys of a user. */
async function keysOf(client: PeopleDependencies['store'], userId: string): Promise<readonly views.ApiKey[]> {
  const all: views.ApiKey[] = [];
  for (let cursor = ''; ; ) {
    const { apiKeys, nextCursor } = await client.listApiKeys({ userId, cursor });
    all.push(...apiKeys);
    cursor = nextCursor;
    if (cursor === '') return all;
  }
}

/** A key of a user who was just made. Whoever may make a user may give them one. */
async function firstKey(
  given: PeopleDependencies,
  ports: PeoplePorts,
  { id: userId }: views.User,
  { actor }: wire.CreateUserRequest,
) {
  const text = apiKeyText(given.randomBytes(keyBytes));
  const made = { userId, name: 'first', scopes: [], expiresAt: undefined };
  const decide = () => issueApiKey(text, made, ports.clock.now());
  const { state } = await decideApiKey(ports, noApiKey(apiKeyIdOf(text)), actorFromWire(actor), decide);
  return { apiKey: state, apiKeyText: text };
}

/** The key makes one user: of those who present it at the same time one ends it, and goes on. */
async function spendSetupKey(ports: PeoplePorts, keyId: string, actor: Actor): Promise<void> {
  const { isChanged } = await decideApiKey(ports, await loadApiKey(ports, keyId), actor, revokeApiKey);
  if (!isChanged) throw permissionDenied('this key has made the first user already; sign in as that user');
}

/** The edge has asked the same table; whoever reaches this service otherwise is asked here. */
function require({ principal }: Pick<CallContext, 'principal'>, action: Action, userId = ''): void {
  if (mayReach(principal, action, userKey(userId))) return;
  throw permissionDenied(`not allowed: ${action}`);
}

function insistOnGateway(peerInternal: boolean): void {
  if (!peerInternal) throw permissionDenied('only the gateway notes who has signed in');
}
