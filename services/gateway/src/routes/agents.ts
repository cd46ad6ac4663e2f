import { parseJson } from '@stopgo/core';
import type { Request } from 'express';
import * as queries from '../api/query.ts';
import { cursorCharactersMax } from '../bounds.ts';
import { membersOf } from '../checked-body.ts';
import { Query } from '../query.ts';
import { renderAgent, renderCommit, renderDiff } from '../render/agent.ts';
import { sendJson } from '../respond.ts';
import { registryOf } from './repositories.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const wordsCharactersMax = 200;
const historyMax = 100;

/** Agents that are taken from repositories. Names hold slashes: they are the rest of the path. */
export const agentRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/agents', handle: listAgents(deps) },
  { method: 'GET', path: '/agents/*name/history', handle: listHistory(deps) },
  { method: 'GET', path: '/agents/*name/diff', handle: diffAgent(deps) },
  { method: 'GET', path: '/agents/*name', handle: getAgent(deps) },
];

const listAgents =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'agents.read', { kind: 'agents' });
    const query = new Query(req, membersOf(queries.listAgents));
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
    const query = new Query(req, membersOf(queries.getAgent));
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
    const query = new Query(req, membersOf(queries.agentHistory));
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
    const query = new Query(req, membersOf(queries.diffAgent));
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

function nameIn({ params }: Request): string {
  const { name } = params as unknown as { readonly name: readonly string[] | string };
  return typeof name === 'string' ? name : name.join('/');
}
