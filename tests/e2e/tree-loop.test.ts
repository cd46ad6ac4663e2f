import { afterEach, describe, expect, test } from 'vitest';
import type { Message } from './http.ts';
import type { Step } from './model.ts';
import { follow } from './sse.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Loops, what runs in them unasked, and trees in trees. */
let tree: PlantedTree;

afterEach(() => tree.end());

const scout = { name: 'scout', prompt: 'SCOUT after {seen}.', output_key: 'seen' };
const maker = { name: 'maker', prompt: 'MAKER of {seen}.', can_exit_loop: true };
const exits: Step = { prompt: 'MAKER', calls: [{ name: 'exit_loop' }] };
const adds = (name: string): Step => ({
  prompt: 'MAKER',
  calls: [{ name: 'resources_add', args: { name, value: 1 } }],
});
const saysSeen = (text: string): Step => ({ prompt: 'SCOUT', text });

const callsOf = (messages: readonly Message[], name: string) =>
  messages.flatMap(({ tool_call: call }) => (call?.name === name && call.result === undefined ? [call] : []));

/** The names of the tools that a request offers, of any provider. */
const offers = (request: { readonly body: unknown } | undefined): boolean =>
  JSON.stringify(request?.body).includes('"Exit the current loop. Call this only when instructed to do so."');

describe('a loop', () => {
  test('runs until a node leaves it: its calls run unasked, on the record, and the last word is the answer', async () => {
    tree = await plant({ type: 'loop', max_iterations: 5, agents: [scout, maker] });
    await tree.model.script(saysSeen('none'), saysSeen('one'), saysSeen('two'));
    await tree.model.script(adds('a'), { prompt: 'MAKER', text: 'Made a.' }, adds('b'), { prompt: 'MAKER', text: '' });
    await tree.model.script({ ...exits, text: '' });
    const { body, status } = await tree.ask('make two');
    expect([status, body.result.waiting_approval]).toEqual([201, false]);
    expect(body.conversation.run?.status).toBe('completed');
    // The node that left said nothing, so what was said before it stands.
    expect(body.result.response).toBe('two');
    const calls = callsOf(body.conversation.messages, 'resources_add');
    expect(calls.map(({ auto_approved: auto }) => auto)).toEqual([true, true]);
    expect((await tree.asked('SCOUT')).map((request) => offers(request))).toEqual([false, false, false]);
    expect((await tree.asked('MAKER')).map((request) => offers(request))).toEqual(Array(5).fill(true));
    for (const seen of ['{seen}', 'none', 'one']) expect(await tree.asked(`SCOUT after ${seen}.`)).toHaveLength(1);
    expect(await tree.asked('MAKER of two.')).toHaveLength(1);
    const events = await follow(tree.platform.url, body.conversation.id);
    await events.next('the end', ({ type }) => type === 'run_completed');
    events.close();
    const decided = events.events.filter(({ type }) => type === 'approval_resolved');
    expect(decided).toHaveLength(2);
    for (const { data } of decided) expect(JSON.stringify(data)).toContain('inside parallel and loop it runs at once');
    const offered = (await tree.http.get('/tools')).body.tools.find(({ name }) => name === 'resources_add');
    expect(offered).toMatchObject({ destructiveHint: true });
    expect(offered?.approval).toBeUndefined();
    // Each of them is there, once.
    await tree.model.script(saysSeen('x'), exits);
    const list = await tree.ask('list all resources');
    expect(list.body.result.response).toBe('x');
  });

  test('ends when it has run as often as it may, ten times unless it says otherwise', async () => {
    tree = await plant({
      type: 'sequential',
      agents: [
        { name: 'short', type: 'loop', max_iterations: 3, agents: [{ ...scout, prompt: 'SHORT' }] },
        { name: 'long', type: 'loop', agents: [scout] },
      ],
    });
    const { body } = await tree.ask('look about');
    expect(body.conversation.run?.status).toBe('completed');
    expect(await tree.asked('SHORT')).toHaveLength(3);
    expect(await tree.asked('SCOUT')).toHaveLength(10);
    expect(body.result.response).not.toBe('');
  });

  test('that only leaves says so instead of nothing', async () => {
    tree = await plant({ type: 'loop', agents: [maker] });
    await tree.model.script(exits);
    const { body } = await tree.ask('leave');
    expect(body.result.response).toBe('The run ended without an answer.');
    expect(await tree.model.requests()).toHaveLength(1);
  });

  test('with approval: require pauses in each iteration, and each is answered alone, over a crash too', async () => {
    tree = await plant(
      { type: 'loop', max_iterations: 3, approval: 'require', agents: [scout, maker] },
      { asProcess: true },
    );
    const made: Step = { prompt: 'MAKER', text: 'Made it.' };
    await tree.model.script(saysSeen('first'), saysSeen('second'), saysSeen('third'));
    await tree.model.script(adds('one'), made, adds('two'), made, exits);
    const first = await tree.ask('make them');
    expect(first.body.conversation.pipeline_state).toMatchObject({
      paused_node_path: [1],
      session_state: { seen: 'first' },
      step_id: 'root[1]/1',
    });
    await tree.again('SIGKILL');
    const second = await tree.decide(first.body.result.approval?.uuid, true);
    expect(second.body.conversation.pipeline_state).toMatchObject({
      session_state: { seen: 'second' },
      step_id: 'root[2]/1',
    });
    expect(second.body.result.approval?.tool_args).toMatchObject({ name: 'two' });
    const third = await tree.decide(second.body.result.approval?.uuid, true);
    expect(third.body.result).toMatchObject({ waiting_approval: false });
    expect(third.body.result.response).toBe('third');
    expect(callsOf(third.body.conversation.messages, 'resources_add').map((call) => call.auto_approved)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a tree in a tree', () => {
  const pair = {
    name: 'pair',
    type: 'parallel',
    agents: [
      { name: 'left', prompt: 'LEFT of {draft}.', output_key: 'left' },
      { name: 'right', prompt: 'RIGHT of {draft}.', output_key: 'right' },
    ],
  };
  const judge = { name: 'judge', prompt: 'JUDGE {left} and {right}.', can_exit_loop: true, output_key: 'draft' };
  const nested = {
    type: 'loop',
    max_iterations: 4,
    agents: [{ name: 'round', type: 'sequential', agents: [pair, judge] }],
  };

  test('branches in a line in a loop pause, go on, and are left from within', async () => {
    tree = await plant({ ...nested, approval: 'require' });
    const erase = (side: string, name: string): Step => ({ prompt: side, calls: [{ name: 'erase', args: { name } }] });
    await tree.model.script(erase('LEFT of {draft}.', 'left-1'), erase('RIGHT of {draft}.', 'right-1'));
    const first = await tree.ask('go round');
    expect(first.body.conversation.pending_approvals).toHaveLength(2);
    expect(first.body.conversation.pipeline_states?.map((state) => state.step_id).sort()).toEqual([
      'root[1]/0/0/0',
      'root[1]/0/0/1',
    ]);
    await tree.model.script({ prompt: 'JUDGE', text: 'half good' });
    await tree.model.script(erase('LEFT of half good.', 'left-2'), { prompt: 'RIGHT of half good.', text: 'Enough.' });
    const [one, other] = first.body.conversation.pending_approvals;
    await tree.decide(other?.uuid, true);
    const second = await tree.decide(one?.uuid, true);
    expect(second.body.conversation.pending_approvals.map(({ tool_args: args }) => args)).toEqual([{ name: 'left-2' }]);
    expect(second.body.conversation.pipeline_state).toMatchObject({
      step_id: 'root[2]/0/0/0',
      session_state: {
        draft: 'half good',
        left: 'erase returned: erase left-1',
        right: 'Enough.',
      },
    });
    await tree.model.script({ prompt: 'JUDGE', calls: [{ name: 'exit_loop' }] });
    const done = await tree.decide(second.body.result.approval?.uuid, true);
    expect(done.body.conversation.run?.status).toBe('completed');
    expect(done.body.result.response).toBe('erase returned: erase left-2\nEnough.');
    expect(await tree.asked('JUDGE erase returned: erase left-1 and erase returned: erase right-1.')).toHaveLength(1);
    for (const name of ['left-1', 'right-1', 'left-2']) expect(tree.journal.began('erase', name), name).toBe(1);
  });

  test('asks for the tools of a server that wants it, and runs those of another', async () => {
    tree = await plant(pair, { ofServer: 'approval_tools: [erase]' });
    const tools = (await tree.http.get('/tools')).body.tools;
    expect(tools.flatMap(({ name, approval }) => (approval === undefined ? [] : [[name, approval]]))).toEqual([
      ['erase', 'require'],
    ]);
    await tree.model.script(
      { prompt: 'LEFT', calls: [{ name: 'erase', args: { name: 'asked-for' } }] },
      { prompt: 'RIGHT', calls: [{ name: 'resources_add', args: { name: 'at-once', value: 1 } }] },
    );
    const { body } = await tree.ask('do both');
    expect(body.conversation.pending_approvals.map(({ tool_name: name }) => name)).toEqual(['erase']);
    expect(body.conversation.pipeline_state).toMatchObject({ node: 'left', paused_node_path: [0] });
    const [added] = callsOf(body.conversation.messages, 'resources_add');
    expect(added?.auto_approved).toBe(true);
    const done = await tree.decide(body.result.approval?.uuid, true);
    expect(done.body.result.response).toMatch(/^erase returned: erase asked-for\nresources_add: added "at-once"/);
  });
});
