import { notFound, parseDuration } from '@stopgo/core';
import { type JsonObject, objectBody } from '@stopgo/http';
import type { z } from 'zod';
import { userActor } from '../actor.ts';
import {
  addRepository as addBody,
  addedRepository,
  asRoot,
  changeRepository as changeBody,
  settingsOrder,
} from '../api/repository-request.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import type { GatewayClients } from '../options.ts';
import { renderRef, renderRepository } from '../render/agent.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Repositories that agents are taken from. */
export const repositoryRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/repositories', handle: listRepositories(deps) },
  { method: 'POST', path: '/repositories', handle: addRepository(deps) },
  { method: 'PATCH', path: '/repositories/:name', handle: changeRepository(deps) },
  { method: 'DELETE', path: '/repositories/:name', handle: removeRepository(deps) },
  { method: 'GET', path: '/repositories/:name/branches', handle: listBranches(deps) },
  { method: 'POST', path: '/repositories/:name/sync', handle: sync(deps) },
  { method: 'POST', path: '/repositories/:name/webhook', isOpen: true, handle: receiveWebhook(deps) },
];

/** The registry. @throws DomainError `not_found` where there is none. */
export function registryOf({ clients }: RouteDependencies): NonNullable<GatewayClients['registry']> {
  if (clients.registry !== undefined) return clients.registry;
  throw notFound(
    'agents are taken from no repository here: set "agent_repositories" in the configuration, be it to an empty list, and restart',
  );
}

const listRepositories =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const { repositories } = await registryOf(deps).listRepositories({}, { context: frame.context });
    sendJson(res, 200, { repositories: repositories.map(renderRepository) });
  };

const addRepository =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, membersOf(addBody));
    const said = saidBy(addedRepository, body, settingsOrder);
    await permit(deps, frame, 'repository.manage', { kind: 'agents' });
    const { repository } = await registryOf(deps).addRepository(
      {
        ...{ name: said.name ?? '', gitUrl: said.git_url ?? '', isRoot: saidBy(asRoot, body).is_root ?? false },
        ...{ settings: settingsOf(said, body), actor: userActor(frame) },
      },
      { context: frame.context },
    );
    sendJson(res, 201, { repository: repository === undefined ? null : renderRepository(repository) });
  };

const changeRepository =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, membersOf(changeBody));
    const change = settingsOf(saidBy(changeBody, body, settingsOrder), body);
    await permit(deps, frame, 'repository.manage', { kind: 'agents' });
    const { repository } = await registryOf(deps).changeRepository(
      { name: String(req.params.name), change, actor: userActor(frame) },
      { context: frame.context },
    );
    sendJson(res, 200, { repository: repository === undefined ? null : renderRepository(repository) });
  };

const removeRepository =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'repository.manage', { kind: 'agents' });
    await registryOf(deps).removeRepository(
      { name: String(req.params.name), actor: userActor(frame) },
      { context: frame.context },
    );
    res.status(204).end();
  };

const sync =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'repository.sync', { kind: 'agents' });
    const { repository } = await registryOf(deps).syncRepository(
      { name: String(req.params.name) },
      { context: frame.context },
    );
    sendJson(res, 200, { repository: repository === undefined ? null : renderRepository(repository) });
  };

/** Who sends it proves so with the secret of the repository, over the bytes of the body: it is not read here. */
const receiveWebhook =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'repository.notify', { kind: 'agents' });
    const header = (name: string) => req.get(name) ?? '';
    const body: unknown = req.body;
    const { bearerToken: _none, ...context } = frame.context;
    const { syncs, reason } = await registryOf(deps).receiveWebhook(
      {
        name: String(req.params.name),
        body: Buffer.isBuffer(body) ? body : new Uint8Array(),
        contentType: header('content-type'),
        event: header('x-github-event') || header('x-gitea-event') || header('x-gitlab-event'),
        hubSignature: header('x-hub-signature-256'),
        giteaSignature: header('x-gitea-signature'),
        gitlabToken: header('x-gitlab-token'),
      },
      { context },
    );
    sendJson(res, syncs ? 202 : 200, syncs ? { syncs } : { syncs, reason });
  };

const listBranches =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const { branches, tags, more } = await registryOf(deps).listBranches(
      { name: String(req.params.name) },
      { context: frame.context },
    );
    sendJson(res, 200, { branches: branches.map(renderRef), tags: tags.map(renderRef), more });
  };

function settingsOf(said: z.output<typeof changeBody>, sent: JsonObject) {
  const { auth_token: token, ssh_key: key, sync_interval: interval } = said;
  const authType = said.auth_type ?? (isGiven(token) ? 'token' : isGiven(key) ? 'ssh-key' : undefined);
  return given({
    branch: said.branch ?? undefined,
    syncIntervalMs: interval === null || interval === undefined ? undefined : parseDuration(interval),
    isActive: said.is_active ?? undefined,
    authType,
    credentials: token ?? key ?? undefined,
    // null ends it; what is absent stays.
    webhookSecret: sent.webhook_secret === null ? '' : (said.webhook_secret ?? undefined),
  });
}

const isGiven = (text: string | null | undefined): boolean => text !== undefined && text !== null;

/** Only the members that are there. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
