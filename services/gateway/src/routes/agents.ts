import { notFound, parseJson } from '@stopgo/core';
import type { Request } from 'express';
import { cursorCharactersMax } from '../bounds.ts';
import { Query } from '../query.ts';
import { renderAgent, renderCommit, renderDiff, renderRef, renderRepository } from '../render/agent.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const wordsCharactersMax = 200;
const historyMax = 100;

/** Agents that are taken from repositories, and the repositories. Names hold slashes: they are the rest of the path. */
export const agentRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/repositories', handle: listRepositories(deps) },
  { method: 'POST', path: '/repositories/:name/sync', handle: sync(deps) },
  { method: 'POST', path: '/repositories/:name/webhook', isOpen: true, handle: receiveWebhook(deps) },
  { method: 'GET', path: '/agents', handle: listAgents(deps) },
  { method: 'GET', path: '/repositories/:name/branches', handle: listBranches(deps) },
  { method: 'GET', path: '/agents/*name/history', handle: listHistory(deps) },
  { method: 'GET', path: '/agents/*name/diff', handle: diffAgent(deps) },
  { method: 'GET', path: '/agents/*name', handle: getAgent(deps) },
];

function registryOf({ clients }: RouteDependencies) {
  if (clients.registry !== undefined) return clients.registry;
  throw notFound(
    'agents are taken from no repository here: set "agent_repositories" in the configuration, and restart',
  );
}

const listRepositories =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const { repositories } = await registryOf(deps).listRepositories({}, { context: frame.context });
    sendJson(res, 200, { repositories: repositories.map(renderRepository) });
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

const listAgents =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const query = new Query(req);
    const { agents, nextCursor, total } = await registryOf(deps).listAgents(
      {
        repository: query.text('repository', wordsCharactersMax) ?? '',
        query: query.text('q', wordsCharactersMax) ?? '',
        ...query.page(),
      },
      { context: frame.context },
    );
    sendJson(res, 200, { agents: agents.map(renderAgent), next_cursor: nextCursor || undefined, total });
  };

/** `?commit=` shows it as it was; `?history=10` shows the latest commits that changed it as well. */
const getAgent =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const query = new Query(req);
    const name = nameIn(req);
    const options = { context: frame.context };
    const revision = query.text('commit', cursorCharactersMax) ?? '';
    const limit = query.integer('history', 1, historyMax);
    const registry = registryOf(deps);
    const { agent, definitionJson } = await registry.resolveAgent({ name, revision }, options);
    const history = limit === undefined ? undefined : await registry.listHistory({ name, limit }, options);
    sendJson(res, 200, {
      agent: renderAgent(agent),
      definition: parseJson(definitionJson) ?? null,
      ...(history === undefined ? {} : { history: history.commits.map(renderCommit) }),
    });
  };

const listHistory =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const query = new Query(req);
    const { commits } = await registryOf(deps).listHistory(
      {
        name: nameIn(req),
        revision: query.text('commit', cursorCharactersMax) ?? '',
        limit: query.integer('limit', 1, historyMax) ?? 0,
      },
      { context: frame.context },
    );
    sendJson(res, 200, { history: commits.map(renderCommit) });
  };

const diffAgent =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const query = new Query(req);
    const diff = await registryOf(deps).diffAgent(
      {
        name: nameIn(req),
        fromRevision: query.text('from', cursorCharactersMax) ?? '',
        toRevision: query.text('to', cursorCharactersMax) ?? '',
      },
      { context: frame.context },
    );
    sendJson(res, 200, renderDiff(diff));
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

function nameIn({ params }: Request): string {
  const { name } = params as unknown as { readonly name: readonly string[] | string };
  return typeof name === 'string' ? name : name.join('/');
}
