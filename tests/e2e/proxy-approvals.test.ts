import { afterEach, expect, test } from 'vitest';
import { type ChainedAgent, chained } from './chain.ts';

/** Questions of agents at the end of a chain, answered at its beginning: each agent is a process of its own. */
const agents: ChainedAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
});

async function agent(config: Readonly<Record<string, unknown>>): Promise<ChainedAgent> {
  const one = await chained(config);
  agents.push(one);
  return one;
}

const worker = () => agent({ name: 'worker', prompt: 'WORKER, erase.' });
const asks = (name: string, to: ChainedAgent) =>
  agent({ name, prompt: `${name.toUpperCase()}, delegate.`, a2a: [{ name: `${name}s-agent`, url: to.url }] });
const delegates = (name: string, message: string) => ({
  match: message,
  calls: [{ name: `a2a_${name}s-agent`, args: { message } }],
});
const erases = (name: string) => ({ match: name, calls: [{ name: 'erase', args: { name } }] });

test('the question of the third agent is asked at the first, and its answer comes up', async () => {
  const c = await worker();
  const b = await asks('b', c);
  const a = await asks('a', b);
  await a.model.script(delegates('a', 'erase x'), { text: 'All done.' });
  await b.model.script(delegates('b', 'erase x'), { text: 'C has done it.' });
  await c.model.script(erases('x'), { text: 'Erased x.' });
  const asked = await a.http.post('/conversations', { message: 'erase x' });
  const [approval] = await a.pending();
  expect(asked.body.result).toMatchObject({ waiting_approval: true, approval: { uuid: approval?.uuid } });
  expect(approval).toMatchObject({
    kind: 'proxy',
    tool_name: 'erase',
    tool_args: { name: 'x' },
    remote_agent_name: 'as-agent',
    remote_task_id: expect.any(String),
    agents: ['as-agent', 'bs-agent'],
  });
  expect(approval?.description).toBe(
    '**PROXY APPROVAL — A2A Agent: as-agent**\n\nAgents: as-agent → bs-agent\n\n**ERASE**\n\nArgs: {\n  "name": "x"\n}',
  );
  expect(c.journal.began('erase', 'x')).toBe(0);
  const done = await a.http.post(`/approvals/${approval?.uuid}`, { approved: true });
  expect(done.body.result).toMatchObject({ response: 'All done.', waiting_approval: false });
  expect(c.journal.began('erase', 'x')).toBe(1);
  const results = done.body.conversation.messages.flatMap(({ tool_call: call }) => call?.result ?? []);
  expect(results).toEqual(['C has done it.']);
});
