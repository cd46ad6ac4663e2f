import { afterEach, expect, test } from 'vitest';
import { type ChainedAgent, chained } from './chain.ts';
import { until } from './http.ts';

/** Questions of agents at the end of a chain, answered at its beginning: each agent is a process of its own. */
const agents: ChainedAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
});

async function agent(config: Readonly<Record<string, unknown>>): Promise<ChainedAgent> {
  const one = await chained(config, { asProcess: true });
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
  const zoe = { 'X-Approver': Buffer.from('Zoë').toString('latin1') };
  const done = await a.http.post(`/approvals/${approval?.uuid}`, { approved: true }, zoe);
  expect(done.body.result).toMatchObject({ response: 'All done.', waiting_approval: false });
  expect(c.journal.began('erase', 'x')).toBe(1);
  // Each agent records what the one above says of who decided, and where.
  const deciders = [a, b, c].map(
    async ({ http }) => JSON.parse((await http.get('/approvals')).text).approvals[0].decided_by,
  );
  expect(await Promise.all(deciders)).toEqual(['Zoë', 'Zoë via a', 'Zoë via a via b']);
  const results = done.body.conversation.messages.flatMap(({ tool_call: call }) => call?.result ?? []);
  expect(results).toEqual(['C has done it.']);
});

test('a node of a pipeline asks, too; a no goes down, and what the agent says of it comes up', async () => {
  const c = await worker();
  const node = { type: 'a2a', name: 'desk', url: c.url, output_key: 'said' };
  const a = await agent({
    name: 'a',
    agent: { type: 'sequential', agents: [node, { name: 'last', prompt: 'LAST: {said}' }] },
  });
  await c.model.script(erases('x'), { text: 'never' });
  await a.model.script({ prompt: 'LAST: Operation cancelled by user.', text: 'Too bad.' });
  await a.http.post('/conversations', { message: 'erase x' });
  const [approval] = await a.pending();
  expect(approval).toMatchObject({ kind: 'proxy', node: 'desk', remote_agent_name: 'desk' });
  const done = await a.http.post(`/approvals/${approval?.uuid}`, { approved: false });
  expect(done.body.result.response).toContain('Too bad.');
  expect(c.journal.began('erase', 'x')).toBe(0);
});

test('an agent asks twice, and twice at once: each is decided on its own, in any order', async () => {
  const c = await worker();
  const a = await asks('a', c);
  await a.model.script(delegates('a', 'erase all'), { text: 'All done.' });
  const both = ['x', 'y'].map((name) => ({ name: 'erase', args: { name } }));
  await c.model.script({ calls: both }, { calls: [{ name: 'erase', args: { name: 'z' } }] }, { text: 'All erased.' });
  const asked = await a.http.post('/conversations', { message: 'erase all' });
  const { id } = asked.body.conversation;
  const [x, y] = await a.pending(2);
  expect([x?.tool_args, y?.tool_args]).toEqual([{ name: 'x' }, { name: 'y' }]);
  const first = await a.http.post(`/approvals/${y?.uuid}`, { approved: true });
  expect(first.body.result.waiting_approval).toBe(true);
  expect([c.journal.began('erase', 'x'), c.journal.began('erase', 'y')]).toEqual([0, 1]);
  await a.http.post(`/approvals/${x?.uuid}`, { approved: false });
  const [z] = await a.pending();
  expect(z?.tool_args).toEqual({ name: 'z' });
  await a.http.post(`/approvals/${z?.uuid}`, { approved: true });
  const done = await a.over(id);
  expect(done.body.conversation.messages.at(-1)?.content).toBe('All done.');
  expect(['x', 'y', 'z'].map((name) => c.journal.began('erase', name))).toEqual([0, 1, 1]);
});

test('two branches wait, each for an agent of its own; both are decided at once', async () => {
  const [c, d] = [await worker(), await worker()];
  const branch = (name: string, to: ChainedAgent) => ({ type: 'a2a', name, url: to.url, prompt: `erase ${name}` });
  const a = await agent({ name: 'a', agent: { type: 'parallel', agents: [branch('left', c), branch('right', d)] } });
  await c.model.script(erases('left'), { text: 'Left is gone.' });
  await d.model.script(erases('right'), { text: 'Right is gone.' });
  const asked = await a.http.post('/conversations', { message: 'go' });
  const pending = await a.pending(2);
  await Promise.all(pending.map(({ uuid }) => a.http.post(`/approvals/${uuid}`, { approved: true })));
  const done = await a.over(asked.body.conversation.id);
  expect(done.text).toContain('Left is gone.');
  expect(done.text).toContain('Right is gone.');
  expect([c.journal.began('erase', 'left'), d.journal.began('erase', 'right')]).toEqual([1, 1]);
});

/** A waits for C's approval of erasing x. */
async function waiting() {
  const c = await worker();
  const b = await asks('b', c);
  const a = await asks('a', b);
  await a.model.script(delegates('a', 'erase x'), { text: 'All done.' });
  await b.model.script(delegates('b', 'erase x'), { text: 'B is done.' });
  await c.model.script(erases('x'), { text: 'Erased x.' });
  const asked = await a.http.post('/conversations', { message: 'erase x' });
  const { id } = asked.body.conversation;
  const [atA] = await a.pending();
  const [atB] = await b.pending();
  const [atC] = await c.pending();
  return { a, b, c, id, atA, atB, atC };
}

test('who is late is told what became of it: it was answered further down', async () => {
  const { a, b, c, id, atA, atB } = await waiting();
  await b.http.post(`/approvals/${atB?.uuid}`, { approved: true });
  const late = await a.http.post(`/approvals/${atA?.uuid}`, { approved: false });
  expect(late.status).toBe(409);
  expect(late.text).toMatch(/withdrawn.*does not ask this any more: it is completed/);
  const done = await a.over(id);
  expect(done.body.conversation.messages.at(-1)?.content).toBe('All done.');
  expect(c.journal.began('erase', 'x')).toBe(1);
});

test('what is answered further down is withdrawn here without anybody asking; one that is canceled there has failed', async () => {
  const first = await waiting();
  const { b, atB } = first;
  await b.http.post(`/conversations/${atB?.conversation_id}/cancel`, {});
  const done = await first.a.over(first.id);
  expect(done.text).toContain(': canceled","is_error":true');
  const { body } = await first.a.http.get(`/approvals/${first.atA?.uuid}`);
  expect(body.approval).toMatchObject({ status: 'withdrawn', decision_reason: expect.stringContaining('canceled') });
  await first.c.pending(0);
  expect(first.c.journal.began('erase', 'x')).toBe(0);
}, 60_000);

test('of three approvers at once one wins, and the tool runs once or never', async () => {
  const { a, b, c, id, atA, atB, atC } = await waiting();
  const answers = await Promise.all([
    a.http.post(`/approvals/${atA?.uuid}`, { approved: true }),
    b.http.post(`/approvals/${atB?.uuid}`, { approved: true }),
    c.http.post(`/approvals/${atC?.uuid}`, { approved: true }),
  ]);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const done = await a.over(id);
  expect(done.body.conversation.messages.at(-1)?.content).toBe('All done.');
  expect(c.journal.began('erase', 'x')).toBe(1);
}, 60_000);

test('a run that is canceled here is canceled all the way down', async () => {
  const { a, b, c, id } = await waiting();
  await a.http.post(`/conversations/${id}/cancel`, {});
  await b.pending(0);
  await c.pending(0);
  expect(c.journal.began('erase', 'x')).toBe(0);
}, 60_000);

test('everything is killed and started again while it waits, and goes on', async () => {
  const { a, b, c, id, atA } = await waiting();
  for (const one of [a, b, c]) await one.down('SIGKILL');
  for (const one of [c, b, a]) await one.up();
  await a.http.post(`/approvals/${atA?.uuid}`, { approved: true });
  const done = await a.over(id);
  expect(done.body.conversation.messages.at(-1)?.content).toBe('All done.');
  expect(c.journal.began('erase', 'x')).toBe(1);
}, 60_000);

test('a decision waits for an agent that is down, and goes on when it is back', async () => {
  const { a, b, c, id, atA } = await waiting();
  await b.down('SIGKILL');
  // Nobody said that the answer is not waited for: it comes long before the two minutes that a run is given.
  const taken = await a.http.post(`/approvals/${atA?.uuid}`, { approved: true });
  expect(taken.status).toBe(202);
  const told = { kind: 'agent', name: 'as-agent', text: expect.stringMatching(/out of reach since .*, next try at /) };
  expect(JSON.parse(taken.text).conversation.waiting_for).toMatchObject([told]);
  const { http } = a;
  await until('the wait is told', async () => {
    const { conversations } = JSON.parse((await http.get('/conversations')).text);
    return conversations[0].waiting_for?.[0]?.name === 'as-agent' || undefined;
  });
  await b.up();
  const done = await a.over(id);
  expect(done.body.conversation.messages.at(-1)?.content).toBe('All done.');
  expect(c.journal.began('erase', 'x')).toBe(1);
}, 60_000);
