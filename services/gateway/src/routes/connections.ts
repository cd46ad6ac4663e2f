// Accounts that users connect at tool servers: each sees and changes their own.
import { DomainError, invalidArgument } from '@stopgo/core';
import { isLoopback } from '@stopgo/security';
import type { Request, Response } from 'express';
import { beginConnection, finishConnection } from '../api/connection-request.ts';
import { connectMs } from '../bounds.ts';
import { checkedBody } from '../checked-body.ts';
import { renderConnection } from '../render/connection.ts';
import { connectedPage, notConnectedPage } from '../render/connection-page.ts';
import { linkPagePolicy } from '../render/link-page.ts';
import { rfc3339 } from '../render/time.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const callbackPath = '/connections/callback';

/** True for who comes back from an authorization server: another site leads here, with what only that server could give. */
export const isConnectionVisit = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  (method === 'GET' || method === 'HEAD') && path === callbackPath;

export const connectionRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/connections', handle: list(deps) },
  { method: 'POST', path: '/connections', handle: finish(deps) },
  { method: 'GET', path: callbackPath, handle: cameBack(deps) },
  { method: 'POST', path: '/connections/:server', handle: begin(deps) },
  { method: 'DELETE', path: '/connections/:server', handle: disconnect(deps) },
];

const own = { kind: 'tools' } as const;

const list =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'connection.list', own);
    const { connections } = await deps.clients.accounts.listConnections({}, { context: frame.context });
    sendJson(res, 200, { connections: connections.map(renderConnection) });
  };

const begin =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const { said } = checkedBody(req, beginConnection);
    await permit(deps, frame, 'connection.change', own);
    const redirectUri = redirectOf(deps, req, said.redirect_uri ?? undefined);
    const begun = await deps.clients.accounts.beginConnection(
      { server: serverIn(req), redirectUri },
      { context: frame.context, timeoutMs: connectMs },
    );
    sendJson(res, 200, { url: begun.url, expires_at: rfc3339(begun.expiresAt) ?? '' });
  };

const finish =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const { said } = checkedBody(req, finishConnection);
    await permit(deps, frame, 'connection.change', own);
    const { server } = await deps.clients.accounts.finishConnection(
      { state: said.state ?? '', code: said.code ?? '', issuer: said.iss ?? '', error: said.error ?? '' },
      { context: frame.context, timeoutMs: connectMs },
    );
    sendJson(res, 200, { server, connected: true });
  };

const cameBack =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const said = (name: string): string => {
      const value = req.query[name];
      return typeof value === 'string' ? value : '';
    };
    try {
      await permit(deps, frame, 'connection.change', own);
      const { server } = await deps.clients.accounts.finishConnection(
        { state: said('state'), code: said('code'), issuer: said('iss'), error: said('error') },
        { context: frame.context, timeoutMs: connectMs },
      );
      sendPage(res, 200, connectedPage(server));
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'internal') throw error;
      sendPage(res, error.kind === 'unavailable' ? 503 : 400, notConnectedPage(`${error.message}.`));
    }
  };

const disconnect =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'connection.change', own);
    const server = serverIn(req);
    const { wasConnected } = await deps.clients.accounts.disconnect(
      { server },
      { context: frame.context, timeoutMs: connectMs },
    );
    sendJson(res, 200, { server, was_connected: wasConnected });
  };

const serverIn = (req: Request): string => (typeof req.params.server === 'string' ? req.params.server : '');

function sendPage(res: Response, status: number, html: string): void {
  res.setHeader('Content-Security-Policy', linkPagePolicy);
  res.setHeader('X-Frame-Options', 'DENY');
  res.status(status).type('html').send(html);
}

/**
 * Where the browser is led back to with a code: a program on the user's own machine, or this platform.
 *
 * @throws DomainError `invalid_argument`
 */
function redirectOf({ publicUrl, allowedOrigins }: RouteDependencies, req: Request, asked: string | undefined): string {
  const here = publicUrl ?? `http://${req.get('host') ?? ''}`;
  if (asked === undefined) return `${here}${callbackPath}`;
  if (!URL.canParse(asked)) throw invalidArgument('"redirect_uri" must be an address');
  const { protocol, hostname, origin, pathname, username, password, hash } = new URL(asked);
  if (username !== '' || password !== '' || hash !== '')
    throw invalidArgument('"redirect_uri" must be without user name, password and fragment');
  if (protocol === 'http:' && isLoopback(hostname)) return asked;
  // The page that asks was looked at already: it is one of this platform.
  const ours = [new URL(here).origin, ...allowedOrigins, req.get('origin')];
  if (ours.includes(origin) && pathname.endsWith(callbackPath)) return asked;
  throw invalidArgument(
    `"redirect_uri" must be ${callbackPath} of this platform, or an http address of the machine that its user sits at`,
  );
}
