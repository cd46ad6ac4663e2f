import { DomainError, notFound } from '@stopgo/core';
import { browserRules, readBody } from '@stopgo/http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { type A2ARoute, a2aRoutes, type HttpAgent, ServiceError } from '../http/index.ts';

export type AppOptions = {
  /** See `AgentOptions`. */
  readonly allowedHosts: readonly string[];
  readonly publicUrl: string | undefined;
  readonly bodyBytesMax: number;
  readonly readable: (error: unknown) => Error;
};

type Route = A2ARoute<undefined>;

/** The HTTP surface of an agent that is nothing else, without a socket. */
export function agentApp(
  agent: HttpAgent<undefined>,
  { allowedHosts, publicUrl, bodyBytesMax, readable }: AppOptions,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.use(headers, browserRules({ allowedOrigins: [], allowedHosts, publicUrl }));
  const body = readBody(bodyBytesMax);
  const routes = a2aRoutes(agent);
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) {
      if (route.method === 'GET') app.get(path, handled(route));
      else if (route.method === 'DELETE') app.delete(path, handled(route));
      else app.post(path, saidBy(route), body, handled(route));
    }
    app.all(path, wrongMethod(here));
  }
  app.get('/health', (_req, res) => void res.json({ status: 'ok' }));
  app.use((req) => {
    throw notFound(`there is nothing at ${req.path}`);
  });
  app.use(answerError(readable));
  return app;
}

const headers: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  next();
};

const handled =
  ({ handle }: Route): RequestHandler =>
  (req, res) =>
    handle(req, res, undefined);

/** Remembers how the route says what goes wrong, from the reading of its body on. */
const saidBy =
  ({ sayProblem }: Route): RequestHandler =>
  (_req, res, next) => {
    res.locals.sayProblem = sayProblem;
    next();
  };

function wrongMethod(here: readonly Route[]): RequestHandler {
  const allow = here.map(({ method }) => method).join(', ');
  return (req, res) => {
    res.setHeader('Allow', allow);
    res.status(405).json({ error: `${req.method} is not allowed here; use ${allow}` });
  };
}

const answerError =
  (readable: AppOptions['readable']): ErrorRequestHandler =>
  (error: unknown, _req, res, _next) => {
    if (res.headersSent) {
      // Half an answer is out: only an abrupt end tells the client that it is not whole.
      res.destroy();
      return;
    }
    const known = error instanceof DomainError && error.kind === 'not_found' ? 404 : undefined;
    const said = known === undefined ? readable(error) : undefined;
    const status = known ?? (said instanceof ServiceError ? said.status : 400);
    const text = said === undefined ? (error as DomainError).message : said.message;
    const say = res.locals.sayProblem as Route['sayProblem'];
    if (say === undefined) res.status(status).json({ error: text });
    else say(res, { status, body: { error: text } });
  };
