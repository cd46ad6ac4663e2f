import { sayProblemAt } from '@stopgo/a2a-agent/http';
import { notFound, unavailable, visibleText } from '@stopgo/core';
import { browserRules, readBody } from '@stopgo/http';
import { describeError } from '@stopgo/runtime';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { ownersIn } from './auth/owners.ts';
import { signedInRule } from './auth/signed-in.ts';
import { allowAll } from './authorize.ts';
import { readerStallMs, recheckMs, sseHeartbeatMs } from './bounds.ts';
import { isNotReached, isTokenRefused, outcomeUnknown, problemOf } from './errors.ts';
import { frameOf, signIn } from './frame.ts';
import type { GatewayOptions } from './options.ts';
import { pathOf, requestLog } from './request-log.ts';
import { requestRules, securityHeaders } from './request-rules.ts';
import { sendJson } from './respond.ts';
import { allRoutes } from './routes/all-routes.ts';
import { isConnectionVisit } from './routes/connections.ts';
import { isLinkVisit } from './routes/links.ts';
import type { Handler, Route, RouteDependencies, SayProblem } from './routes/route.ts';
import { cutSlowReaders } from './slow-readers.ts';

/** What all handlers work with, whatever they speak. */
export const dependenciesOf = (
  options: GatewayOptions,
  given: Pick<RouteDependencies, 'streams' | 'grpcPort'>,
): RouteDependencies => ({
  ...options,
  ...given,
  authorize:
    options.authorize ??
    (options.authenticate === undefined ? allowAll : signedInRule(ownersIn(options.clients.store, options.wallClock))),
  heartbeatMs: options.times?.heartbeatMs ?? sseHeartbeatMs,
  readerStallMs: options.times?.readerStallMs ?? readerStallMs,
  recheckMs: options.times?.recheckMs ?? recheckMs,
});

/** The HTTP surface, without a socket. */
export function createApp(options: GatewayOptions, deps: RouteDependencies, giveUp: AbortSignal): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.use(requestLog(options.log, options.now, options.newSessionId));
  app.use(cutSlowReaders(deps.readerStallMs), securityHeaders, requestRules, browserRules(options, isVisit));
  const work: Work = {
    body: readBody(options.limits.bodyBytes),
    signIn: signInWith(options.authenticate),
    orGiveUp: unlessGivenUp(giveUp),
  };
  mount(app, allRoutes(deps), work);
  app.use(unknownRoute);
  app.use(answerError(options));
  return app;
}

/** Whoever a link, or another site, leads here. */
const isVisit = (req: Request): boolean => isLinkVisit(req) || isConnectionVisit(req);

/** What is done with every request beside its route. */
type Work = { readonly body: RequestHandler; readonly signIn: RequestHandler; readonly orGiveUp: OrGiveUp };

function mount(app: Express, routes: readonly Route[], { body, signIn, orGiveUp }: Work): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const { method, handle, sayProblem, isOpen } of here) {
      const who = isOpen ? [] : [signIn];
      if (method === 'GET') app.get(path, ...who, answer(handle, orGiveUp));
      else if (method === 'PUT') app.put(path, ...who, body, answer(handle, orGiveUp));
      else if (method === 'DELETE') app.delete(path, ...who, answer(handle, orGiveUp));
      else if (method === 'PATCH') app.patch(path, ...who, body, answer(handle, orGiveUp));
      // Nothing is read of somebody who is not let in.
      else app.post(path, problemsSaidBy(sayProblem), ...who, body, answer(handle, orGiveUp));
    }
    app.all(path, wrongMethod(here));
  }
}

/** Finds out who sends a request, where people have to sign in. */
const signInWith =
  (authenticate: GatewayOptions['authenticate']): RequestHandler =>
  async (req, res, next) => {
    if (authenticate !== undefined)
      await signIn(frameOf(res), authenticate, {
        authorization: req.get('authorization'),
        apiKey: req.get('x-api-key'),
        toolAuthorization: req.get('x-tool-authorization'),
      });
    next();
  };

/** Remembers how the route says what goes wrong, from the reading of its body on. */
const problemsSaidBy =
  (sayProblem: SayProblem | undefined): RequestHandler =>
  (_req, res, next) => {
    res.locals.sayProblem = sayProblem;
    next();
  };

const answer =
  (handle: Handler, orGiveUp: OrGiveUp): RequestHandler =>
  (req, res) =>
    orGiveUp(handle(req, res, frameOf(res)));

/** The outcome of a handler, or an error as soon as the server cannot wait any longer. */
type OrGiveUp = (work: Promise<void>) => Promise<void>;

/** Listens once for all requests: a signal looks through its listeners for each that it is given. */
function unlessGivenUp(giveUp: AbortSignal): OrGiveUp {
  const waiting = new Set<() => void>();
  const actAll = (): void => {
    for (const act of waiting) act();
  };
  giveUp.addEventListener('abort', actAll, { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      const act = () => reject(unavailable(`the gateway is stopping; ${outcomeUnknown}`));
      if (giveUp.aborted) act();
      waiting.add(act);
      work.then(resolve, reject).finally(() => waiting.delete(act));
    });
}

function wrongMethod(here: readonly Route[]): RequestHandler {
  const allow = here.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
  return (req, res) => {
    res.setHeader('Allow', allow);
    if (req.method === 'OPTIONS') res.status(204).end();
    else sendJson(res, 405, { error: `${req.method} is not allowed here; use ${allow}` });
  };
}

const unknownRoute: RequestHandler = (req) => {
  throw notFound(visibleText(`Cannot ${req.method} ${pathOf(req.originalUrl)}`));
};

const answerError =
  ({ log, newId }: GatewayOptions): ErrorRequestHandler =>
  (error: unknown, req, res: Response, _next) => {
    if (res.headersSent) {
      // Half an answer is out: only an abrupt end tells the client that it is not whole.
      if (!res.destroyed) {
        log.error('an answer broke off', {
          path: pathOf(req.originalUrl),
          sid: frameOf(res).sessionId,
          error: describeError(error),
        });
      }
      res.destroy();
      return;
    }
    const where = { path: pathOf(req.originalUrl), sid: frameOf(res).sessionId };
    const report = (cause: unknown, id: string): void =>
      log.error('internal error', { error_id: id, ...where, error: describeError(cause) });
    const problem = problemOf(error, newId, report, req.method === 'POST');
    // The client is told which service it was; where that is and how it was tried is for whoever operates it.
    if (isNotReached(error) || isTokenRefused(error))
      log.warn('a service was not reached', { ...where, error: describeError(error) });
    for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value);
    const say = (res.locals.sayProblem as SayProblem | undefined) ?? sayProblemAt(where.path);
    if (say !== undefined) say(res, problem);
    else sendJson(res, problem.status, problem.body);
  };
