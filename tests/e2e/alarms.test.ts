import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { topology } from './topology.ts';

/** What the processes have logged that somebody should look at, in one answer. */
const asServices = topology !== 'one process';
const secret = 'a-secret-of-the-tool-server-7291';
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  const broken = 'console.error("refused: " + process.env.KEY); process.exit(1)';
  const config = `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - name: broken
    command: ${JSON.stringify(process.execPath)}
    args: ["-e", ${JSON.stringify(broken)}]
    env: { KEY: ${secret} }
    on_start_failure: degrade
`;
  platform = await start(place, config, { env: model.env });
  http = client(platform.url);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

type Alarm = {
  readonly level: string;
  readonly message: string;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly service: string;
  readonly instance: string;
};
type Process = { readonly service: string; readonly instance?: string; readonly answers: boolean };
type Alarms = { readonly alarms: readonly Alarm[]; readonly processes: readonly Process[] };

const alarms = async (): Promise<Alarms> => (await http.get('/alarms')).body as unknown as Alarms;

test('a tool server that does not start is an alarm of its bridge, without what is secret', async () => {
  const alarm = await until('the alarm of the server', async () =>
    (await alarms()).alarms.find(({ message }) => message.includes('broken')),
  );
  expect(alarm).toMatchObject({ level: 'warn', service: asServices ? 'mcp-bridge' : 'platform' });
  expect(alarm.count).toBeGreaterThan(0);
  expect(Date.parse(alarm.first_at)).toBeLessThanOrEqual(Date.parse(alarm.last_at));
  const answer = await alarms();
  expect(JSON.stringify(answer)).toContain('[secret]');
  expect(JSON.stringify(answer)).not.toContain(secret);
  expect(answer.alarms.map(({ last_at }) => last_at)).toEqual(
    answer.alarms
      .map(({ last_at }) => last_at)
      .toSorted()
      .reverse(),
  );
});

test('each process is named, and all of them answer', async () => {
  const { processes } = await alarms();
  const names = asServices ? ['approvals', 'gateway', 'mcp-bridge', 'orchestrator', 'store'] : ['platform'];
  expect(processes.map(({ service }) => service).sort()).toEqual(names);
  expect(processes.filter(({ answers, instance }) => !answers || instance === undefined)).toEqual([]);
});
