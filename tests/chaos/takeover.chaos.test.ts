import { processOf } from '@stopgo/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bundle } from '../promises/bundle.ts';
import { type ApprovalJson, type ConversationJson, PatientClient, pause } from '../promises/patient-client.ts';
import type { Child } from './child.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';
import { LogReader } from './log-reader.ts';
import { describeOnNats } from './needs-nats.ts';
import { bundlePrograms, type ProgramName } from './programs.ts';

// The driver of a run dies, or is frozen between putting a call on the record and making it.

/** For a machine that is busy with other things. */
const testMs = 180_000;
const ttlMs = 1_000;
/** Renewals in a time to live. */
const beatsPerTtl = 3;
/** How long the call takes in which drivers die, in milliseconds. */
const slowMs = 6_000;
/** How long the answers of the store take to a driver that is to be frozen between its append and its call. */
const answerDelayMs = 300;

describeOnNats('who goes on when the driver of a run cannot', (natsServer) => {
  let bundle: Bundle<ProgramName>;
  let cluster: Cluster;
  let log: LogReader;
  let client: PatientClient;

  beforeAll(async () => {
    bundle = await bundlePrograms();
    const options: ClusterOptions = {
      bundle,
      natsServer,
      replicas: { store: 1, 'mcp-bridge': 1, orchestrator: 2, approvals: 1, gateway: 1 },
      ttlMs,
      toolTimeoutMs: 60_000,
      storeGates: true,
    };
    cluster = await Cluster.start(options);
    log = new LogReader(cluster.stores[0]!, cluster.token);
    client = new PatientClient({ address: () => cluster.gateways[0]!, tryMs: 10_000, pauseMs: 50 });
  }, testMs);

  afterAll(async () => {
    log?.close();
    await cluster?.end();
    cluster?.remove();
    bundle?.remove();
  }, testMs);

  const ask = async (text: string): Promise<string> => {
    const key = client.newKey();
    const answer = await client.post('/conversations', { body: { message: text }, key, prefer: 'respond-async' });
    return answer.body.conversation!.id;
  };
  const conversation = async (id: string): Promise<ConversationJson> =>
    (await client.get(`/conversations/${id}`)).body.conversation!;
  const settled = async (id: string): Promise<void> => {
    while ((await conversation(id)).run?.status !== 'completed') await pause(50);
  };
  const doubt = async (id: string): Promise<ApprovalJson> => {
    for (;;) {
      const { run, pending_approvals: pending } = await conversation(id);
      const waiting = pending.find(({ kind }) => kind === 'in_doubt');
      if (waiting !== undefined) return waiting;
      if (run?.status !== 'working') throw new Error(`the run is ${run?.status}, and no call of it is in doubt`);
      await pause(50);
    }
  };
  const runsOf = (tag: string): number =>
    cluster.toolRuns().filter(({ argumentsJson }) => argumentsJson.includes(tag)).length;

  /** The orchestrator that goes by an id, and the other one. */
  const driverAndOther = async (instance: string): Promise<readonly [Child, Child]> => {
    const both = [cluster.child('orchestrator', 0), cluster.child('orchestrator', 1)] as const;
    const ids = await Promise.all(both.map((child) => child.instance()));
    const index = ids.indexOf(processOf(instance));
    expect(index, `one of ${ids.join()} owns the run, not ${instance}`).toBeGreaterThanOrEqual(0);
    return index === 0 ? both : [both[1], both[0]];
  };

  test(
    'a driver is killed: another goes on within two times to live, without a human, and without a second call',
    async () => {
      const tag = 'driver-killed';
      const id = await ask(`call ledger_slow {"text":"${tag}","ms":${slowMs}}`);
      const started = await log.wait(id, 'toolCallStarted');
      while (runsOf(tag) === 0) await pause(10);
      const [owner] = await log.all(id, 'runStarted');
      const [driver, other] = await driverAndOther(owner!.value.owner!.instance);
      const survivor = await other.instance();
      const before = await log.beatsOf(survivor);
      const killedAt = Date.now();
      await driver.kill();
      const claimed = await log.wait(id, 'runClaimed');
      const beats = (await log.beatsOf(survivor)) - before;
      process.stdout.write(
        `another orchestrator went on ${claimed.time - killedAt} ms after the kill (${beats} of its heartbeats, ` +
          `time to live ${ttlMs} ms)\n`,
      );
      expect(processOf(claimed.value.owner!.instance)).toBe(survivor);
      // Counted in its own heartbeats, so that a machine that is slow is slow for both: two times to live, twice over.
      expect(beats).toBeLessThanOrEqual(2 * 2 * beatsPerTtl);
      driver.start();
      await settled(id);
      expect(await log.all(id, 'toolCallInDoubt')).toEqual([]);
      expect(await log.all(id, 'toolCallStarted')).toEqual([started]);
      expect(runsOf(tag)).toBe(1);
      await driver.instance();
    },
    testMs,
  );

  test(
    'driver and bridge are killed inside a call: it is in doubt, and a human decides',
    async () => {
      const tag = 'both-killed';
      const id = await ask(`call ledger_slow {"text":"${tag}","ms":${slowMs}}`);
      while (runsOf(tag) === 0) await pause(10);
      const [owner] = await log.all(id, 'runStarted');
      const [driver] = await driverAndOther(owner!.value.owner!.instance);
      const bridge = cluster.child('mcp-bridge', 0);
      await Promise.all([driver.kill(), bridge.kill()]);
      driver.start();
      bridge.start();
      const approval = await doubt(id);
      const body = { action: 'happened', result: 'it stands in the ledger' };
      await client.post(`/approvals/${approval.uuid}`, { body, key: client.newKey() });
      await settled(id);
      expect(runsOf(tag)).toBe(1);
      await Promise.all([driver.instance(), bridge.instance()]);
    },
    testMs,
  );

  /** A conversation whose driver was frozen after it had put a call on the record, and before it made the call. */
  const frozenBeforeItsCall = async (name: string) => {
    for (const gate of cluster.storeGates) gate.answerDelayMs = answerDelayMs;
    // A machine that is very slow may be too late now and then: then the call has been made, and the story is told anew.
    for (let telling = 1; ; telling += 1) {
      const tag = `${name}-${telling}`;
      const id = await ask(`call ledger_note {"text":"${tag}"}`);
      await log.wait(id, 'toolCallStarted');
      const [owner] = await log.all(id, 'runStarted');
      const [driver] = await driverAndOther(owner!.value.owner!.instance);
      driver.freeze();
      const frozenAt = Date.now();
      if (runsOf(tag) > 0) {
        driver.thaw();
        await settled(id);
        continue;
      }
      for (const gate of cluster.storeGates) gate.answerDelayMs = 0;
      return {
        id,
        tag,
        /** Continues it, six times to live after it was frozen at the earliest, and lets it find out what has become of it. */
        thaw: async (): Promise<void> => {
          await pause(Math.max(0, frozenAt + 6 * ttlMs - Date.now()));
          driver.thaw();
          const instance = await driver.instance();
          const before = await log.beatsOf(instance);
          while ((await log.beatsOf(instance)) < before + 2 * beatsPerTtl) await pause(50);
        },
      };
    }
  };

  test(
    'a driver is frozen between its append and its call, and continued: there is one call',
    async () => {
      const { id, tag, thaw } = await frozenBeforeItsCall('frozen');
      await settled(id);
      expect(runsOf(tag)).toBe(1);
      await thaw();
      expect(runsOf(tag)).toBe(1);
      expect(await log.all(id, 'toolCallInDoubt')).toEqual([]);
    },
    testMs,
  );

  test.each([
    ['run_again', 1],
    ['give_up', 0],
  ])(
    'a driver is frozen between its append and its call, the bridge starts anew, a human says %s, and it is continued: %i calls',
    async (action, calls) => {
      const { id, tag, thaw } = await frozenBeforeItsCall(`frozen-${action}`);
      const bridge = cluster.child('mcp-bridge', 0);
      await bridge.kill();
      bridge.start();
      const approval = await doubt(id);
      await client.post(`/approvals/${approval.uuid}`, { body: { action }, key: client.newKey() });
      await settled(id);
      expect(runsOf(tag)).toBe(calls);
      await thaw();
      expect(runsOf(tag)).toBe(calls);
    },
    testMs,
  );
});
