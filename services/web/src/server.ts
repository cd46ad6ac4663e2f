import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { foreignCheck, gracefulStop, listen } from '@stopgo/http/node';
import { describeError, type Logger, type Started } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { sendError, sendHtml, sendJson } from './answers.ts';
import { type App, type Asset, builtFolder, formOf, loadApp } from './assets.ts';
import {
  connectionsMax,
  hashedFileSeconds,
  headerBytesMax,
  headersTimeoutMs,
  portsTried,
  stopGraceMs,
} from './bounds.ts';
import type { WebConfig } from './config.ts';
import { type Forwarded, Forwarder } from './forward.ts';
import { secure } from './headers.ts';
import { LoginRoutes, type LoginState, noLogin } from './login/routes.ts';
import type { Login } from './login/secrets.ts';
import { appPage, buildingPage, failedBuildPage } from './pages.ts';
import { simpleRouteOf } from './simple-routes.ts';

export type WebOptions = {
  readonly config: WebConfig;
  /** How people sign in with an OpenID provider, with its secrets; without it they do not. */
  readonly login?: Login | undefined;
  readonly log: Logger;
  /** Takes one of the next ports where the wanted one is in use, instead of giving up. */
  readonly nextPort?: boolean;
  /** Where the built app is; without it where a build puts it. */
  readonly folder?: string;
  /** Milliseconds since 1970; without it the clock of this machine. */
  readonly now?: () => number;
};

/** The web server: `refresh` takes over an app that was built meanwhile; `buildFailed` has pages say that there is none, and why. */
export type StartedWeb = Started & {
  readonly refresh: () => void;
  readonly buildFailed: (problem: string) => void;
};

/**
 * Serves the app and passes its requests on to the gateway. `address` is its URL; `stop` lets running requests finish.
 *
 * @throws Error in one line if it cannot listen; nothing is left behind then.
 */
export async function startWeb({
  config,
  login,
  log,
  nextPort = false,
  folder = builtFolder,
  now = Date.now,
}: WebOptions): Promise<StartedWeb> {
  const forwarder = new Forwarder(config.agentUrl);
  const routes = login === undefined ? undefined : new LoginRoutes(login, log, now);
  const handle = handlerOf(forwarder, config, folder, routes);
  const server = createServer(
    { maxHeaderSize: headerBytesMax, headersTimeout: headersTimeoutMs, noDelay: true },
    (req, res) => {
      handle.request(req, res).catch((error: unknown) => {
        // Who leaves in the middle of a request has nothing to be told, and nothing is wrong here.
        if (req.destroyed && !req.complete) return;
        log.error('a request of the web app failed', { error: describeError(error) });
        if (res.headersSent) res.destroy();
        else sendError(res, 500, 'internal error; the log has the cause');
      });
    },
  );
  server.maxConnections = connectionsMax;
  const streams = new Set<ServerResponse>();
  server.on('request', (_req, res: ServerResponse) => {
    streams.add(res);
    res.once('close', () => streams.delete(res));
  });
  // Event streams do not end by themselves: their pages connect again.
  const endAll = () => {
    for (const res of streams) if (String(res.getHeader('content-type')).startsWith('text/event-stream')) res.destroy();
  };
  const stop = gracefulStop({ server, streams: { endAll }, giveUp: new AbortController(), graceMs: stopGraceMs });
  const onError = (error: Error) =>
    log.error('a connection of the web app could not be accepted', { error: describeError(error) });
  const address = await listenOn(server, config, nextPort ? portsTried : 1, onError);
  if (!isLoopback(config.host))
    log.warn(
      `the web app listens on ${address}: whoever reaches this port reaches the platform behind it; set "host" to 127.0.0.1 to keep it to this machine`,
    );
  return {
    address,
    refresh: handle.refresh,
    buildFailed: handle.buildFailed,
    stop: async () => {
      await stop();
      forwarder.close();
    },
  };
}

/** Listens on the wanted port or, of some after it, on the first that is free. */
async function listenOn(
  server: Server,
  { host, port }: WebConfig,
  tries: number,
  onError: (error: Error) => void,
): Promise<string> {
  for (let next = port; ; next += 1) {
    try {
      return await listen(server, host, next, onError);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || next + 1 >= port + tries || next >= 65_535) throw error;
    }
  }
}

function handlerOf(forwarder: Forwarder, config: WebConfig, folder: string, login: LoginRoutes | undefined) {
  const { allowedHosts, login: named } = config;
  const whyForeign = foreignCheck({ allowedHosts, publicUrl: named?.publicUrl, allowedOrigins: [] });
  let app = loadApp(folder);
  let problem: string | undefined;
  const refresh = (): void => {
    app = loadApp(folder);
  };
  const buildFailed = (why: string): void => {
    problem = why;
  };
  return { refresh, buildFailed, request };

  async function request(req: IncomingMessage, res: ServerResponse): Promise<void> {
    secure(res);
    const { method = 'GET', url = '/' } = req;
    if (!url.startsWith('/')) return sendError(res, 400, 'the request target must be a path that starts with /');
    const [path = '/'] = url.split('?');
    const isApi = path.startsWith('/api/');
    // A link to a page may stand anywhere; what asks or changes something comes from our own pages only.
    const { host } = req.headers;
    const refused = whyForeign(isApi ? req.headers : host === undefined ? {} : { host });
    if (refused !== undefined) return sendError(res, 403, refused);
    if (path === '/health') return sendJson(res, 200, { status: 'ok' });
    if (isApi) return passOn(req, res, method, url);
    if (login === undefined && path === '/login/session') return sendJson(res, 200, noLogin);
    if ((await login?.answer(req, res, path)) === true) return;
    if (method !== 'GET' && method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return sendError(res, 405, `${method} is not allowed here; use GET`);
    }
    if (app === undefined) refresh();
    const file = app?.files.get(path);
    if (file !== undefined) return sendFile(req, res, file);
    if (path.includes('.') || path.startsWith('/assets/')) return sendError(res, 404, 'there is no such file');
    if (app === undefined) return sendNoApp(res, problem);
    sendPage(res, app, login?.stateOf(req) ?? noLogin);
  }

  async function passOn(req: IncomingMessage, res: ServerResponse, method: string, url: string): Promise<void> {
    const admission = login?.admit(req) ?? { kind: 'admitted' };
    if (admission.kind === 'refused') {
      const { status, error, session } = admission;
      return sendJson(res, status, { error, session });
    }
    const send = (forwarded: Forwarded) => forwarder.forward(req, res, forwarded, admission.token);
    const simple = simpleRouteOf(method, url);
    if (simple !== undefined) return simple(send, req, res);
    send({ method, path: url.slice('/api'.length) });
  }
}

/** Every path of the app is the same page; the app reads the path. */
function sendPage(res: ServerResponse, app: App, state: LoginState): void {
  sendHtml(res, 200, (nonce) => appPage(app.page, nonce, state));
}

function sendNoApp(res: ServerResponse, problem: string | undefined): void {
  if (problem === undefined) sendHtml(res, 200, buildingPage);
  else sendHtml(res, 503, (nonce) => failedBuildPage(nonce, problem));
}

function sendFile(req: IncomingMessage, res: ServerResponse, asset: Asset): void {
  const { body, encoding } = formOf(asset, req.headers['accept-encoding']);
  res.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Length': body.length,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    Vary: 'Accept-Encoding',
    'Cache-Control': asset.isHashed ? `public, max-age=${hashedFileSeconds}, immutable` : 'no-cache',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
