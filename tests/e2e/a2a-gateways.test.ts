import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-ports.ts';
import { STORY_PEERS } from './a2a-peers.ts';
import { client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Two gateways of one platform, each a process with ports of its own: what one is told the other one knows, over each transport. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let grpcPort: number;

const longMs = 120_000;

beforeAll(async () => {
  if (!hasNatsServer) return;
  model = await scriptedModel();
  place = workplace();
  grpcPort = await freePort();
  const config = resourcesConfig(place, `a2a_grpc_port: ${grpcPort}\n`);
  const args = ['--replicas', 'gateway=2'];
  platform = await start(place, config, { env: model.env, command: 'services', args });
}, longMs);

afterAll(async () => {
  if (!hasNatsServer) return;
  await platform?.end('SIGTERM');
  await model.stop();
  place.remove();
}, longMs);

test.skipIf(!hasNatsServer)(
  'the first gateway has the configured port for gRPC, the other one a free one',
  { timeout: longMs },
  async () => {
    const ports = platform.urls.map(async (url) => {
      const { text } = await client(url).get('/.well-known/agent-card.json');
      const { additionalInterfaces } = JSON.parse(text) as {
        additionalInterfaces: { url: string; transport: string }[];
      };
      return Number(
        additionalInterfaces
          .find(({ transport }) => transport === 'GRPC')
          ?.url.split(':')
          .at(-1),
      );
    });
    const [first, second] = await Promise.all(ports);
    expect(first).toBe(grpcPort);
    expect([grpcPort, 0, Number.NaN]).not.toContain(second);
  },
);

test.skipIf(!hasNatsServer).each(Object.entries(STORY_PEERS))(
  'the SDK %s asks at one and decides at the other',
  { timeout: longMs },
  async (how, connect) => {
    const [one = '', other = ''] = platform.urls;
    const name = `at-two-${how.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}-end`;
    const waiting = await (await connect(one)).send({ text: `create a server ${name} with value 1` });
    const [shown] = waiting.shown as { readonly approval_id: string }[];
    const data = { approval_id: shown?.approval_id, decision: 'approve', by: 'ada via desk' };
    const done = await (await connect(other)).send({ taskId: waiting.id, data });
    expect([done.state, done.results.join()]).toEqual(['completed', expect.stringContaining(`added "${name}"`)]);
    const { text } = await client(one).get(`/approvals/${shown?.approval_id}`);
    expect(text).toContain('"decided_by":"ada via desk"');
  },
);
