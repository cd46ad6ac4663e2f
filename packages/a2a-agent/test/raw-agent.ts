import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Asked = { readonly method: string; readonly url: string; readonly body: string; readonly headers: object };

let server: Server | undefined;

/** Ends the agent, and whatever is connected to it. To be done after each test. */
export function closeAgent(): void {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
}

/** An agent that answers as it is told, and what it was asked. */
export async function agent(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const asked: Asked[] = [];
  let left = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    left = resolve;
  });
  const listening = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += String(chunk);
    });
    res.once('close', left);
    req.once('end', () => {
      asked.push({ method: req.method ?? '', url: req.url ?? '', body, headers: req.headers });
      answer(req, res);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, closed };
}

/** Answers with JSON. */
export const saying =
  (json: unknown, status = 200) =>
  (_req: IncomingMessage, res: ServerResponse) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
