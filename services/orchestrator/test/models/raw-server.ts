import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModels, type ModelOutcome, type ModelRequest, type ModelsOptions } from '../../src/models/index.ts';
import { environmentOf, impatientClock, NEVER } from './fixture.ts';

/** One server-sent event. */
export function sse(data: object, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** What a model makes of exactly this stream, for answers that the offline model never gives. */
export async function generateFrom(
  body: string,
  model: string,
  request: ModelRequest,
  options: Partial<ModelsOptions> = {},
): Promise<ModelOutcome> {
  return (await generateFromAll([body], model, request, options)).outcome;
}

/** The same for a model that makes several requests, each of which gets the next stream; beyond the last, a 500. */
export async function generateFromAll(
  bodies: readonly string[],
  model: string,
  request: ModelRequest,
  options: Partial<ModelsOptions> = {},
): Promise<{ outcome: ModelOutcome; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const body = bodies[requests.length];
    requests.push(text);
    if (body === undefined) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const outcome = await createModels({
      env: environmentOf(url),
      clock: impatientClock().clock,
      modelTimeoutMs: 15_000,
      ...options,
    })
      .forModel(model)
      .generate(request, { signal: NEVER, onDelta: () => undefined });
    return { outcome, requests };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
