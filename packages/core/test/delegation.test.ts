import {
  type A2aNode,
  type AgentNode,
  type CallState,
  callDigest,
  canceledByUser,
  delegationOf,
  fact,
  messageRows,
  offeredTo,
  outputText,
  promptMessages,
  remoteAgentOf,
  TranscriptBuilder,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { delegatedBytesMax } from '../src/text/bounds.ts';
import { delegationRejected } from '../src/text/texts.ts';
import { given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answered,
  answers,
  approvalOf,
  approved,
  bank,
  call,
  claim,
  delegates,
  drives,
  drove,
  llm,
  opened,
  peer,
  rejected,
  replies,
  said,
  starts,
  tool,
  tools,
} from './story.ts';

const { ApprovalKind, Disposition } = facts;
const sequential = (...children: readonly AgentNode[]) => ({ type: 'sequential', name: 'pipe', children }) as const;
const parallel = (onError: 'fail' | 'continue', ...children: readonly AgentNode[]) =>
  ({ type: 'parallel', name: 'both', onError, children }) as const;
const loop = (...children: readonly AgentNode[]) =>
  ({ type: 'loop', name: 'again', iterationsMax: 1, children }) as const;
const id = 'root#1.0';
const message = (text: string) => JSON.stringify({ message: text });

/** An agent of one node that delegates, and what happened to it so far. */
function alone(node: A2aNode, ...happenings: readonly Happening[]) {
  const agent = agentOf(node);
  return { agent, so: given(opened, said('go', { agent }), ...happenings) };
}
const lone = { agent: agentOf(a2a()) };
const gated = { agent: agentOf(a2a({ name: 'bank', agent: bank })) };
const underWay = [drove([delegates('root')], lone), drove([starts(id)], lone)];

/** What the run answers. */
function responseOf(happened: ReturnType<typeof given>): string {
  const transcript = new TranscriptBuilder();
  for (const event of happened.log) transcript.add(event);
  return outputText(happened.state.run?.output ?? [], (at) => transcript.textAt(at));
}

describe('a node that delegates', () => {
  test('owes its message first, then the delegation, and comes to what the agent answers', () => {
    given(opened).when(said('go', lone)).thenFacts('userMessageReceived', 'runStarted', 'stepStarted');
    alone(a2a())
      .so.when(drives([delegates('root', 'Buy bread.')], lone))
      .thenFacts([
        'delegationRequested',
        {
          stepId: 'root',
          node: 'peer',
          call: {
            callId: id,
            tool: 'a2a_peer',
            agent: 'peer',
            server: '',
            argumentsJson: message('Buy bread.'),
            disposition: Disposition.ALLOWED,
            repeatable: false,
          },
        },
      ])
      .thenOwes({ kind: 'call', id, attempt: 1, fenced: true });
    alone(a2a(), ...underWay)
      .so.when(drives([replies(id, 'Bread is here.')], lone))
      .thenFacts(
        ['delegationFinished', { content: 'Bread is here.', agent: 'peer', isError: false, late: false }],
        'stepFinished',
        'runCompleted',
      );
    const { so } = alone(a2a(), ...underWay, drove([replies(id, 'Bread is here.')], lone));
    expect(responseOf(so)).toBe('Bread is here.');
  });

  test('has what a prompt stands for pinned with its step, and its answer is read by later nodes', () => {
    const tree = agentOf(
      sequential(
        llm({ name: 'first', outputKey: 'plan' }),
        a2a({ prompt: 'Do {plan} for {nobody}.', outputKey: 'done' }),
        llm({ name: 'last', prompt: 'Sum up {done}.' }),
      ),
    );
    const so = given(
      opened,
      said('go', { agent: tree }),
      answered({ text: 'this', step: 'root/0' }, { agent: tree }),
      drove([delegates('root/1')], { agent: tree }),
      drove([starts('root/1#1.0')], { agent: tree }),
      drove([replies('root/1#1.0', 'All of it.')], { agent: tree }),
    );
    const [, started, last] = so.log.flatMap(({ fact }) => (fact.case === 'stepStarted' ? [fact.value] : [])).slice(1);
    expect(started).toMatchObject({
      node: 'peer',
      bindings: [{ key: 'plan' }],
      unresolvedPlaceholders: ['nobody'],
      outputKey: 'done',
    });
    const finished = so.log.find(({ fact }) => fact.case === 'delegationFinished')?.revision;
    expect(last?.bindings).toMatchObject([{ key: 'done', value: { parts: [{ answerRevision: finished }] } }]);
  });

  test('fails with its agent, and its parallel node says what that means', () => {
    const failing = (onError: 'fail' | 'continue') => {
      const agent = agentOf(parallel(onError, a2a(), llm({ name: 'other' })));
      return given(
        opened,
        said('go', { agent }),
        drove([delegates('root/0')], { agent }),
        drove([starts('root/0#1.0')], { agent }),
        drove([replies('root/0#1.0', 'Sub-agent unavailable: peer', 1, true)], { agent }),
        answered({ text: 'I am fine.', step: 'root/1' }, { agent }),
      );
    };
    expect(responseOf(failing('fail'))).toBe('Pipeline error: Sub-agent unavailable: peer');
    expect(responseOf(failing('continue'))).toBe('Sub-agent unavailable: peer\nI am fine.');
  });

  test('fails in the words of its agent, however many agents they came through', () => {
    const told = 'Pipeline error: LLM error: no model';
    const { so } = alone(a2a(), ...underWay, drove([replies(id, told, 1, true)], lone));
    expect(responseOf(so)).toBe(told);
  });

  test('fails at once where there is nothing to send, or too much', () => {
    for (const [text, error] of [
      [' ', /nothing was sent/],
      ['x'.repeat(delegatedBytesMax), /longer than 262144 bytes/],
    ] as const) {
      const { so } = alone(a2a(), drove([delegates('root', text)], lone));
      expect(so.log.map(({ fact }) => fact.case).slice(-3)).toEqual([
        'delegationRequested',
        'stepFinished',
        'runFailed',
      ]);
      expect(responseOf(so)).toMatch(error);
      expect(
        JSON.stringify(so.log.map(({ fact }) => fact.case === 'delegationRequested' && fact.value.call)).length,
      ).toBeLessThan(2_000);
    }
  });
});

describe('a destructive agent', () => {
  test.each<[string, AgentNode, string, facts.Disposition]>([
    ['in a sequence waits', sequential(a2a({ agent: bank })), 'root/0', Disposition.GATED],
    [
      'in parallel branches is asked at once',
      parallel('fail', a2a({ agent: bank })),
      'root/0',
      Disposition.AUTO_APPROVED,
    ],
    ['in a loop is asked at once', loop(a2a({ agent: bank })), 'root[1]/0', Disposition.AUTO_APPROVED],
    [
      'of a node that wants to be asked waits anywhere',
      loop(a2a({ agent: bank, approval: 'require' })),
      'root[1]/0',
      Disposition.GATED,
    ],
  ])('%s', (_, root, step, disposition) => {
    const agent = agentOf(root);
    const { log, state } = given(opened, said('go', { agent }), drove([delegates(step)], { agent }));
    const asked = log.find(({ fact }) => fact.case === 'delegationRequested')?.fact;
    expect(asked?.value).toMatchObject({ call: { disposition } });
    const request = log.find(({ fact }) => fact.case === 'approvalRequested')?.fact;
    expect(request?.value).toMatchObject({ kind: ApprovalKind.DELEGATION, tool: 'a2a_bank' });
    const resolved = log.find(({ fact }) => fact.case === 'approvalResolved')?.fact;
    if (disposition === Disposition.GATED) expect([resolved, state.run?.owner]).toEqual([undefined, null]);
    else
      expect(resolved?.value).toMatchObject({
        byPolicy: true,
        reason: expect.stringMatching(/^the agent is destructive; inside/),
      });
  });

  test('is approved for exactly this agent and this message', () => {
    const digestOf = (node: A2aNode, text: string) => {
      const { so } = alone(node, drove([delegates('root', text)], { agent: agentOf(node) }));
      const asked = so.log.find(({ fact }) => fact.case === 'approvalRequested')?.fact;
      return asked?.case === 'approvalRequested' ? asked.value : undefined;
    };
    const node = a2a({ agent: bank });
    const asked = digestOf(node, 'Pay 5.');
    const pin = [...offeredTo({ node }, new Map()).values()][0]?.pin ?? '';
    expect(asked).toMatchObject({
      description: '**DELEGATE to A2A Agent: bank**\n\nMessage: Pay 5.',
      choices: ['approve', 'reject'],
      digest: callDigest({ server: '', tool: 'a2a_bank', pin, argumentsJson: message('Pay 5.') }),
    });
    const others = [
      digestOf(node, 'Pay 6.'),
      digestOf(a2a({ agent: { ...bank, url: 'https://evil.example.com/' } }), 'Pay 5.'),
    ];
    expect(new Set([asked, ...others].map((one) => one?.digest)).size).toBe(3);
  });

  test('is sent as it was judged and approved, or not at all', () => {
    const agent = agentOf(a2a({ agent: bank }));
    const calls = given(opened, said('go', { agent }), drove([delegates('root')], { agent }), approved()).state.run
      ?.calls;
    const call = calls?.[id] as CallState;
    const asJudged = message('Do it.');
    expect(delegationOf(agent, call, asJudged)).toEqual({ agent: bank, message: 'Do it.' });
    const moved = agentOf(a2a({ agent: { ...bank, url: 'https://evil.example.com/' } }));
    const { approvalId: _, ...unapproved } = call;
    expect(() => delegationOf(agent, call, message('Do more.'))).toThrow(/not the one that was judged/);
    expect(() => delegationOf(moved, call, asJudged)).toThrow(/not the one that was judged/);
    expect(() => delegationOf(agent, unapproved, asJudged)).toThrow(/has no approval/);
    expect(() => delegationOf(agentOf(llm()), call, asJudged)).toThrow(/is no delegation/);
  });

  test('once approved is started under that approval; once rejected it ends the run, or not', () => {
    const waiting = alone(a2a({ agent: bank }), drove([delegates('root')], gated)).so;
    const approvalId = approvalOf(waiting.state);
    given(opened, said('go', gated), drove([delegates('root')], gated), approved())
      .when(drives([claim, starts(id)], gated))
      .thenFacts('runClaimed', ['delegationStarted', { agent: 'bank', attempt: 1, approvalId }]);
    const no = given(opened, said('go', gated), drove([delegates('root')], gated), rejected(), drove([claim], gated));
    expect(responseOf(no)).toBe(canceledByUser);
    const goingOn = { agent: agentOf(sequential(a2a({ agent: bank, onReject: 'continue' }))) };
    const on = given(
      opened,
      said('go', goingOn),
      drove([delegates('root/0')], goingOn),
      rejected(),
      drove([claim], goingOn),
    );
    expect(responseOf(on)).toBe(delegationRejected);
  });
});

describe('an agent as a tool of a model', () => {
  const agent = agentOf(llm({ agents: [peer, bank] }));
  const has = { agent };

  test('is offered beside the tools, and takes the place of a tool of its name', () => {
    const shadowed = new Map([...tools, ['a2a_peer', tool('a2a_peer', { readOnly: true })]]);
    const offered = offeredTo({ node: llm({ agents: [peer] }) }, shadowed);
    expect([...offered.keys()]).toEqual([...tools.keys(), 'a2a_peer']);
    expect(offered.get('a2a_peer')).toMatchObject({
      target: { kind: 'remote', agent: 'peer' },
      description: "Delegate task to A2A agent 'peer'.",
      hints: { readOnly: false, destructive: false, idempotent: false },
    });
    const alike = new Map([...tools, ['a2a_p\u0435er', tool('a2a_p\u0435er', { readOnly: true })]]);
    expect([...offeredTo({ node: llm({ agents: [peer] }) }, alike).keys()]).toEqual([...tools.keys(), 'a2a_peer']);
    expect(offeredTo({ node: llm() }, tools)).toBe(tools);
  });

  test('is judged as a tool is: one waits, one does not, one without a message never runs', () => {
    given(opened, said('go', has))
      .when(
        answers(
          {
            calls: [
              call('a2a_peer', { message: 'x' }),
              call('a2a_bank', { message: 'y' }),
              call('a2a_peer', { text: 'x' }),
              call('a2a_other', { message: 'x' }),
            ],
          },
          has,
        ),
      )
      .thenFacts(
        [
          'modelResponded',
          {
            calls: [
              { agent: 'peer', disposition: Disposition.ALLOWED },
              { agent: 'bank', disposition: Disposition.GATED },
              { agent: '', disposition: Disposition.REFUSED },
              { disposition: Disposition.REFUSED, error: 'Tool not found: a2a_other' },
            ],
          },
        ],
        ['approvalRequested', { kind: ApprovalKind.DELEGATION, callId: 'root#1.1' }],
      )
      .thenOwes({ kind: 'call', id: 'root#1.0', fenced: true });
  });

  test('that fails is an error result that the model is told, and nothing more', () => {
    const so = given(
      opened,
      said('go', has),
      answered({ calls: [call('a2a_peer', { message: 'x' })] }, has),
      drove([starts(id)], has),
    );
    so.when(drives([replies(id, 'Sub-agent unavailable: peer', 1, true)], has))
      .thenFacts('delegationFinished')
      .thenOwes({ kind: 'model', id: 'root#2' });
    const transcript = new TranscriptBuilder();
    const failed = drove([replies(id, 'Sub-agent unavailable: peer', 1, true)], has);
    const { log } = given(
      opened,
      said('go', has),
      answered({ calls: [call('a2a_peer', { message: 'x' })] }, has),
      drove([starts(id)], has),
      failed,
    );
    for (const event of log) transcript.add(event);
    expect(promptMessages(transcript, { kind: 'conversation' }).at(-1)).toMatchObject({
      role: 'tool',
      results: [{ name: 'a2a_peer', content: 'Sub-agent unavailable: peer', isError: true }],
    });
  });

  test('is found by its name at the place of the call only', () => {
    const tree = agentOf(sequential(llm({ agents: [peer] }), llm(), a2a({ name: 'x', agent: bank })));
    const found = (stepId: string, name: string) =>
      remoteAgentOf(tree, { stepId, target: { kind: 'remote', agent: name } });
    expect([found('root/0', 'peer'), found('root/1', 'peer'), found('root/2', 'bank'), found('root', 'peer')]).toEqual([
      peer,
      undefined,
      bank,
      undefined,
    ]);
  });
});

test('what kept a node of another agent from answering is told as a failure, not as words of that agent', () => {
  const rowsOf = (isError: boolean, node: string) =>
    messageRows({
      time: 0,
      fact: fact('delegationFinished', {
        runId: 'r',
        callId: 'c',
        tool: 'a2a_peer',
        content: 'no connection',
        isError,
        node,
      }),
    })
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content);
  expect(rowsOf(true, 'ask_peer')).toEqual(['Agent error: no connection']);
  expect(rowsOf(false, 'ask_peer')).toEqual(['no connection']);
  expect(rowsOf(true, '')).toEqual([]);
});
