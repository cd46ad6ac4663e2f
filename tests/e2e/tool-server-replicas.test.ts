import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';
import { processesOf } from './processes.ts';

/** On a busy machine; a quiet one needs a tenth. */
const longMs = 90_000;

describe.skipIf(!hasNatsServer)('two bridges, each with a tool server of its own', () => {
  let model: ScriptedModel;
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    model = await scriptedModel();
    place = workplace();
    const yaml = resourcesConfig(place).replace('- name: resources', '- name: resources\n    stateless: true');
    platform = await start(place, yaml, {
      command: 'services',
      args: ['--replicas', 'mcp-bridge=2'],
      env: model.env,
    });
    http = client(platform.url);
  }, longMs);

  afterAll(async () => {
    await platform?.discard();
    await model.stop();
    place.remove();
  }, longMs);

  const shown = async (): Promise<Body> => {
    const { status, body } = await http.get('/mcp/servers');
    expect(status).toBe(200);
    return body;
  };
  const answering = ({ bridges }: Body) => bridges.flatMap(({ answers, instance }) => (answers ? [instance] : []));
  /** Processes of the test whose command line holds that. */
  const pidsOf = (words: string) =>
    processesOf(place.folder).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words));

  test('both are shown, each with what it finds', async () => {
    const { servers, bridges } = await shown();
    expect(bridges.map(({ answers }) => answers)).toEqual([true, true]);
    expect(new Set(bridges.map(({ address }) => address)).size).toBe(2);
    expect(servers.map(({ name, state, tools }) => [name, state, tools])).toEqual([
      ['resources', 'ready', 3],
      ['resources', 'ready', 3],
    ]);
    expect(servers.map(({ bridge }) => bridge).sort()).toEqual(bridges.map(({ instance }) => instance).sort());
  });

  test('what happens to the tool server of one is not told of the other', async () => {
    const [pid = 0] = pidsOf('mcp-servers/resources');
    process.kill(pid, 'SIGKILL');
    const restarts = await until('it is back', async () => {
      const { servers } = await shown();
      return servers.every(({ state }) => state === 'ready') && servers.some((server) => server.restarts > 0)
        ? servers.map((server) => server.restarts).sort()
        : undefined;
    });
    expect(restarts).toEqual([0, 1]);
  });

  test(
    'the one that is left goes on being shown while the other is dead',
    async () => {
      const before = answering(await shown());
      const [pid = 0] = pidsOf('\0service\0mcp-bridge\0');
      process.kill(pid, 'SIGKILL');
      const after = await until('another is in its place', async () => {
        const body = await shown();
        const now = answering(body);
        expect(now.length).toBeGreaterThan(0);
        expect(body.servers.length).toBe(now.length);
        return now.length === 2 && now.some((instance) => !before.includes(instance)) ? now : undefined;
      });
      expect(after.filter((instance) => before.includes(instance))).toHaveLength(1);
    },
    longMs,
  );
});
