import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, conversationOf, detailsOf, doneIn, inputsOf } from './asking-servers.ts';
import { type Answer, type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, root, start, type Workplace, workplace } from './platform.ts';
import { processesOf } from './processes.ts';

const asking = join(root, 'services/mcp-bridge/test/fixtures/asking-server.mjs');
/** How long people have, in milliseconds. */
const inputMs = 3_000;

function configOf(place: Workplace): string {
  return `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - name: shop
    command: node
    args: [${JSON.stringify(asking)}, ${JSON.stringify(join(place.folder, 'shop.journal'))}, stdio, shop_]
    elicitation: [form]
    timeout: 20s
    input_timeout: ${inputMs}ms
`;
}

/** What a tool server asks is over when its time is, whoever is away by then. */
describe.skipIf(!hasNatsServer)('a question whose time ends', () => {
  let model: ScriptedModel;
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    model = await scriptedModel();
    place = workplace();
    const args = ['--replicas', 'orchestrator=2'];
    platform = await start(place, configOf(place), { command: 'services', args, env: model.env });
    http = client(platform.url);
  }, 90_000);

  afterAll(async () => {
    await platform.discard();
    place.remove();
    await model.stop();
  });

  const processes = (service: string) =>
    processesOf(place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`service\0${service}`),
    );
  const path = (asked: Answer) => `/conversations/${conversationOf(asked)}`;
  const answerTo = (asked: Answer) =>
    http.post(`${path(asked)}/inputs/${inputsOf(asked)[0]?.id}`, { action: 'accept', content: { amount: 1 } });
  const over = (asked: Answer) =>
    until('the question is over', async () => {
      const seen = await http.get(path(asked));
      return inputsOf(seen).length === 0 ? Date.now() : undefined;
    });
  const ended = (asked: Answer) =>
    until('the run has ended', async () => {
      const { body } = await http.get(path(asked));
      return body.conversation.run?.status === 'completed' ? JSON.stringify(body) : undefined;
    });

  test('while its bridge is frozen: it is over in time, a late answer is told so, and its server is told when it can be', async () => {
    const asked = await http.post('/conversations', call('shop_order', { name: 'frozen' }));
    const { expires_at: expires } = inputsOf(asked)[0] as unknown as { readonly expires_at: string };
    const [bridge = 0] = processes('mcp-bridge');
    process.kill(bridge, 'SIGSTOP');
    try {
      const overAt = await over(asked);
      expect(overAt - Date.parse(expires)).toBeGreaterThanOrEqual(0);
      // Nobody knows yet that the bridge is away: that takes another time to live, and puts the call in doubt.
      expect(overAt - Date.parse(expires)).toBeLessThan(5_000);
      const late = await answerTo(asked);
      expect([late.status, detailsOf(late)]).toMatchObject([409, { how: 'withdrawn', why: 'nobody answered in time' }]);
      expect(doneIn(place, 'shop', 'frozen')).toEqual([]);
    } finally {
      process.kill(bridge, 'SIGCONT');
    }
    expect(await ended(asked)).toContain('order frozen: cancel');
    expect(doneIn(place, 'shop', 'frozen')).toMatchObject([{ action: 'cancel' }]);
  }, 60_000);

  test('while all orchestrators are down: it is over as soon as one is there, and its server is told', async () => {
    const asked = await http.post('/conversations', call('shop_order', { name: 'alone' }));
    for (const pid of processes('orchestrator')) process.kill(pid, 'SIGKILL');
    await over(asked);
    const late = await answerTo(asked);
    expect([late.status, detailsOf(late)]).toMatchObject([409, { how: 'withdrawn', why: 'nobody answered in time' }]);
    expect(await ended(asked)).toContain('order alone: cancel');
    expect(doneIn(place, 'shop', 'alone')).toMatchObject([{ action: 'cancel' }]);
  }, 60_000);
});
