import { type AgentNode, canceledByUser, pendingApprovals, runStanding } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { given, type Happening } from './specification.ts';
import {
  agentOf,
  answered,
  answers,
  approved,
  bridge,
  call,
  drives,
  drove,
  llm,
  opened,
  rejected,
  returns,
  said,
  starts,
  takesOver,
  tool,
} from './story.ts';

const { Disposition, Decision } = facts;
const sequential = (...children: readonly AgentNode[]) => ({ type: 'sequential', name: 'pipe', children }) as const;
const parallel = (...children: readonly AgentNode[]) =>
  ({ type: 'parallel', name: 'both', onError: 'fail', children }) as const;
const asking = (more = {}) => llm({ approval: 'require', ...more });
const taker = { me: { instance: 'orchestrator-2', epoch: 0 } };

describe('a destructive call', () => {
  const adds = { calls: [call('add')] };

  test.each<[string, AgentNode, string, facts.Disposition]>([
    ['in a sequence waits', sequential(llm()), 'root/0', Disposition.GATED],
    ['in parallel branches runs at once', parallel(llm()), 'root/0', Disposition.AUTO_APPROVED],
    [
      'in a sequence inside parallel branches runs at once',
      parallel(sequential(llm())),
      'root/0/0',
      Disposition.AUTO_APPROVED,
    ],
    ['of a node that wants to be asked waits anywhere', parallel(sequential(asking())), 'root/0/0', Disposition.GATED],
  ])('%s', (_, root, step, disposition) => {
    const agent = agentOf(root);
    const { log } = given(opened, said('go', { agent }), answered({ ...adds, step }, { agent }));
    const answer = log.find(({ fact }) => fact.case === 'modelResponded')?.fact;
    expect(answer?.value).toMatchObject({ calls: [{ disposition }], node: 'assistant' });
  });

  test('of a server that wants to be asked waits inside parallel branches too', () => {
    const tools = new Map([['list', tool('list', { readOnly: true }, { approvalRequired: true })]]);
    const agent = agentOf(parallel(llm()));
    given(opened, said('go', { agent }))
      .when(answers({ calls: [call('list')], step: 'root/0' }, { agent, tools }))
      .thenFacts(
        ['modelResponded', { calls: [{ disposition: Disposition.GATED }] }],
        'approvalRequested',
        'runReleased',
      );
  });
});

describe('branches that wait', () => {
  const agent = agentOf(parallel(asking({ name: 'a' }), asking({ name: 'b' }), llm({ name: 'c' })));
  const waiting = [
    opened,
    said('go', { agent }),
    answered({ calls: [call('add')], step: 'root/0' }, { agent }),
    answered({ calls: [call('remove')], step: 'root/1' }, { agent }),
  ];

  test('leave the others to go on: the run is working, with all that waits on show', () => {
    const { state } = given(...waiting);
    expect([runStanding(state), pendingApprovals(state.run).length]).toEqual(['working', 2]);
    given(...waiting)
      .when(answers({ calls: [call('note')], step: 'root/2' }, { agent }))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'call', id: 'root/2#1.0' });
  });

  test('and nothing else: the run waits, and belongs to nobody', () => {
    const { state } = given(...waiting, answered({ text: 'C.', step: 'root/2' }, { agent }));
    expect([runStanding(state), state.run?.owner]).toEqual(['waiting', null]);
  });

  test('go on one by one, the last asked first', () => {
    const { state } = given(
      ...waiting,
      answered({ text: 'C.', step: 'root/2' }, { agent }),
      approved('root/1#1.0'),
      drove([...takesOver(), starts('root/1#1.0')], { agent, ...taker }),
      drove([returns('root/1#1.0')], { agent }),
      answered({ text: 'B.', step: 'root/1' }, { agent }),
    );
    expect([runStanding(state), pendingApprovals(state.run).length]).toEqual(['waiting', 1]);
    expect(Object.keys(state.run?.steps ?? {})).toEqual(['root', 'root/0', 'root/1', 'root/2']);
  });
});

describe('a rejection', () => {
  const agent = agentOf(parallel(asking({ name: 'a' }), asking({ name: 'b' }), asking({ name: 'c' })));
  const story = (...more: readonly Happening[]) =>
    given(
      opened,
      said('go', { agent }),
      answered({ calls: [call('add')], step: 'root/0' }, { agent }),
      answered({ calls: [call('add')], step: 'root/1' }, { agent }),
      answered({ calls: [call('remove')], step: 'root/2' }, { agent }),
      ...more,
    );

  test('keeps a call that is approved and not started from running', () => {
    story(approved('root/1#1.0'), rejected('root/0#1.0'))
      .when(drives(takesOver(), { agent, ...taker }))
      .thenFacts(
        'runClaimed',
        ['approvalResolved', { callId: 'root/2#1.0', decision: Decision.WITHDRAWN }],
        ['runCompleted', { output: { parts: [{ text: canceledByUser }] } }],
      )
      .thenOwes();
  });

  test('keeps it from running too if its start was asked for before anybody knew', () => {
    story(approved('root/1#1.0'), rejected('root/0#1.0'))
      .when(drives([...takesOver(), starts('root/1#1.0')], { agent, ...taker }))
      .thenFacts(
        'runClaimed',
        ['approvalResolved', { callId: 'root/2#1.0', decision: Decision.WITHDRAWN }],
        ['runCompleted', { output: { parts: [{ text: canceledByUser }] } }],
      )
      .thenOwes();
  });

  test('waits for a call that has started, and records it; meanwhile the run is working, and starts nothing', () => {
    const claimed = drove([...takesOver(), starts('root/1#1.0')], { agent, ...taker });
    const rejecting = story(approved('root/1#1.0'), claimed, rejected('root/0#1.0'), drove([], { agent }));
    expect([runStanding(rejecting.state), pendingApprovals(rejecting.state.run)]).toEqual(['working', []]);
    rejecting
      .when(drives([starts('root/2#1.0')], { agent }))
      .thenNothing()
      .thenOwes({ kind: 'recover', id: 'root/1#1.0', bridge });
    rejecting
      .when(drives([returns('root/1#1.0')], { agent }))
      .thenFacts('toolCallFinished', ['runCompleted', { output: { parts: [{ text: canceledByUser }] } }]);
  });

  test('takes what a model still answers, and starts nothing of it', () => {
    const late = agentOf(parallel(asking(), llm(), llm()));
    const begun = [
      opened,
      said('go', { agent: late }),
      answered({ calls: [call('add')], step: 'root/0' }, { agent: late }),
      answered({ calls: [call('note')], step: 'root/1' }, { agent: late }),
      drove([starts('root/1#1.0')], { agent: late }),
      rejected('root/0#1.0'),
    ];
    given(...begun)
      .when(answers({ calls: [call('list'), call('add')], step: 'root/2' }, { agent: late }))
      .thenFacts('modelResponded', 'approvalRequested', 'approvalResolved')
      .thenOwes({ kind: 'recover', id: 'root/1#1.0' });
  });

  test('is told to the model of a node that goes on, and the others are left alone', () => {
    const going = agentOf(parallel(asking({ name: 'a', onReject: 'continue' }), asking({ name: 'b' })));
    given(
      opened,
      said('go', { agent: going }),
      answered({ calls: [call('add')], step: 'root/0' }, { agent: going }),
      answered({ calls: [call('add')], step: 'root/1' }, { agent: going }),
      rejected('root/0#1.0'),
    )
      .when(drives(takesOver(), { agent: going, ...taker }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'model', id: 'root/0#2' });
  });

  test('keeps later nodes of a sequence from their turn', () => {
    const pipe = agentOf(sequential(llm({ outputKey: 'a' }), llm(), llm()));
    const { log, state } = given(
      opened,
      said('go', { agent: pipe }),
      answered({ text: 'A.', step: 'root/0' }, { agent: pipe }),
      answered({ calls: [call('add')], step: 'root/1' }, { agent: pipe }),
      rejected(),
      drove(takesOver(), { agent: pipe, ...taker }),
    );
    expect(state.run).toMatchObject({ status: 'completed', output: [{ text: canceledByUser }] });
    expect(log.flatMap(({ fact }) => (fact.case === 'stepStarted' ? [fact.value.stepId] : []))).toEqual([
      'root',
      'root/0',
      'root/1',
    ]);
  });
});
