import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { isUuid, notFound, roleToWire, visibleText } from '@stopgo/core';
import { objectBody } from '@stopgo/http';
import { envelope, type people, type views } from '@stopgo/proto';
import type { Request } from 'express';
import { namedAs } from '../actor.ts';
import { changeUser, createUser, issueKey as issueKeyBody } from '../api/people-request.ts';
import { pageOnly } from '../api/query.ts';
import { echoCharactersMax } from '../bounds.ts';
import { checkedBody, membersOf, saidBy } from '../checked-body.ts';
import type { Frame } from '../frame.ts';
import { Query } from '../query.ts';
import { renderApiKey, renderUser } from '../render/person.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Users and their API keys. */
export function peopleRoutes(deps: RouteDependencies): readonly Route[] {
  const routes: readonly Route[] = [
    { method: 'GET', path: '/me', handle: me(deps) },
    { method: 'GET', path: '/users', handle: list(deps) },
    { method: 'POST', path: '/users', handle: create(deps) },
    { method: 'GET', path: '/users/:user', handle: get(deps) },
    { method: 'PATCH', path: '/users/:user', handle: change(deps) },
    { method: 'GET', path: '/users/:user/keys', handle: listKeys(deps) },
    { method: 'POST', path: '/users/:user/keys', handle: issueKey(deps) },
    { method: 'DELETE', path: '/users/:user/keys/:key', handle: revokeKey(deps) },
  ];
  return deps.authenticate === undefined ? routes.map((route) => ({ ...route, handle: noUsers })) : routes;
}

const noUsers: Handler = async () => {
  throw notFound('nobody signs in here, so there are no users: set "auth" in the configuration, and restart');
};

const me =
  ({ clients }: RouteDependencies): Handler =>
  async (_req, res, { principal, context }) => {
    if (principal.kind !== 'user') {
      sendJson(res, 200, {
        user: null,
        may: principal.kind === 'setup' ? 'create the first user: POST /users' : undefined,
      });
      return;
    }
    const { user } = await clients.store.getPerson({ by: { case: 'userId', value: principal.id } }, { context });
    sendJson(res, 200, {
      user: { ...asObject(renderUser(user)), groups: principal.groups },
      via: principal.via,
      scopes: principal.scopes,
    });
  };

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const page = new Query(req, membersOf(pageOnly)).page();
    await permit(deps, frame, 'user.list', { kind: 'user' });
    const { users, nextCursor, total } = await deps.clients.store.listUsers(page, { context: frame.context });
    sendJson(res, 200, { users: users.map(renderUser), total, next_cursor: nextCursor || undefined });
  };

const create =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const { email, name, role: asked } = checkedBody(req, createUser).said;
    // Whoever sets the platform up makes its first administrator.
    const role = asked ?? (frame.principal.kind === 'setup' ? 'SUPER_ADMIN' : 'USER');
    await permit(deps, frame, 'user.create', { kind: 'user' });
    const isFirst = frame.principal.kind === 'setup';
    const { user, apiKey, apiKeyText } = await deps.clients.people.createUser(
      { email, name, role: roleToWire(role), actor: actorOf(frame), withApiKey: isFirst },
      { context: frame.context },
    );
    res.setHeader('Location', `/users/${user?.id}`);
    sendJson(res, 201, { user: renderUser(user), ...(isFirst ? shownOnce(apiKey, apiKeyText) : {}) });
  };

const get =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = idIn(req, 'user');
    await permit(deps, frame, 'user.read', { kind: 'user', id });
    const by = { case: 'userId', value: id } as const;
    const { user } = await deps.clients.store.getPerson({ by }, { context: frame.context });
    if (user === undefined) throw none('user', id);
    sendJson(res, 200, { user: renderUser(user) });
  };

const change =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, membersOf(changeUser));
    const id = idIn(req, 'user');
    const { name, role, active } = saidBy(changeUser, body);
    await permit(deps, frame, 'user.change', { kind: 'user', id });
    const request: MessageInitShape<typeof people.ChangeUserRequestSchema> = {
      ...{ userId: id, actor: actorOf(frame) },
      ...(name === undefined || name === null ? {} : { name }),
      ...(role === undefined ? {} : { role: roleToWire(role) }),
      ...(active === undefined ? {} : { active }),
    };
    const { user } = await deps.clients.people.changeUser(request, { context: frame.context });
    sendJson(res, 200, { user: renderUser(user) });
  };

const listKeys =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const userId = idIn(req, 'user');
    const page = new Query(req, membersOf(pageOnly)).page();
    await permit(deps, frame, 'key.list', { kind: 'user', id: userId });
    const answer = await deps.clients.store.listApiKeys({ userId, ...page }, { context: frame.context });
    sendJson(res, 200, { keys: answer.apiKeys.map(renderApiKey), next_cursor: answer.nextCursor || undefined });
  };

const issueKey =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, membersOf(issueKeyBody));
    const userId = idIn(req, 'user');
    const { name, scopes = [], expires_at: end } = saidBy(issueKeyBody, body);
    await permit(deps, frame, 'key.issue', { kind: 'user', id: userId });
    const { apiKey, text } = await deps.clients.people.issueApiKey(
      {
        userId,
        name,
        scopes,
        ...(end === undefined ? {} : { expiresAt: timestampFromMs(end) }),
        actor: actorOf(frame),
      },
      { context: frame.context },
    );
    sendJson(res, 201, shownOnce(apiKey, text));
  };

const revokeKey =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const [userId, apiKeyId] = [idIn(req, 'user'), idIn(req, 'key')];
    await permit(deps, frame, 'key.revoke', { kind: 'user', id: userId });
    const { apiKey } = await deps.clients.people.revokeApiKey(
      { userId, apiKeyId, actor: actorOf(frame) },
      { context: frame.context },
    );
    sendJson(res, 200, { key: renderApiKey(apiKey) });
  };

/** A key with its text. */
const shownOnce = (key: views.ApiKey | undefined, text: string) => ({
  key: { ...asObject(renderApiKey(key)), text },
  note: 'this is the only time that the text of the key is shown',
});

const actorOf = (frame: Frame) => ({
  kind: envelope.ActorKind.USER,
  ...namedAs(frame, undefined),
  surface: 'rest',
  address: frame.address,
});

const asObject = (answer: ReturnType<typeof renderUser>) => answer as Record<string, ReturnType<typeof renderUser>>;

function idIn(req: Request, name: 'user' | 'key'): string {
  const given = req.params[name];
  const id = typeof given === 'string' ? given : '';
  if (!isUuid(id.toLowerCase())) throw none(name, id);
  return id.toLowerCase();
}

const none = (name: 'user' | 'key', id: string) =>
  notFound(`there is no ${name === 'key' ? 'API key' : name} ${visibleText(id.slice(0, echoCharactersMax))}`);
