import { afterEach, expect, test, vi } from 'vitest';
import { type ChainedAgent, chained } from './chain.ts';
import { hasNatsServer } from './nats-server.ts';
import { patienceMs } from './topology.ts';

/** An agent calls back when its task changes: whichever process of the other one hears it, and whoever started that. */
const agents: ChainedAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
});

async function agent(...given: Parameters<typeof chained>): Promise<ChainedAgent> {
  const one = await chained(...given);
  agents.push(one);
  return one;
}

test.skipIf(!hasNatsServer)(
  'each service of it is a process, and there are two that drive: both know the token',
  {
    timeout: 120_000,
  },
  async () => {
    const b = await agent({ name: 'b', prompt: 'B, erase.', push: { allow_private: true } });
    const a = await agent(
      (address) => ({ name: 'a', public_url: address, agent: { type: 'a2a', name: 'b', url: b.url } }),
      { command: 'services', args: ['--replicas', 'orchestrator=2'] },
    );
    const erases = (name: string) => ({ match: name, calls: [{ name: 'erase', args: { name } }] });
    await b.model.script(erases('x'), erases('y'), erases('z'));
    const begun = ['x', 'y', 'z'].map((name) => a.http.post('/conversations', { message: `erase ${name}` }));
    const ids = (await Promise.all(begun)).map(({ body }) => body.conversation.id);
    for (const { remote_task_id: taskId } of await a.pending(3)) {
      const configs = async () => (await b.http.get(`/conversations/${String(taskId)}/push`)).body.configs ?? [];
      await vi.waitFor(async () => expect(await configs()).toHaveLength(1), patienceMs);
      await b.http.post(`/conversations/${String(taskId)}/cancel`, {});
      // It was told, and has taken it.
      await vi.waitFor(
        async () => expect(await configs()).toMatchObject([{ status: 'ok', deliveries: 1 }]),
        patienceMs,
      );
    }
    for (const id of ids) expect((await a.over(id)).text).toContain(': canceled');
  },
);
