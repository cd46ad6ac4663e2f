import { canceledByUser } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, test } from 'vitest';
import { given } from './specification.ts';
import {
  agentOf,
  answered,
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
  unknown,
} from './story.ts';

const { Decision } = facts;
const asked = [opened, said('do it')];
const another = { me: { instance: 'orchestrator-2', epoch: 0 } };

describe('rejections', () => {
  test('of every gated call of an answer end the run with the known words', () => {
    given(...asked, answered({ calls: [call('add'), call('remove')] }), rejected('root#1.0'), rejected('root#1.1'))
      .when(drives(takesOver('orchestrator-2'), another))
      .thenFacts('runClaimed', ['runCompleted', { output: { parts: [{ text: canceledByUser }] } }]);
  });

  test('of some leave the other pending, and the run waits: whoever would claim it finds nothing to do', () => {
    given(...asked, answered({ calls: [call('add'), call('remove')] }), rejected('root#1.0'))
      .when(drives(takesOver('orchestrator-2'), another))
      .thenNothing()
      .thenOwes();
  });

  test('of some hand the results to the model once the others have run', () => {
    const settled = [
      answered({ calls: [call('add'), call('remove')] }),
      rejected('root#1.0'),
      approved('root#1.1'),
      drove([...takesOver('orchestrator-2'), starts('root#1.1')], another),
    ];
    given(...asked, ...settled)
      .when(drives([returns('root#1.1')]))
      .thenFacts('toolCallFinished')
      .thenOwes({ kind: 'model', id: 'root#2' });
  });

  test('in one branch withdraw what other branches ask, wait for what has started, and then end the run', () => {
    const branch = () => llm({ approval: 'require' });
    const agent = agentOf({
      type: 'parallel',
      name: 'both',
      onError: 'fail',
      children: [branch(), branch(), branch()],
    });
    const forked = [
      opened,
      said('go', { agent }),
      answered({ calls: [call('add')], step: 'root/0' }, { agent }),
      answered({ calls: [call('remove')], step: 'root/1' }, { agent }),
      answered({ calls: [call('note')], step: 'root/2' }, { agent }),
      drove([starts('root/2#1.0')], { agent }),
      rejected('root/0#1.0'),
    ];
    given(...forked)
      .when(drives([], { agent }))
      .thenFacts(['approvalResolved', { callId: 'root/1#1.0', decision: Decision.WITHDRAWN }])
      .thenOwes({ kind: 'recover', id: 'root/2#1.0', bridge });
    given(...forked)
      .when(drives([returns('root/2#1.0')], { agent }))
      .thenFacts('toolCallFinished', 'approvalResolved', [
        'runCompleted',
        { output: { parts: [{ text: canceledByUser }] } },
      ]);
  });

  test('of a call that is in doubt elsewhere leave no approval behind', () => {
    const agent = agentOf({
      type: 'parallel',
      name: 'both',
      onError: 'fail',
      children: [llm(), llm({ approval: 'require' })],
    });
    given(
      opened,
      said('go', { agent }),
      answered({ calls: [call('note')], step: 'root/0' }, { agent }),
      answered({ calls: [call('add')], step: 'root/1' }, { agent }),
      drove([starts('root/0#1.0')], { agent }),
      drove([unknown('root/0#1.0')], { agent }),
      rejected('root/1#1.0'),
    )
      .when(drives(takesOver('orchestrator-2'), { agent, ...another }))
      .thenFacts('runClaimed', ['approvalResolved', { decision: Decision.WITHDRAWN }], 'runCompleted');
  });
});
