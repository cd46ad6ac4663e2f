import { invalidArgument, notFound, parseDuration } from '@stopgo/core';
import { type JsonObject, malformed, objectBody } from '@stopgo/http';
import { userActor } from '../actor.ts';
import type { GatewayClients } from '../options.ts';
import { renderRef, renderRepository } from '../render/agent.ts';
import { textMember } from '../request-text.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const textBytesMax = 4_096;
const keyBytesMax = 16_384;
const settingNames = ['branch', 'sync_interval', 'is_active', 'auth_type', 'auth_token', 'ssh_key', 'webhook_secret'];

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
    const body = objectBody(req, ['name', 'git_url', 'is_root', ...settingNames]);
    const name = textMember(body, 'name', textBytesMax) ?? '';
    const gitUrl = textMember(body, 'git_url', textBytesMax) ?? '';
    if (name === '' || gitUrl === '') throw invalidArgument('name and git_url are required');
    const settings = settingsIn(body);
    await permit(deps, frame, 'repository.manage', { kind: 'agents' });
    const { repository } = await registryOf(deps).addRepository(
      { name, gitUrl, isRoot: flagMember(body, 'is_root') ?? false, settings, actor: userActor(frame) },
      { context: frame.context },
    );
    sendJson(res, 201, { repository: repository === undefined ? null : renderRepository(repository) });
  };

const changeRepository =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const change = settingsIn(objectBody(req, settingNames));
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

function settingsIn(body: JsonObject) {
  const token = textMember(body, 'auth_token', textBytesMax);
  const key = textMember(body, 'ssh_key', keyBytesMax);
  if (token !== undefined && key !== undefined) throw invalidArgument('give auth_token or ssh_key, not both');
  const authType =
    textMember(body, 'auth_type', textBytesMax) ??
    (token === undefined ? (key === undefined ? undefined : 'ssh-key') : 'token');
  // null ends it; what is absent stays.
  const webhookSecret = body.webhook_secret === null ? '' : textMember(body, 'webhook_secret', textBytesMax);
  return given({
    branch: textMember(body, 'branch', textBytesMax),
    syncIntervalMs: intervalIn(body),
    isActive: flagMember(body, 'is_active'),
    ...{ authType, credentials: token ?? key, webhookSecret },
  });
}

/** Only the members that are there. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function intervalIn(body: JsonObject): number | undefined {
  const text = textMember(body, 'sync_interval', textBytesMax);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined || ms > 2 ** 31) throw invalidArgument('sync_interval must be a duration, for example 5m');
  return ms;
}

function flagMember(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw malformed(`"${name}" must be true or false`);
  return value;
}
