import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GRPC_METHODS, good, grpcMessage, post, rawGrpc, STACK, WAYS, wrapped } from './a2a-raw.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Requests with some of their members or bytes changed: each makes a task, or an error of the protocol and nothing else. */
const SEED = Number(process.env.STOPGO_FUZZ_SEED ?? 20_261_122);
const RUNS = Number(process.env.STOPGO_FUZZ_RUNS ?? 200);
const longMs = 120_000;

let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
let grpc: ReturnType<typeof rawGrpc>;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, resourcesConfig(place, 'a2a_grpc_port: 0\n'), { env: model.env });
  http = client(platform.url);
  const card = JSON.parse((await http.get('/.well-known/agent-card.json', { 'a2a-version': '1.0' })).text);
  const interfaces: { protocolBinding: string; url: string }[] = card.supportedInterfaces;
  grpc = rawGrpc(interfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC')?.url ?? '');
});

afterAll(async () => {
  grpc.close();
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
  // Nothing that was sent is our fault.
  expect(
    platform
      .output()
      .split('\n')
      .filter((line) => /internal error|unhandled|uncaught/i.test(line)),
  ).toEqual([]);
});

const total = async (): Promise<number> => (await http.get('/conversations')).body.summary.total ?? Number.NaN;

const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' });
const key = fc.oneof(
  fc.constantFrom(
    'message',
    'parts',
    'kind',
    'text',
    'data',
    'file',
    'role',
    'messageId',
    'taskId',
    'contextId',
    'metadata',
    'configuration',
    'params',
    'method',
    'tenant',
    'id',
    '__proto__',
    'constructor',
    'toString',
  ),
  fc.string({ maxLength: 8 }),
);
const odd = fc.oneof(json, fc.constantFrom(null, -1, 1e308, '', [], {}, '../..', { __proto__: null, kind: 'text' }));
const change = fc.record({ at: fc.nat(40), key, value: odd, how: fc.constantFrom('replace', 'add', 'remove') });
const way = fc.constantFrom(...WAYS);

/** A body with some of its members changed: places are counted through the tree. */
function changed(
  body: unknown,
  { at, key: name, value, how }: { at: number; key: string; value: unknown; how: string },
): unknown {
  let count = 0;
  const walk = (node: unknown): unknown => {
    count += 1;
    if (count - 1 === at && how === 'replace') return value;
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const isHere = count - 1 === at;
    const members = Object.entries(node).map(([member, one]): [string, unknown] => [member, walk(one)]);
    if (isHere && how === 'remove') members.shift();
    if (isHere && how === 'add') members.push([name, value]);
    return Object.fromEntries(members);
  };
  return walk(body);
}

test(`whatever is sent is a task or an error of the protocol (seed ${SEED}, ${RUNS} bodies)`, {
  timeout: longMs,
}, async () => {
  let made = await total();
  await fc.assert(
    fc.asyncProperty(way, fc.array(change, { minLength: 1, maxLength: 3 }), async (one, changes) => {
      const body = changes.reduce<unknown>(changed, wrapped(one, good(one), { configuration: { historyLength: 1 } }));
      const came = await post(platform.url, one, JSON.stringify(body) ?? '');
      expect(came.isOfProtocol, came.text).toBe(true);
      expect(came.text).not.toMatch(STACK);
      if (came.code === 'ok') made += 1;
      else expect(came.code).toMatch(/^(?:-32(?:700|60[012]|00[1-9])|4\d\d)$/);
      expect(await total(), came.text).toBe(made);
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
});

test(`whatever is sent as bytes over gRPC, is a task or a status (seed ${SEED}, ${RUNS} calls)`, {
  timeout: longMs,
}, async () => {
  let made = await total();
  const noise = fc.array(fc.record({ at: fc.nat(80), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('1.0' as const, '0.3' as const), noise, async (version, changes) => {
      const bytes = Buffer.from(grpcMessage(version));
      for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
      const came = await grpc.call(GRPC_METHODS[version].sendMessage.path, bytes);
      expect(came.text).not.toMatch(STACK);
      if (came.code === 'ok') made += 1;
      else expect(came.code).toMatch(/^(?:INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION|INTERNAL|UNIMPLEMENTED)$/);
      expect(await total(), `${bytes.toString('hex')} ${came.text}`).toBe(made);
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
});
