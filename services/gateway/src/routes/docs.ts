import type { Response } from 'express';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** How the API describes itself: for programs, and as a page for people. It is made when it is asked for first: nobody who starts waits for it. */
export function docsRoutes(deps: RouteDependencies): readonly Route[] {
  const described = once(() => import('../docs/describe-api.ts'));
  const parts = once(() => import('../docs/page-parts.ts'));
  const policy = once(async () => (await import('../docs/page.ts')).pagePolicy);
  const list = once(async () => (await described()).describeApi(deps.agentName));
  const document = once(async () => (await described()).openApiOf(deps.agentName));
  const page = once(async () => (await described()).docsPageOf(deps.agentName));
  const shown = (path: string, send: (res: Response) => Promise<void>): Route => ({
    method: 'GET',
    path,
    isOpen: true,
    handle: permitted(deps, send),
  });
  return [
    shown('/docs', async (res) => {
      const html = await page();
      res.setHeader('Content-Security-Policy', await policy());
      sendText(res, 'html', html);
    }),
    shown('/docs/page.js', async (res) => sendText(res, 'js', (await parts()).pageScript)),
    shown('/docs/page.css', async (res) => sendText(res, 'css', (await parts()).pageStyle)),
    shown('/docs/json', async (res) => sendJson(res, 200, await list())),
    shown('/openapi.json', async (res) => sendJson(res, 200, await document())),
  ];
}

const permitted =
  (deps: RouteDependencies, send: (res: Response) => Promise<void>): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'docs.read', { kind: 'service' });
    await send(res);
  };

function sendText(res: Response, type: string, text: string): void {
  if (!res.headersSent) res.status(200).type(type).send(text);
}

/** Makes something when it is asked for first, and once; anew after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
