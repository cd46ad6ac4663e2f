import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { journaledConfig, type Platform, start, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';

/** What a turn costs between separate processes: each server writes a line for every call at log level debug. */
const startMs = 90_000;
/** Calls that a turn does not make: they go on all the time, or stay open. */
const apart = /Heartbeat|Follow|Subscribe|WatchDeltas|PublishDelta|ListOpenRuns|ListTools|Health/;
const callsMax = 14;
/**
 * What a replica pays that begins with a state which another has moved on from: its append is refused, and it reads what it
 * has not seen.
 */
const lateCallsMax = 3;
/** An answer that carries the whole conversation costs reads of its own. */
const minimal = { prefer: 'return=minimal' };

let place: Workplace;
let model: ScriptedModel;
let platform: Platform | undefined;
let api: Client;

beforeAll(async () => {
  if (!hasNatsServer) return;
  place = workplace();
  model = await scriptedModel();
  const args = ['--replicas', 'store=2,orchestrator=2'];
  // A sweep that looks at a run between two steps of a slow machine would count too: none comes so soon.
  const config = journaledConfig(place, 'log_level: debug\nheartbeat_ttl: 60s');
  platform = await start(place, config, { command: 'services', args, env: { ...model.env } });
  api = client(platform.url);
}, startMs);

afterAll(async () => {
  await platform?.end('SIGTERM');
  await noneLeftOf(place.folder);
  await model.stop();
  place.remove();
}, startMs);

/** The calls that were served since some length of the output, in the order in which they ended. */
function callsSince(from: number): string[] {
  const lines = (platform?.output() ?? '').slice(from).matchAll(/ grpc \/stopgo\.[\w.]+\/(\w+) (\w+)/g);
  return [...lines].map(([, method = '']) => method).filter((method) => !apart.test(method));
}

const countOf = (calls: readonly string[], method: string): number => calls.filter((one) => one === method).length;

test.skipIf(!hasNatsServer)(
  'a turn is six appends and at most fourteen calls, whichever replicas it meets',
  { timeout: startMs },
  async () => {
    const { conversation } = (await api.post('/conversations', {})).body;
    // The last call of what comes before the turns; it may be told a while after its answer.
    await until('the calls of the creation are told', async () =>
      callsSince(0).includes('GetConversation') ? true : undefined,
    );
    for (const turn of ['one', 'two', 'three', 'four']) {
      const from = platform?.output().length ?? 0;
      const message = `call erase ${JSON.stringify({ name: turn })}`;
      const asked = await api.post(`/conversations/${conversation.id}/messages`, { message }, minimal);
      const decided = await api.post(`/approvals/${asked.body.result.approval?.uuid}`, { approved: true }, minimal);
      expect(decided.body.result.response).toContain(`erase ${turn}`);
      // A call is told when it has ended; the last of a turn are those that its requests waited for.
      await until('all calls of the turn are told', async () => {
        const calls = callsSince(from);
        const areAllTold = countOf(calls, 'Append') >= 6 && calls.includes('SendMessage') && calls.includes('Resolve');
        return areAllTold ? true : undefined;
      });
      const calls = callsSince(from);
      // One more if the first was made onto what another replica has moved on from: it adds nothing.
      const appends = countOf(calls, 'Append');
      expect([6, 7], turn).toContain(appends);
      expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(callsMax + (appends === 7 ? lateCallsMax : 0));
    }
  },
);
