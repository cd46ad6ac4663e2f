import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from '../e2e/http.ts';
import type { Bundle } from '../promises/bundle.ts';
import { Cluster } from './cluster.ts';
import { describeOnNats } from './needs-nats.ts';
import { bundlePrograms, type ProgramName } from './programs.ts';
import { type Part, parts } from './schedule.ts';

// What still works while a part of the platform is away, what is told to wait, and that all of it heals by itself.

/** For a machine that is busy with other things. */
const testMs = 180_000;
/** How long something may take until it is so, in milliseconds. */
const waitMs = 60_000;
const ttlMs = 1_000;

describeOnNats('while a part is away', (natsServer) => {
  let bundle: Bundle<ProgramName>;
  let cluster: Cluster;
  let gateway: Client;
  let conversations = 0;

  beforeAll(async () => {
    bundle = await bundlePrograms();
    const replicas = { store: 1, 'mcp-bridge': 1, orchestrator: 1, approvals: 1, gateway: 1 };
    cluster = await Cluster.start({ bundle, natsServer, replicas, ttlMs });
    gateway = client(cluster.gateways[0]!);
  }, testMs);

  afterAll(async () => {
    await cluster?.end();
    cluster?.remove();
    bundle?.remove();
  }, testMs);

  const down = (part: Part) => cluster.child(part, 0).kill();
  const up = (part: Part) => cluster.child(part, 0).start();

  /** Something that waits for an approval. */
  const waiting = async (): Promise<{ id: string; uuid: string }> => {
    conversations += 1;
    const { status, body } = await gateway.post('/conversations', {
      message: `create a server degraded-${conversations} with value 1`,
    });
    expect(status).toBe(201);
    return { id: body.conversation.id, uuid: body.conversation.pending_approvals[0]!.uuid };
  };
  // With a key: that a first try took effect may not have been known when it was answered.
  const approve = (uuid: string) =>
    gateway.post(`/approvals/${uuid}`, { approved: true }, { prefer: 'wait=1', 'idempotency-key': uuid });
  const completed = (id: string) =>
    until(
      `the end of ${id}`,
      async () => {
        const { body } = await gateway.get(`/conversations/${id}`);
        return body.conversation?.run?.status === 'completed' ? body.conversation : undefined;
      },
      waitMs,
    );
  const runs = (name: string) => cluster.toolRuns().filter(({ argumentsJson }) => argumentsJson.includes(name)).length;
  const expectNotNow = ({ status, headers, text }: Answer) => {
    expect(status, text).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    // What to do, and nothing of how the inside is built.
    expect(text).toMatch(/try again|repeat/);
    expect(text).not.toMatch(/127\.0\.0\.1|:\d{4,5}|stopgo\./);
  };

  /** A whole conversation, by whoever is told to try again. */
  const wholeConversation = async () => {
    const id = await until(
      'a new conversation',
      async () => {
        try {
          const one = await waiting();
          return (await approve(one.uuid)).status < 300 ? one.id : undefined;
        } catch {
          return undefined;
        }
      },
      waitMs,
    );
    await completed(id);
  };

  // Before the first test: whoever has just begun may not have found all others yet.
  beforeAll(wholeConversation, testMs);

  /** After each test: without anybody having been told that the part is back. */
  afterEach(async () => {
    cluster.nats.set('open');
    // What a test that failed left behind is no business of the next one.
    for (const part of parts.filter((one) => cluster.count(one) > 0))
      if (!cluster.child(part, 0).isRunning) cluster.child(part, 0).start();
    await wholeConversation();
  }, testMs);

  test(
    'the orchestrator: reads, lists and decisions work, and the runs go on later',
    async () => {
      const { id, uuid } = await waiting();
      await down('orchestrator');
      expect((await gateway.get(`/conversations/${id}`)).status).toBe(200);
      expect((await gateway.get('/conversations')).status).toBe(200);
      expect((await gateway.get('/approvals?status=pending')).text).toContain(uuid);
      const decided = await approve(uuid);
      expect(decided.status, decided.text).toBeLessThan(300);
      expect((await gateway.get(`/approvals/${uuid}`)).body.approval).toMatchObject({ decision: 'approved' });
      expectNotNow(await gateway.post('/conversations', { message: 'hello' }));
      up('orchestrator');
      await completed(id);
      expect(runs(`degraded-${conversations}"`)).toBe(1);
    },
    testMs,
  );

  test(
    'the approvals: everything but decisions works',
    async () => {
      const { id, uuid } = await waiting();
      await down('approvals');
      const refused = await approve(uuid);
      expectNotNow(refused);
      expect(refused.text).toContain('the approvals service does not answer now');
      expect(refused.text).toContain('repeat the request with the same Idempotency-Key');
      expect((await gateway.get(`/conversations/${id}`)).status).toBe(200);
      expect((await gateway.get('/conversations')).status).toBe(200);
      expect((await gateway.get(`/approvals/${uuid}`)).status).toBe(200);
      expect((await gateway.get('/approvals?status=pending')).text).toContain(uuid);
      const other = await gateway.post('/conversations', { message: 'list all resources' });
      expect(other.body.conversation.run?.status).toBe('completed');
      up('approvals');
      await until('a decision', async () => ((await approve(uuid)).status < 300 ? true : undefined), waitMs);
      await completed(id);
      expect(runs(`degraded-${conversations}"`)).toBe(1);
    },
    testMs,
  );

  test(
    'the bridge: everything but calls of tools works, and they wait',
    async () => {
      const { id, uuid } = await waiting();
      await down('mcp-bridge');
      const decided = await approve(uuid);
      expect(decided.status, decided.text).toBeLessThan(300);
      const listed = await gateway.post(
        '/conversations',
        { message: 'list all resources starting with degraded' },
        { prefer: 'respond-async' },
      );
      expect(listed.status, listed.text).toBe(202);
      const asked = await waiting();
      for (const one of [id, listed.body.conversation.id, asked.id])
        expect((await gateway.get(`/conversations/${one}`)).body.conversation.run?.status).not.toMatch(
          /failed|completed/,
        );
      expect(runs(`degraded-${conversations - 1}"`)).toBe(0);
      up('mcp-bridge');
      await completed(id);
      const { messages } = await completed(listed.body.conversation.id);
      expect(messages.some(({ tool_call: call }) => call?.result !== undefined && call.is_error !== true)).toBe(true);
      expect(runs(`degraded-${conversations - 1}"`)).toBe(1);
    },
    testMs,
  );

  describe.each<[string, () => Promise<void> | void, () => void]>([
    ['the store', () => down('store'), () => up('store')],
    ['nats-server', () => down('nats'), () => up('nats')],
    ['the way to nats-server', () => cluster.nats.set('hang'), () => cluster.nats.set('open')],
  ])('%s', (_, strike, mend) => {
    test(
      'everybody is told to come back later, and nothing is lost',
      async () => {
        const { id, uuid } = await waiting();
        await strike();
        expectNotNow(await gateway.get(`/conversations/${id}`));
        expectNotNow(await gateway.post('/conversations', { message: 'hello' }));
        expectNotNow(await approve(uuid));
        mend();
        await until('a decision', async () => ((await approve(uuid)).status < 300 ? true : undefined), waitMs);
        await completed(id);
        expect(runs(`degraded-${conversations}"`)).toBe(1);
      },
      testMs,
    );
  });
});
