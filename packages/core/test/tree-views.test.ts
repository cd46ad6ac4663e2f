import { byteLength, saidByNode, waitingText } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { pipelineStateBytesMax } from '../src/text/bounds.ts';
import { Rows } from './rows.ts';
import { given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answered,
  approved,
  call,
  canceled,
  delegates,
  drove,
  llm,
  opened,
  peer,
  rejected,
  replies,
  returns,
  said,
  starts,
  takesOver,
} from './story.ts';

const asking = (name: string) => llm({ name, approval: 'require', outputKey: `of_${name}` });
const agent = agentOf({
  type: 'sequential',
  name: 'pipe',
  children: [
    llm({ name: 'first', outputKey: 'analysis' }),
    {
      type: 'loop',
      name: 'again',
      iterationsMax: 2,
      children: [{ type: 'parallel', name: 'both', onError: 'continue', children: [asking('a'), asking('b')] }],
    },
    llm({ name: 'last' }),
  ],
});
const taker = { agent, me: { instance: 'orchestrator-2', epoch: 0 } };
const rowsOf = (...happenings: readonly Happening[]): Rows => {
  const rows = new Rows();
  rows.add(given(...happenings).log);
  return rows;
};
const a = 'root/1[1]/0/0';
const b = 'root/1[1]/0/1';
const waiting = [
  opened,
  said('do it all', { agent }),
  answered({ text: 'Analysed.', step: 'root/0' }, { agent }),
  answered({ calls: [call('add')], step: b }, { agent }),
  answered({ text: 'Then two.', calls: [call('add'), call('remove')], step: a }, { agent }),
];

describe('where a tree waits', () => {
  test('is each node that does, the oldest first, with what was written and what the user said', () => {
    const { head, approvals } = rowsOf(...waiting);
    const [ofB = '', ...ofA] = head?.pendingApprovalIds ?? [];
    expect(head?.pipeline).toMatchObject({
      paused: [
        { path: [1, 0, 1], node: 'b', outputKey: 'of_b', stepId: b, approvalIds: [ofB] },
        { path: [1, 0, 0], node: 'a', outputKey: 'of_a', stepId: a, approvalIds: ofA },
      ],
      sessionState: [{ key: 'analysis', text: 'Analysed.' }],
      userMessage: 'do it all',
    });
    expect(approvals.get(ofB)).toMatchObject({ node: 'b' });
  });

  test('changes with every decision, and is gone when nothing waits and when the run has settled', () => {
    const nodes = (...more: readonly Happening[]) =>
      rowsOf(...waiting, ...more).head?.pipeline?.paused.map((one) => [one.node, one.approvalIds.length]);
    expect(nodes(approved(`${b}#1.0`))).toEqual([['a', 2]]);
    expect(nodes(approved(`${a}#1.0`))).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
    expect(nodes(canceled)).toBeUndefined();
    expect(nodes(approved(), approved(), approved())).toBeUndefined();
    expect(nodes(rejected(`${b}#1.0`), drove(takesOver('orchestrator-2'), taker))).toBeUndefined();
  });

  test('is never shown of an agent that is one node', () => {
    expect(rowsOf(opened, said('add'), answered({ calls: [call('add')] })).head?.pipeline).toBeUndefined();
  });

  test('shows long texts cut, and many keys in their share of a bounded whole', () => {
    const children = Array.from({ length: 40 }, (_, index) => llm({ name: `n${index}`, outputKey: `k${index}` }));
    const wide = agentOf({ type: 'sequential', name: 'pipe', children: [...children, llm({ name: 'last' })] });
    const texts = children.map((_, index) =>
      answered({ text: 'x'.repeat(20_000), step: `root/${index}` }, { agent: wide }),
    );
    const last = answered({ calls: [call('add')], step: 'root/40' }, { agent: wide });
    const pipeline = rowsOf(opened, said('y'.repeat(20_000), { agent: wide }), ...texts, last).head?.pipeline;
    const shown = pipeline?.sessionState.map((one) => one.text) ?? [];
    expect([shown.length, shown.every((text) => text.includes('[cut: 20000 bytes'))]).toEqual([40, true]);
    expect(byteLength(shown.join(''))).toBeLessThanOrEqual(pipelineStateBytesMax);
    expect(pipeline?.userMessage).toContain('[cut: 20000 bytes');
  });
});

test('every message of a node has its name; what the user and the run say has none', () => {
  const loop = agentOf({
    type: 'loop',
    name: 'again',
    iterationsMax: 2,
    children: [llm({ name: 'writer', canExitLoop: true })],
  });
  const { messages } = rowsOf(
    opened,
    said('go', { agent: loop }),
    answered({ text: 'Look.', calls: [call('list'), call('drop')], step: 'root[1]/0' }, { agent: loop }),
    drove([returns('root[1]/0#1.0', 'three')], { agent: loop }),
    answered({ calls: [call('exit_loop')], step: 'root[1]/0' }, { agent: loop }),
  );
  expect(messages.map((one) => [one.role, one.node, one.content || one.toolCall?.name])).toEqual([
    ['user', '', 'go'],
    ['assistant', 'writer', 'Look.'],
    ['assistant', 'writer', 'list'],
    ['assistant', 'writer', 'drop'],
    ['tool', 'writer', 'drop'],
    ['tool', 'writer', 'add'],
    ['assistant', 'writer', 'exit_loop'],
    ['assistant', 'writer', 'exit_loop called'],
  ]);
});

test('what an agent answers to a node is a message of that node, after the result; what it answers to a model is a result only', () => {
  const line = agentOf({
    type: 'sequential',
    name: 'line',
    children: [a2a({ name: 'ask' }), llm({ name: 'writer', agents: [peer] })],
  });
  const inLine = { agent: line };
  const { messages, head } = rowsOf(
    opened,
    said('go', inLine),
    drove([delegates('root/0')], inLine),
    drove([starts('root/0#1.0')], inLine),
    drove([replies('root/0#1.0', 'Baked.')], inLine),
    answered({ calls: [call('a2a_peer', { message: 'x' })], step: 'root/1' }, inLine),
    drove([starts('root/1#1.0')], inLine),
    drove([replies('root/1#1.0', 'Sold.')], inLine),
  );
  expect(messages.slice(1).map((one) => [one.role, one.node, one.content || one.toolCall?.result])).toEqual([
    ['assistant', 'ask', ''],
    ['tool', 'ask', 'Baked.'],
    ['assistant', 'ask', 'Baked.'],
    ['assistant', 'writer', ''],
    ['tool', 'writer', 'Sold.'],
  ]);
  expect(new Set(messages.map((one) => one.id)).size).toBe(messages.length);
  expect(messages.map((one) => one.sequence)).toEqual(messages.map((_, index) => index + 1));
  expect(head?.messageCount).toBe(messages.length);
});

test('a node that fails says so where the tree goes on without it', () => {
  const going = agentOf({
    type: 'parallel',
    name: 'both',
    onError: 'continue',
    children: [llm({ name: 'a' }), llm({ name: 'b' })],
  });
  const failed = {
    type: 'modelFailed',
    stepId: 'root/0',
    turn: 1,
    model: 'm',
    message: 'no quota',
    text: 'LLM error: no quota',
  } as const;
  const { messages } = rowsOf(opened, said('go', { agent: going }), drove([failed], { agent: going }));
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', node: 'a', content: 'LLM error: no quota' });
});

test('a call in doubt waits in its node like any other', () => {
  const story = [
    opened,
    said('go', { agent }),
    answered({ calls: [call('note')], step: 'root/0' }, { agent }),
    drove([starts('root/0#1.0')], { agent }),
    drove([{ type: 'callUnknown', callId: 'root/0#1.0', attempt: 1, reason: 'it died', argumentsJson: '{}' }], {
      agent,
    }),
  ];
  expect(rowsOf(...story).head?.pipeline?.paused).toMatchObject([{ path: [0], node: 'first', outputKey: 'analysis' }]);
});

test('a client is told what waits: of an agent that is one node and of a tree in the words that are known for each', () => {
  const pending = { id: 'u-1', description: '**ADD**', choices: ['approve', 'reject'] };
  expect(waitingText([pending])).toBe(
    'This action requires approval:\n\n**ADD**\n\nPlease approve or reject using the approval UUID: u-1',
  );
  expect(waitingText([{ ...pending, node: 'a' }])).toBe(
    'This action requires approval:\n\n**ADD**\n\nApproval UUID: u-1',
  );
  expect([saidByNode('a', 'Hi.'), saidByNode('', 'Hi.'), saidByNode('a', '')]).toEqual(['[a] Hi.', 'Hi.', '']);
});
