import { type AgentDefinition, sha256Hex, toolPin } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { nobody } from '../../src/policy/judge-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { by, type Happening } from '../specification.ts';
import {
  a2a,
  agentOf,
  answered,
  answersTo,
  approved,
  asksFor,
  bank,
  bringsToken,
  call,
  canceled,
  changed,
  claim,
  decided,
  delegates,
  drove,
  grants,
  handsInLate,
  llm,
  notAllowed,
  opened,
  openedInContext,
  peer,
  provides,
  question,
  rejected,
  replies,
  returns,
  revokes,
  said,
  serverAsks,
  starts,
  tells,
  tool,
  unauthenticated,
  unknown,
} from '../story.ts';
import { furtherScenarios } from './further.ts';
import { pipeline, tree } from './trees.ts';

const { DecisionKind } = approvals;
const id = 'root#1.0';
const user = (happening: Exclude<Happening, { readonly by: unknown }>) => by('anonymous', happening);
const asksToAdd = answered({ text: 'I would like to add it.', calls: [call('add', { name: 'my-test', value: 42 })] });
const started = [
  user(opened),
  user(said('create my-test')),
  asksToAdd,
  by('ada', approved()),
  drove([claim, starts(id)]),
];
const inDoubt = [...started, drove([unknown(id)])];
const done = answered({ text: 'It is done.' });
const picture = { digest: sha256Hex('picture'), mediaType: 'image/png', size: 7, name: 'picture.png' };

const policy: Policy = {
  rules: [
    { name: 'small', tool: 'add', when: 'args.amount < 100.0', verdict: 'allow', reason: '' },
    { name: 'large', tool: 'add', verdict: 'ask', reason: 'A person decides.' },
    { name: 'keep', tool: 'remove', verdict: 'deny', reason: 'Nothing is removed.' },
  ],
};
const inTree = { agent: tree };
const inPipeline = { agent: pipeline };
const saysNothing = {
  type: 'modelFailed',
  stepId: 'root',
  turn: 1,
  model: 'offline',
  message: 'the model gave an empty answer',
  text: 'LLM error: the model gave an empty answer',
  isEmpty: true,
} as const;
const lostItsModel = {
  type: 'modelFailed',
  stepId: 'root/0/2',
  turn: 1,
  model: 'offline',
  message: 'no quota',
  text: 'LLM error: no quota',
} as const;
const researched = [
  user(opened),
  user(said('report', inPipeline)),
  answered({ calls: [call('add', { name: 'x' })], step: 'root/0/1' }, inPipeline),
  drove([lostItsModel], inPipeline),
  answered({ text: 'Left.', step: 'root/0/0' }, inPipeline),
  by('ada', rejected()),
  drove([claim], inPipeline),
  answered({ text: 'Right.', step: 'root/0/1' }, inPipeline),
  answered({ text: 'Draft.', step: 'root/1[1]/0' }, inPipeline),
  answered({ calls: [call('list'), call('exit_loop')], step: 'root/1[2]/0' }, inPipeline),
  drove([returns('root/1[2]/0#1.0', '[]')], inPipeline),
  answered({ calls: [call('add', { name: 'report' })], step: 'root/2' }, inPipeline),
];

const delegating: AgentDefinition = agentOf({
  type: 'sequential',
  name: 'errand',
  children: [
    {
      type: 'parallel',
      name: 'ask',
      onError: 'continue',
      children: [
        a2a({ name: 'gone', outputKey: 'gone' }),
        a2a({ name: 'bank', agent: bank, prompt: 'How much is left?', outputKey: 'left' }),
      ],
    },
    llm({ name: 'buyer', prompt: 'Spend {left}.', agents: [peer, bank], outputKey: 'bought' }),
    a2a({ name: 'filer', prompt: 'File this: {bought}' }),
  ],
});
const errand = { agent: delegating };
const pays = { agent: agentOf(a2a({ name: 'bank', agent: bank, onReject: 'continue' })) };
const asks = { agent: agentOf(a2a()) };
const asking = [
  user(opened),
  user(said('shop', asks)),
  drove([delegates('root', 'shop')], asks),
  drove([starts(id)], asks),
  drove([asksFor(id, [question('water'), question('bread')])], asks),
];
const otherwise = (key: string) =>
  question(key, { approval: { id: key, tool: 'steal', server: '', argumentsJson: '', choices: [], agents: [] } });
const paying = [
  user(opened),
  user(said('pay 5', pays)),
  drove([delegates('root', 'pay 5')], pays),
  by('ada', approved()),
  drove([claim, starts(id)], pays),
  drove([tells(id)], pays),
  drove([unknown(id)], pays),
];

/** What is recorded, by file name: one story for each way that a run can go. */
export const scenarios: Readonly<Record<string, readonly Happening[]>> = {
  'plain-answer': [user(opened), user(said('hello')), answered({ text: 'Hello.' })],
  'in-a-context': [
    user(openedInContext),
    user(said('who am I?')),
    answered({ text: 'You are Ada.' }),
    user(said('and what do I do?', { runId: 'run-2' })),
    answered({ text: 'You bake.' }),
  ],
  'read-only-call': [
    user(opened),
    user(said('what is there?')),
    answered({ calls: [call('list')] }),
    drove([returns(id, '{"resources":[]}')]),
    answered({ text: 'Nothing.' }),
  ],
  // Rules let one call run unasked, ask about one, and forbid one; then somebody lets the like of a call run, and takes it back.
  policy: [
    user(opened),
    user(said('pay', { policy, caller: { ...nobody, name: 'ada' } })),
    answered(
      { calls: [call('add', { amount: 5 }), call('add', { amount: 5000 }), call('remove'), call('put', { id: 1 })] },
      { policy },
    ),
    by('ada', grants('root#1.3')),
    by('ada', approved('root#1.3')),
    by('bob', rejected('root#1.1')),
    drove([claim, starts('root#1.0'), starts('root#1.3')], { policy }),
    drove([returns('root#1.0', 'added'), returns('root#1.3', 'put')], { policy }),
    answered({ calls: [call('put', { id: 2 })] }, { policy }),
    by('ada', revokes()),
    drove([starts('root#2.0')], { policy }),
    drove([returns('root#2.0', 'put')], { policy }),
    answered({ text: 'It is done.' }, { policy }),
  ],
  approve: [...started, drove([returns(id, '{"id":"1"}')]), done],
  'result-beside-text': [
    ...started,
    drove([{ ...returns(id, '[image]\nmade'), structuredJson: '{"id":"1"}', blobs: [picture] }]),
    done,
  ],
  // Each request names another session than the one before.
  'session-moves': [
    user(opened),
    user(said('create my-test', { sessionId: 'second' })),
    asksToAdd,
    by('ada', approved(id, 'third')),
    drove([claim, starts(id)]),
    drove([serverAsks(id)]),
    by('ada', provides(id, 'accept', '{"amount":3}', 'fourth')),
    drove([serverAsks(id, [])]),
    drove([returns(id, '{"id":"1"}')]),
    done,
  ],
  reject: [user(opened), user(said('create my-test')), asksToAdd, by('ada', rejected()), drove([claim])],
  'two-gated-calls': [
    user(opened),
    user(said('swap them')),
    answered({ calls: [call('add', { name: 'b' }), call('remove', { id: 'a' })] }),
    by('ada', approved('root#1.1')),
    drove([claim, starts('root#1.1')]),
    drove([returns('root#1.1', 'removed')]),
    by('bob', rejected('root#1.0')),
    drove([claim]),
    answered({ text: 'Only the old one is gone.' }),
  ],
  'in-doubt-run-again': [
    ...inDoubt,
    by('ada', decided({ kind: DecisionKind.RUN_AGAIN })),
    drove([claim, starts(id, 2)]),
    handsInLate(id, 'the first came through', 1),
    drove([returns(id, 'the second too', 2)]),
    done,
  ],
  'in-doubt-happened': [
    ...inDoubt,
    by('ada', decided({ kind: DecisionKind.HAPPENED, result: 'it is there' })),
    drove([claim]),
    done,
  ],
  'in-doubt-give-up': [...inDoubt, by('ada', decided({ kind: DecisionKind.GIVE_UP })), drove([claim]), done],
  'in-doubt-late-outcome': [...inDoubt, handsInLate(id, 'it is there'), drove([claim]), done],
  'pin-changed': [
    ...started,
    drove([changed(id, tool('add', { destructive: true }, { pin: toolPin('add, second edition').pin }))]),
    by('ada', approved()),
    drove([claim, starts(id, 2)]),
    drove([returns(id, '{"id":"1"}', 2)]),
    done,
  ],
  'not-allowed': [...started, drove([notAllowed(id)]), done],
  'token-needed': [
    user(opened),
    user(said('what is there?', { token: true })),
    answered({ calls: [call('list')] }),
    drove([unauthenticated(id)]),
    user(bringsToken),
    drove([claim, returns(id, '[]', 2)]),
    done,
  ],
  ...furtherScenarios,
  cancel: [
    ...started,
    user(canceled),
    handsInLate(id, 'it ran all the same'),
    user(said('and now?', { runId: 'run-2' })),
  ],
  'model-failure': [
    user(opened),
    user(said('hello')),
    drove([
      {
        type: 'modelFailed',
        stepId: 'root',
        turn: 1,
        model: 'offline',
        message: 'no quota',
        text: 'LLM error: no quota',
      },
    ]),
    user(said('again', { runId: 'run-2' })),
    answered({ text: 'Hello.' }),
  ],
  'model-answers-nothing': [
    user(opened),
    user(said('hello')),
    drove([saysNothing]),
    answered({ text: 'Hello.' }),
    user(said('again', { runId: 'run-2' })),
    drove([saysNothing]),
    drove([saysNothing]),
  ],
  'refused-calls': [
    user(opened),
    user(said('try')),
    answered({ calls: [call('drop'), call('add', 'not JSON'), call('note', { text: 'x' })] }),
    drove([starts('root#1.2')]),
    drove([returns('root#1.2', 'no room', 1, true)]),
    answered({ text: 'None of it worked.' }),
  ],
  pipeline: [
    ...researched,
    by('ada', approved()),
    drove([claim, starts('root/2#1.0')], inPipeline),
    drove([returns('root/2#1.0', 'filed')], inPipeline),
    answered({ text: '', step: 'root/2' }, inPipeline),
    user(said('again', { ...inPipeline, runId: 'run-2' })),
  ],
  'delegation-of-a-node': [
    user(opened),
    user(said('buy bread', asks)),
    drove([delegates('root', 'buy bread')], asks),
    drove([starts('root#1.0')], asks),
    drove([replies('root#1.0', 'Bread is here.')], asks),
  ],
  delegation: [
    user(opened),
    user(said('buy bread', errand)),
    drove([delegates('root/0/0', 'buy bread'), delegates('root/0/1', 'How much is left?')], errand),
    drove([starts('root/0/0#1.0'), starts('root/0/1#1.0')], errand),
    drove([replies('root/0/0#1.0', 'Sub-agent unavailable: peer: nobody is there', 1, true)], errand),
    drove([tells('root/0/1#1.0')], errand),
    drove([replies('root/0/1#1.0', 'Five.', 1, false, 'bank')], errand),
    answered(
      { calls: [call('a2a_bank', { message: 'Pay 5.' }), call('a2a_peer', { message: 'Bread!' })], step: 'root/1' },
      errand,
    ),
    drove([starts('root/1#1.1')], errand),
    drove([replies('root/1#1.1', 'Here it is.')], errand),
    by('ada', approved()),
    drove([claim, starts('root/1#1.0')], errand),
    drove([replies('root/1#1.0', 'Paid.', 1, false, 'bank')], errand),
    answered({ text: 'Bread, for 5.', step: 'root/1' }, errand),
    drove([delegates('root/2', 'File this: Bread, for 5.')], errand),
    drove([starts('root/2#1.0')], errand),
    drove([replies('root/2#1.0', 'Filed.')], errand),
    user(said('again', { ...errand, runId: 'run-2' })),
    drove([delegates('root/0/0', ' ')], errand),
  ],
  'delegation-asked': [
    ...asking,
    // The newest is decided first.
    by('ada', approved(id)),
    drove([claim, answersTo(id, 'bread')], asks),
    drove([asksFor(id, [question('water'), question('wine')], ['bread'])], asks),
    by('ada', rejected(id)),
    drove([claim, answersTo(id, 'wine')], asks),
    drove([asksFor(id, [{ key: 'auth', kind: 'auth', prompt: 'Who pays?' }], ['wine'])], asks),
    user(bringsToken),
    drove([claim, answersTo(id, 'auth')], asks),
    drove([replies(id, 'Bread, and no wine.')], asks),
  ],
  'delegation-parked': [
    ...asking,
    by('ada', approved(id)),
    // It was decided there meanwhile.
    drove([claim, asksFor(id, [question('salt')])], asks),
    user(canceled),
    handsInLate(id, 'Canceled.', 1, 'run-1', (callId, content, attempt) => replies(callId, content, attempt, true)),
  ],
  'delegation-changed': [
    ...asking,
    by('ada', approved(id)),
    // Another loaf of that name, and nobody has decided on the water that is shown otherwise.
    drove([claim, asksFor(id, [otherwise('water'), otherwise('bread')])], asks),
    by('ada', approved(id)),
    drove([claim, answersTo(id, 'bread')], asks),
    drove([replies(id, 'Bread.')], asks),
  ],
  'delegation-not-taken': [
    ...asking,
    by('ada', approved(id)),
    drove([claim, answersTo(id, 'bread')], asks),
    // The agent has refused it as often as it was sent.
    drove([asksFor(id, [question('water'), question('bread')], ['bread'], 1, ['bread'])], asks),
    by('ada', rejected(id)),
    drove([claim, answersTo(id, 'bread')], asks),
    drove([replies(id, 'No bread.')], asks),
  ],
  'delegation-in-doubt': [
    ...paying,
    by('ada', decided({ kind: DecisionKind.RUN_AGAIN })),
    drove([claim, starts(id, 2)], pays),
    drove([tells(id, 'input-required', 2)], pays),
    drove([replies(id, 'Paid.', 2, false, 'bank')], pays),
  ],
  'delegation-late': [
    ...paying,
    user(canceled),
    handsInLate(id, 'It was paid.', 1, 'run-1', (callId, content, attempt) =>
      replies(callId, content, attempt, false, 'bank'),
    ),
  ],
  'delegation-rejected': [
    user(opened),
    user(said('pay 5', pays)),
    drove([delegates('root', 'pay 5')], pays),
    by('ada', rejected()),
    drove([claim], pays),
  ],
  'pipeline-rejected': [...researched, by('ada', rejected()), drove([claim], inPipeline)],
  tree: [
    user(opened),
    user(said('report', inTree)),
    answered({ text: 'Left.', step: 'root/0/0' }, inTree),
    answered({ calls: [call('add', { name: 'x' })], step: 'root/0/1' }, inTree),
    by('ada', approved()),
    drove([claim, starts('root/0/1#1.0')], inTree),
    drove([returns('root/0/1#1.0', 'added')], inTree),
    answered({ text: 'Right.', step: 'root/0/1' }, inTree),
    answered({ text: 'First draft.', calls: [call('remove', { id: 'x' })], step: 'root/1[1]/0' }, inTree),
    drove([starts('root/1[1]/0#1.0')], inTree),
    drove([returns('root/1[1]/0#1.0', 'removed')], inTree),
    answered({ text: 'Better.', step: 'root/1[1]/0' }, inTree),
    answered({ text: 'Best.', calls: [call('exit_loop')], step: 'root/1[2]/0' }, inTree),
  ],
};
