import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Approval } from './http.ts';
import { until } from './http.ts';
import type { Step } from './model.ts';
import { follow, type SentEvent } from './sse.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Branches that run at the same time and wait for approvals together. */
const names = ['red', 'green', 'blue'];
const branches = names.map((name) => ({ name, prompt: `You are ${name.toUpperCase()}.`, output_key: name }));
const last = { name: 'last', prompt: 'You are LAST: {red} {green} {blue}' };
const sideBySide = { name: 'sides', type: 'parallel', approval: 'require', agents: branches };
const whole = { type: 'sequential', agents: [sideBySide, last] };

let tree: PlantedTree;

const promptOf = (name: string) => `You are ${name.toUpperCase()}.`;
const erases = (story: string, name: string): Step => ({
  match: story,
  prompt: promptOf(name),
  calls: [{ name: 'erase', args: { name: `${story}-${name}` } }],
});

/** Has each branch ask for an approval; gives them by branch. */
async function allWait(story: string): Promise<{ readonly id: string; readonly of: Map<string, Approval> }> {
  await tree.model.script(...names.map((name) => erases(story, name)));
  const { body } = await tree.ask(`story ${story}`);
  expect(body.result.waiting_approval).toBe(true);
  const of = new Map(body.conversation.pending_approvals.map((one) => [branchOf(story, one), one]));
  expect([...of.keys()].sort()).toEqual([...names].sort());
  return { id: body.conversation.id, of };
}

const branchOf = (story: string, { tool_args: args }: Approval): string => String(args.name).replace(`${story}-`, '');

const answerOf = (story: string): string => names.map((name) => `erase returned: erase ${story}-${name}`).join('\n');

/** Each was run once, and no model was asked twice for the same. */
async function eachOnce(story: string): Promise<void> {
  for (const name of names) expect(tree.journal.began('erase', `${story}-${name}`), name).toBe(1);
  const about = (await tree.model.requests()).filter(({ body }) => JSON.stringify(body).includes(`story ${story}`));
  expect(about).toHaveLength(2 * names.length + 1);
}

function orders<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => orders(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

describe('three branches that each ask', () => {
  beforeAll(async () => {
    tree = await plant(whole, { asProcess: true });
  });

  afterAll(() => tree.end());

  test('are all shown together: the approvals, and where each of them waits', async () => {
    const { id, of } = await allWait('shown');
    const { conversation } = (await tree.http.get(`/conversations/${id}`)).body;
    expect(conversation.status).toBe('waiting_approval');
    const states = conversation.pipeline_states ?? [];
    expect(states[0]).toEqual(conversation.pipeline_state);
    expect(states[0]?.approvals).toEqual([conversation.pending_approval?.uuid]);
    expect([...states].sort((one, other) => one.step_id.localeCompare(other.step_id))).toEqual(
      names.map((name, index) => ({
        paused_node_path: [0, index],
        paused_node_output_key: name,
        session_state: {},
        user_message: 'story shown',
        node: name,
        step_id: `root/0/${index}`,
        approvals: [of.get(name)?.uuid],
      })),
    );
    const listed = await tree.http.get('/approvals');
    for (const { uuid } of of.values()) expect(listed.text).toContain(uuid);
    const refused = await tree.http.post(`/conversations/${id}/messages`, { message: 'and now?' });
    expect(refused.body.result.approvals).toHaveLength(3);
    expect(refused.body.result.response).toBe(
      'Conversation is waiting for approval. Please respond to the pending approval first.',
    );
    expect((await tree.http.post(`/conversations/${id}/cancel`)).status).toBe(200);
  });

  test.each(orders(names).map((order) => [order.join(', '), order]))('answered in the order %s', async (_, order) => {
    const story = `order-${order.join('-')}`;
    const { id, of } = await allWait(story);
    await tree.model.script({ match: story, prompt: 'You are LAST', text: `All of ${story} is done.` });
    for (const [index, name] of order.entries()) {
      const { status, body } = await tree.decide(of.get(name)?.uuid, true);
      expect([200, 202]).toContain(status);
      await until(`${name} ran`, async () => (tree.journal.began('erase', `${story}-${name}`) > 0 ? true : undefined));
      for (const later of order.slice(index + 1)) expect(tree.journal.began('erase', `${story}-${later}`)).toBe(0);
      const open = new Set(body.conversation.pending_approvals.map((one) => branchOf(story, one)));
      expect([...open].sort()).toEqual(order.slice(index + 1).sort());
    }
    const { conversation } = (await tree.settled(id)).body;
    expect(conversation.run?.status).toBe('completed');
    expect(conversation.messages.at(-1)?.content).toContain(`All of ${story} is done.`);
    // What the branches came to is handed on by name, whichever was first.
    const told = answerOf(story).replaceAll('\n', ' ');
    expect(await tree.asked(`You are LAST: ${told}`)).toHaveLength(1);
    await eachOnce(story);
  });

  test('answered at the same moment, each several times over: each call runs once, and one decision of each wins', async () => {
    const { id, of } = await allWait('at-once');
    const sent = [...of.values()].flatMap(({ uuid }) => Array.from({ length: 4 }, () => tree.decide(uuid, true)));
    const answers = await Promise.all(sent);
    const won = answers.filter(({ status }) => status === 200 || status === 202);
    expect(won).toHaveLength(names.length);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(answers.length - won.length);
    const { conversation } = (await tree.settled(id)).body;
    expect(conversation.run?.status).toBe('completed');
    expect(conversation.pending_approvals).toEqual([]);
    await eachOnce('at-once');
  });

  test('do not hold each other up: one is answered and at work while another is asked for, and a third runs', async () => {
    const story = 'meanwhile';
    const hold = { match: story, prompt: promptOf('blue'), calls: [{ name: 'hold', args: { name: story } }] };
    // On another server: one with a command makes one call at a time.
    const add = { name: 'resources_add', args: { name: story, value: 1 } };
    await tree.model.script(hold, { match: story, prompt: promptOf('red'), calls: [add] });
    await tree.model.script({ match: story, prompt: promptOf('green'), text: 'Green is done.' });
    const created = await tree.ask(`story ${story}`, { prefer: 'respond-async' });
    const { id } = created.body.conversation;
    await tree.journal.running('hold', story);
    const waiting = await until('red asks', async () => {
      const { conversation } = (await tree.http.get(`/conversations/${id}`)).body;
      return conversation.pending_approvals.length > 0 ? conversation : undefined;
    });
    const events = await follow(tree.platform.url, id);
    const decided = tree.decide(waiting.pending_approval?.uuid, true);
    const finished = (node: string) => (event: SentEvent) =>
      event.type === 'step_finished' && JSON.stringify(event.data).includes(`"root/0/${names.indexOf(node)}"`);
    await events.next('green has finished', finished('green'));
    await events.next('red has finished', finished('red'));
    expect(events.events.find(finished('blue'))).toBeUndefined();
    events.close();
    tree.journal.letGo(story);
    expect([200, 202]).toContain((await decided).status);
    const { conversation } = (await tree.settled(id)).body;
    expect(conversation.run?.status).toBe('completed');
    expect(conversation.messages.map(({ content }) => content)).toContain('[green] Green is done.');
  });

  test('are rejected as one: what waits is withdrawn, nothing else starts, what runs is awaited and on the record', async () => {
    const story = 'rejected';
    const hold = { match: story, prompt: promptOf('blue'), calls: [{ name: 'hold', args: { name: story } }] };
    await tree.model.script(erases(story, 'red'), erases(story, 'green'), hold);
    const { id } = (await tree.ask(`story ${story}`, { prefer: 'respond-async' })).body.conversation;
    await tree.journal.running('hold', story);
    const waiting = await until('both ask', async () => {
      const { conversation } = (await tree.http.get(`/conversations/${id}`)).body;
      return conversation.pending_approvals.length === 2 ? conversation : undefined;
    });
    const of = new Map(waiting.pending_approvals.map((one) => [branchOf(story, one), one]));
    const events = await follow(tree.platform.url, id);
    const rejected = tree.decide(of.get('red')?.uuid, false);
    const withdrawn = await events.next(
      'the withdrawal',
      ({ type, data }) => type === 'approval_resolved' && JSON.stringify(data).includes(of.get('green')?.uuid ?? ''),
    );
    expect(JSON.stringify(withdrawn.data).toLowerCase()).toContain('withdrawn');
    const late = await tree.decide(of.get('green')?.uuid, true);
    expect([late.status, late.body.decision]).toEqual([409, 'withdrawn']);
    expect(events.events.map(({ type }) => type)).not.toContain('run_completed');
    tree.journal.letGo(story);
    const finished = await events.next('the call', ({ type }) => type === 'tool_call_finished');
    const end = await events.next('the end', ({ type }) => type === 'run_completed');
    expect(Number(finished.id)).toBeLessThan(Number(end.id));
    events.close();
    expect([200, 202]).toContain((await rejected).status);
    const { conversation } = (await tree.settled(id)).body;
    expect(conversation.status).toBe('active');
    expect(conversation.messages.at(-1)?.content).toBe('Operation cancelled by user.');
    expect(conversation.messages.find(({ tool_call: call }) => call?.result !== undefined)?.tool_call?.result).toBe(
      `let ${story} go`,
    );
    expect(tree.journal.text()).not.toContain(`${story}-`);
    const toLast = await tree.asked('You are LAST');
    expect(toLast.filter(({ body }) => JSON.stringify(body).includes(story))).toEqual([]);
  });

  test('are canceled as one: every approval is withdrawn, and nothing runs', async () => {
    const { id, of } = await allWait('canceled');
    const canceled = await tree.http.post(`/conversations/${id}/cancel`, { reason: 'no need' });
    expect(canceled.body.conversation).toMatchObject({ status: 'active', run: { status: 'canceled' } });
    expect(canceled.body.conversation.pending_approvals).toEqual([]);
    expect(canceled.body.conversation.pipeline_state).toBeUndefined();
    for (const { uuid } of of.values()) {
      const late = await tree.decide(uuid, true);
      expect([late.status, late.body.decision]).toEqual([409, 'withdrawn']);
    }
    expect(tree.journal.text()).not.toContain('canceled-');
  });

  test('survive a crash while they wait, and another one between the answers', async () => {
    const { id, of } = await allWait('crashed');
    await tree.again('SIGKILL');
    await tree.decide(of.get('blue')?.uuid, true);
    await tree.again('SIGKILL');
    const { conversation } = (await tree.settled(id)).body;
    const open = conversation.pending_approvals.map((one) => branchOf('crashed', one));
    expect(open.sort()).toEqual(['green', 'red']);
    await Promise.all(['green', 'red'].map((name) => tree.decide(of.get(name)?.uuid, true)));
    expect((await tree.settled(id)).body.conversation.run?.status).toBe('completed');
    const told = answerOf('crashed').replaceAll('\n', ' ');
    expect(await tree.asked(`You are LAST: ${told}`)).toHaveLength(1);
    for (const name of names) expect(tree.journal.began('erase', `crashed-${name}`), name).toBe(1);
  });
});

describe('a branch', () => {
  afterEach(() => tree.end());

  const failing = (story: string) => [
    { match: story, prompt: promptOf('red'), text: 'Red is done.' },
    { match: story, prompt: promptOf('green'), error: { status: 400, message: 'out of order' } },
    erases(story, 'blue'),
  ];

  /** Blue is answered only after green has failed. */
  async function goOn(story: string): Promise<Answer> {
    await tree.model.script(...failing(story));
    const { body } = await tree.ask(`story ${story}`);
    expect(body.result.waiting_approval).toBe(true);
    return tree.decide(body.result.approval?.uuid, true);
  }

  test('that fails makes the run fail, after the others have settled, and what they said is kept', async () => {
    tree = await plant(whole);
    const { body } = await goOn('failing');
    expect(body.result.response).toMatch(/^Pipeline error: LLM error: .*out of order/);
    expect(body.conversation.run?.status).toBe('failed');
    expect(tree.journal.began('erase', 'failing-blue')).toBe(1);
    const said = body.conversation.messages.map(({ content }) => content);
    expect(said).toEqual(expect.arrayContaining(['[red] Red is done.', '[blue] erase returned: erase failing-blue']));
    expect(await tree.asked('You are LAST')).toEqual([]);
  });

  test('that fails is passed over with on_error: continue, and its place in the answer says why', async () => {
    tree = await plant({ ...sideBySide, on_error: 'continue' });
    const { body } = await goOn('passed-over');
    expect(body.conversation.run?.status).toBe('completed');
    expect(body.result.response).toMatch(
      /^Red is done\.\n.*LLM error: .*out of order.*\nerase returned: erase passed-over-blue$/s,
    );
  });

  test('whose call is rejected is told so with on_reject: continue, and the others are not disturbed', async () => {
    tree = await plant({ ...sideBySide, on_reject: 'continue' });
    const { of } = await allWait('told');
    await tree.model.script({ match: 'told', prompt: promptOf('green'), text: 'Green lets it be.' });
    await tree.decide(of.get('green')?.uuid, false);
    await tree.decide(of.get('blue')?.uuid, true);
    const { body } = await tree.decide(of.get('red')?.uuid, true);
    expect(body.result.response).toBe(
      'erase returned: erase told-red\nGreen lets it be.\nerase returned: erase told-blue',
    );
    expect(tree.journal.began('erase', 'told-green')).toBe(0);
  });
});
