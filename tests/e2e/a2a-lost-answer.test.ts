import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';
import { type PlantedTree, plant } from './tree.ts';

/** One of our agents delegates to another, and what carries the first message breaks: it is done once all the same. */
let other: { readonly platform: Platform; readonly place: Workplace; readonly model: ScriptedModel } | undefined;
let tree: PlantedTree | undefined;
let between: ReturnType<typeof createServer> | undefined;

afterEach(async () => {
  await tree?.end();
  between?.closeAllConnections();
  between?.close();
  await other?.platform.discard();
  await other?.model.stop();
  other?.place.remove();
  tree = undefined;
  other = undefined;
});

/** Passes everything on; `breaks` may do something else with the first message. */
async function carrier(
  to: string,
  breaks: (request: IncomingMessage, response: ServerResponse, pass: () => void) => void,
) {
  let isFirst = true;
  const sent: (string | undefined)[] = [];
  between = createServer((request, response) => {
    const { method, url, headers } = request;
    const pass = (): void => {
      const onward = httpRequest(new URL(url ?? '/', to), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    };
    if (headers['idempotency-key'] === undefined) return pass();
    sent.push(headers['idempotency-key'] as string);
    if (!isFirst) return pass();
    isFirst = false;
    breaks(request, response, pass);
  });
  const server = between;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

test.each<[string, number, (request: IncomingMessage, response: ServerResponse, pass: () => void) => void]>([
  // It is found by its context.
  [
    'the answer to it is lost',
    1,
    (_request, response, pass) => {
      response.write = () => {
        response.destroy();
        return false;
      };
      pass();
    },
  ],
  // Nothing is found, and it is sent again under the same key.
  ['it never arrives', 2, (request) => request.destroy()],
])('a message is taken once though %s', { timeout: 60_000 }, async (_what, sendings, breaks) => {
  const model = await scriptedModel();
  const place = workplace();
  other = { model, place, platform: await start(place, resourcesConfig(place), { env: model.env }) };
  const { url, sent } = await carrier(other.platform.url, breaks);
  tree = await plant({ type: 'a2a', name: 'desk', url: `${url}/a2a` });
  const { body } = await tree.ask('list all resources');
  expect(body.result.response).toContain('there are no resources');
  expect([sent.length, new Set(sent).size]).toEqual([sendings, 1]);
  expect((await client(other.platform.url).get('/conversations')).body.summary.total).toBe(1);
});
