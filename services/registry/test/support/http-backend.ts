import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Repositories over HTTP, as a server of git gives them, for whoever brings the token. */
export type HttpBackend = {
  readonly url: string;
  /** What requests brought as credentials; null where they brought none. */
  readonly brought: (string | null)[];
};

/** Serves the repository of a folder's `.git`. Without a token anybody may read. */
export async function httpBackend(folder: string, token?: string): Promise<HttpBackend> {
  const brought: (string | null)[] = [];
  const expected = token === undefined ? undefined : `Basic ${btoa(`x-access-token:${token}`)}`;
  const server = createServer((request, response) => {
    const authorization = request.headers.authorization ?? null;
    brought.push(authorization);
    if (expected !== undefined && authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="agents"' }).end();
      return;
    }
    serve(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents.git`, brought };
}

function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const protocol = request.headers['git-protocol'];
  const child = spawn('git', ['-c', 'uploadpack.allowFilter=true', '-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: url.pathname.replace('/agents.git', '/.git'),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      ...(typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  response.on('close', () => child.kill());
  let head = Buffer.alloc(0);
  let isHeadSent = false;
  child.stdout.on('data', (piece: Buffer) => {
    if (isHeadSent) {
      response.write(piece);
      return;
    }
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    isHeadSent = true;
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
    );
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}
