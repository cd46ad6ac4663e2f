// Records who may use the platform. Reads are the store's: people can be looked up while nobody can change them.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type Actor,
  actorFromWire,
  changeUser,
  checkEmail,
  checkIssue,
  checkRole,
  createUser,
  DomainError,
  noteKeyUse,
  noUser,
  type Principal,
  permissionDenied,
  requireAllowed,
  revokeApiKey,
  roleFromWire,
  signIn,
  userIdOf,
  userKey,
} from '@stopgo/core';
import { storeLog } from '@stopgo/log';
import type { store, views, people as wire } from '@stopgo/proto';
import type { CallContext, Client, ServiceImpl } from '@stopgo/rpc';
import { createFirstUser, firstKeyOf, type IssuedKey, issueKey } from './first-user.ts';
import { decideApiKey, decideUser, keysOf, loadApiKey, loadUser, type PeoplePorts } from './people-log.ts';

/** What the people service is given. */
export type PeopleDependencies = Omit<PeoplePorts, 'log' | 'store'> & {
  /** Id of this process. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
};

/** The gRPC surface for users and API keys. */
export function peopleService(given: PeopleDependencies): ServiceImpl<typeof wire.PeopleService> {
  const ports: PeoplePorts = { ...given, log: storeLog(given.store) };
  const platform: Actor = { kind: 'system', id: given.instance };
  return {
    createUser: (request, context) => create(ports, request, context),

    async changeUser({ userId, name, role, active, actor }, { principal }) {
      requireAllowed(principal, 'user.change');
      const change = { name, role: role === undefined ? undefined : roleFromWire(role), active };
      const user = await loadUser(ports, userId);
      return { user: await decideUser(ports, user, actorFromWire(actor), (now) => changeUser(now, change, principal)) };
    },

    async signIn({ email, name, groups, mayCreate, tokenIssuedAt }, { peerInternal }) {
      insistOnGateway(peerInternal);
      const known = await loadUser(ports, userIdOf(checkEmail(email)));
      const said = { email, name, groups, issuedAt: tokenIssuedAt && timestampMs(tokenIssuedAt) };
      const decide = (user: views.User) => signIn(user, said, mayCreate, ports.clock.now());
      const user = await decideUser(ports, known, platform, decide);
      return user.revision === 0 ? {} : { user };
    },

    async issueApiKey({ userId, name, scopes, expiresAt, actor }, { principal }) {
      requireAllowed(principal, 'key.issue', userKey(userId));
      const user = await loadUser(ports, userId);
      // Whoever made the key that is presented may have kept it: what they make with it is no more their user's own.
      const isOwn = principal.kind === 'user' && principal.id === userId && principal.given !== true;
      const made = { userId, name, scopes, expiresAt: expiresAt && timestampMs(expiresAt), given: !isOwn };
      checkIssue(principal, user, made, await keysOf(ports, userId), ports.clock.now());
      const issued = await issueKey(ports, actorFromWire(actor), made);
      if (!isOwn) await insistOnFirst(ports, principal, actorFromWire(actor), issued, made);
      return issued;
    },

    async revokeApiKey({ userId, apiKeyId, actor }, { principal }) {
      requireAllowed(principal, 'key.revoke', userKey(userId));
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
  { email, name, role, actor: named, withApiKey }: wire.CreateUserRequest,
  { principal }: CallContext,
): Promise<MessageInitShape<typeof wire.CreateUserResponseSchema>> {
  requireAllowed(principal, 'user.create');
  const made = { email, name, role: roleFromWire(role) };
  const actor = actorFromWire(named);
  if (principal.kind === 'setup') {
    const { user, apiKey, text } = await createFirstUser(ports, made, principal, actor);
    return { user, apiKey, apiKeyText: text };
  }
  const nobodyYet = noUser(userIdOf(email));
  const facts = createUser(nobodyYet, made, principal);
  const key = { ...firstKeyOf(nobodyYet.id), given: true };
  // Who may not give somebody a key does not make them with one.
  if (withApiKey) checkIssue(principal, { ...nobodyYet, revision: facts.length, role }, key, [], ports.clock.now());
  const user = await decideUser(ports, nobodyYet, actor, (now) => createUser(now, made, principal));
  if (!withApiKey) return { user };
  const issued = await issueKey(ports, actor, key);
  await insistOnFirst(ports, principal, actor, issued, key);
  return { user, apiKey: issued.apiKey, apiKeyText: issued.text };
}

/**
 * Of keys that several make for somebody at the same time one stands: the first on the record, unless its user came in meanwhile. Each looks once
 * its own is there, so none of them misses one before it. What does not stand is ended before anybody is shown it.
 */
async function insistOnFirst(
  ports: PeoplePorts,
  principal: Principal,
  actor: Actor,
  { apiKey }: IssuedKey,
  made: Parameters<typeof checkIssue>[2],
): Promise<void> {
  const { id, userId } = apiKey;
  try {
    const [user, keys] = [await loadUser(ports, userId), await keysOf(ports, userId)];
    const before = keys.slice(
      0,
      keys.findIndex((one) => one.id === id),
    );
    checkIssue(principal, user, made, before, ports.clock.now());
  } catch (error) {
    await decideApiKey(ports, apiKey, actor, revokeApiKey);
    throw error;
  }
}

function insistOnGateway(peerInternal: boolean): void {
  if (!peerInternal) throw permissionDenied('only the gateway notes who has signed in');
}
