import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Provider, routeOf } from './provider.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { Refusal } from './refusal.ts';
import { respond } from './respond.ts';
import { createScript, readSteps, type Script } from './script.ts';

/** The largest request body, in bytes. */
const bodyBytesMax = 32 * 1024 * 1024;

/** How to start the offline model. */
export type OfflineModelOptions = {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Opens the control endpoints and records requests. Default false: they exist for tests only. */
  readonly control?: boolean;
  /** Refuses histories that come back without their thought signatures or thinking blocks. Default false. */
  readonly strictSignatures?: boolean;
};

/** A running offline model. `stop` closes every connection, hanging ones too, and is done when the port is free. */
export type OfflineModel = { readonly url: string; stop(): Promise<void> };

type Running = { readonly strictSignatures: boolean; readonly control?: { script: Script; recorder: Recorder } };

/** Starts the server. Rejects if the address cannot be listened on. */
export async function startOfflineModel(options: OfflineModelOptions = {}): Promise<OfflineModel> {
  const running: Running = {
    strictSignatures: options.strictSignatures ?? false,
    ...(options.control ? { control: { script: createScript(), recorder: createRecorder() } } : {}),
  };
  const server = createServer((request, response) => {
    handle(running, request, response).catch(() => response.destroy());
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://offline.invalid');
  if (url.pathname === '/health') return json(response, 200, { status: 'ok' });
  if (running.control && url.pathname.startsWith('/__')) return control(running.control, url, request, response);
  const provider = routeOf(request.method, url);
  if (!provider)
    return json(response, 404, { error: { code: 404, message: `Not found: ${url.pathname}`, status: 'NOT_FOUND' } });
  await answer(running, provider, url, request, response);
}

async function answer(
  running: Running,
  provider: Provider,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await bodyOf(request);
    const body = parsed(text);
    running.control?.recorder.record({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: body ?? text,
    });
    provider.authenticate(request.headers, url);
    if (body === undefined) throw new Refusal(400, 'The request body is not valid JSON.');
    const turn = provider.read(body, running.strictSignatures);
    const script = running.control?.script;
    const quote = () => `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${text}`;
    await respond({
      provider,
      turn,
      streamed: provider.streamed(body),
      response,
      quote,
      ...(script ? { script } : {}),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    json(response, error.status, provider.error(error.status, error.message));
  }
}

async function control(
  { script, recorder }: { script: Script; recorder: Recorder },
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /__script':
        script.add(readSteps(parsed(await bodyOf(request))));
        return json(response, 200, { ok: true });
      case 'DELETE /__script':
        script.reset();
        return json(response, 200, { ok: true });
      case 'POST /__release':
        script.release();
        return json(response, 200, { ok: true });
      case 'GET /__requests':
        return json(response, 200, { requests: recorder.since(Number(url.searchParams.get('since') ?? 0)) });
      default:
        return json(response, 404, { error: `no such control endpoint: ${request.method} ${url.pathname}` });
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    json(response, error.status, { error: error.message });
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new Refusal(413, `The request body is larger than ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
