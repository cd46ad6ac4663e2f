import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { invalidArgument, notFound } from '@stopgo/core';
import { exactObjectBody } from '@stopgo/http';
import type { memory as wire } from '@stopgo/proto';
import type { Request, Response } from 'express';
import { userActor } from '../actor.ts';
import { setMemory } from '../api/memory-request.ts';
import { listMemories } from '../api/query.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import { Query } from '../query.ts';
import { renderMemory } from '../render/memory.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const wordsCharactersMax = 200;
const path = '/agents/*name/memories/:key';

/** What agents remember. Names hold slashes; a slash in a key, or before the word `memories` in a name, is written %2F. */
export const memoryRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/agents/*name/memories', handle: list(deps) },
  { method: 'GET', path, handle: get(deps) },
  { method: 'PUT', path, handle: set(deps) },
  { method: 'DELETE', path, handle: remove(deps) },
];

const list =
  ({ clients, ...deps }: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit({ clients, ...deps }, frame, 'memory.read', { kind: 'agents' });
    const query = new Query(req, membersOf(listMemories));
    const words = query.text('query', wordsCharactersMax) ?? '';
    const { memories, nextCursor, total } = await clients.memories.listMemories(
      { agent: agentIn(req), query: words, ...query.page() },
      { context: frame.context },
    );
    sendJson(res, 200, { memories: memories.map(renderMemory), next_cursor: nextCursor || undefined, total });
  };

const get =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'memory.read', { kind: 'agents' });
    const { memory } = await deps.clients.memories.getMemory(placeIn(req), { context: frame.context });
    send(res, 200, memory);
  };

const set =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = exactObjectBody(req, membersOf(setMemory));
    saidBy(setMemory.shape.value, body.value);
    const place = placeIn(req);
    const expected = expectedOf(req);
    const { value, expires_at: expiresAt } = saidBy(setMemory, body);
    await permit(deps, frame, 'memory.change', { kind: 'agents' });
    const { registry } = deps.clients;
    if (registry === undefined) throw notFound('agents are taken from no repository here, so none remembers anything');
    // A name that is written in another way would be another memory, which no agent reads.
    await registry.resolveAgent({ name: place.agent }, { context: frame.context });
    const { memory, created } = await deps.clients.memories.setMemory(
      {
        ...{ ...place, ...expected, actor: userActor(frame), valueJson: JSON.stringify(value) },
        ...(expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) }),
      },
      { context: frame.context },
    );
    send(res, created ? 201 : 200, memory);
  };

const remove =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'memory.change', { kind: 'agents' });
    const actor = userActor(frame);
    const { key } = placeIn(req);
    await deps.clients.memories.removeMemory(
      { ...placeIn(req), ...expectedOf(req), actor },
      { context: frame.context },
    );
    sendJson(res, 200, { removed: key });
  };

function send(res: Response, status: number, memory: wire.Memory | undefined): void {
  res.setHeader('ETag', `"${memory?.revision ?? 0}"`);
  sendJson(res, status, { memory: renderMemory(memory) });
}

function agentIn({ params }: Request): string {
  const { name } = params as unknown as { readonly name: readonly string[] | string };
  return typeof name === 'string' ? name : name.join('/');
}

const placeIn = (req: Request) => ({ agent: agentIn(req), key: String(req.params.key) });

/** What must be there for a change to be made. @throws DomainError `invalid_argument` for a header that says nothing of that kind. */
function expectedOf(req: Request): { readonly expectedRevision?: number } {
  const [match, noneMatch] = [req.get('if-match'), req.get('if-none-match')];
  if (match !== undefined && noneMatch !== undefined) throw invalidArgument('send If-Match or If-None-Match, not both');
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*') throw invalidArgument('If-None-Match takes * alone: nothing may be there yet');
    return { expectedRevision: 0 };
  }
  if (match === undefined) return {};
  const revision = /^"([1-9]\d{0,8})"$/.exec(match.trim())?.[1];
  if (revision === undefined) throw invalidArgument('If-Match takes the ETag of an answer, such as "7"');
  return { expectedRevision: Number(revision) };
}
