import {
  type A2aNode,
  type AgentNode,
  type ConversationState,
  decideLate,
  messageRows,
  outputText,
  TranscriptBuilder,
  taskWordBytesMax,
} from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { taskUpdatesMax } from '../src/text/bounds.ts';
import { Rows } from './rows.ts';
import { given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answered,
  approved,
  bank,
  call,
  canceled,
  claim,
  decided,
  decides,
  delegates,
  drives,
  drove,
  handsInLate,
  llm,
  notStarted,
  opened,
  peer,
  replies,
  said,
  starts,
  takesOver,
  tells,
  unauthenticated,
  unknown,
} from './story.ts';

const { DecisionKind } = approvals;

const { ApprovalKind, InputKind, RefusalReason } = facts;
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
const underWay = [drove([delegates('root')], lone), drove([starts(id)], lone)];

/** What the run answers. */
function responseOf(happened: ReturnType<typeof given>): string {
  const transcript = new TranscriptBuilder();
  for (const event of happened.log) transcript.add(event);
  return outputText(happened.state.run?.output ?? [], (at) => transcript.textAt(at));
}

describe('an attempt to delegate', () => {
  test('has a message id and a context of its own: the same decided again, others for another attempt or run', () => {
    const sent = (runId: string, ...more: readonly Happening[]) => {
      const so = given(
        opened,
        said('go', { ...lone, runId }),
        drove([delegates('root')], lone),
        drove([starts(id)], lone),
        ...more,
      );
      return so.state.run?.calls[id]?.sent;
    };
    const first = sent('run-1');
    expect(sent('run-1')).toEqual(first);
    const again = sent('run-1', drove([notStarted(id)], lone), drove([starts(id, 2)], lone));
    const ids = [first, again, sent('run-2')].flatMap((one) => [one?.messageId, one?.contextId]);
    expect(new Set(ids).size).toBe(6);
    expect(first).toMatchObject({ taskId: '', taskState: '' });
  });

  test('is sent by the process whose append started it; whoever takes over only asks', () => {
    const { so } = alone(a2a(), ...underWay);
    so.when(drives([...takesOver(), starts(id)], { ...lone, me: { instance: 'orchestrator-2', epoch: 0 } }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'recover', id, attempt: 1 });
  });

  test('whose outcome nobody knows is in doubt, and waits for a human', () => {
    const { so } = alone(a2a(), ...underWay);
    so.when(drives([unknown(id)], lone)).thenFacts(
      ['toolCallInDoubt', { callId: id, attempt: 1 }],
      [
        'approvalRequested',
        {
          kind: ApprovalKind.IN_DOUBT,
          choices: ['run_again', 'happened', 'give_up'],
          description: expect.stringContaining('**DELEGATE to A2A Agent: peer**'),
        },
      ],
      'runReleased',
    );
    const doubt = [...underWay, drove([unknown(id)], lone)];
    alone(a2a(), ...doubt, decided({ kind: DecisionKind.RUN_AGAIN }))
      .so.when(drives([claim, starts(id, 2)], lone))
      .thenFacts('runClaimed', ['delegationStarted', { attempt: 2 }]);
    const happened = alone(
      a2a(),
      ...doubt,
      decided({ kind: DecisionKind.HAPPENED, result: 'It was paid.' }),
      drove([claim], lone),
    ).so;
    expect([happened.state.run?.status, responseOf(happened)]).toEqual(['completed', 'It was paid.']);
    const wordless = alone(
      a2a(),
      ...doubt,
      decided({ kind: DecisionKind.HAPPENED, result: '' }),
      drove([claim], lone),
    ).so;
    expect(wordless.state.run?.status).toBe('completed');
    const givenUp = alone(a2a(), ...doubt, decided({ kind: DecisionKind.GIVE_UP }), drove([claim], lone)).so;
    expect([givenUp.state.run?.status, responseOf(givenUp)]).toEqual([
      'failed',
      expect.stringMatching(/outcome is unknown/),
    ]);
    alone(a2a(), ...doubt)
      .so.when(decides({ kind: DecisionKind.APPROVE }))
      .thenRefused({ kind: 'choice' });
  });

  test('in doubt is settled by an outcome that comes in late, before anybody has decided', () => {
    const { so } = alone(a2a(), ...underWay, drove([unknown(id)], lone));
    const late = (state: ConversationState) => drives([claim, replies(id, 'It was paid.')], lone)(state);
    so.when(late).thenFacts('runClaimed', 'approvalResolved', 'delegationFinished', 'stepFinished', 'runCompleted');
  });

  test('whose task is known is not ended by a sender that was not heard, and comes late to say so', () => {
    const { so } = alone(a2a(), ...underWay, drove([tells(id)], lone));
    const { by: _, ...unheard } = replies(id, 'nobody is there', 1, true);
    const late = (state: ConversationState) =>
      decideLate(state, 'run-1', 'root', { ...unheard, by: { agent: 'peer' } });
    so.when(late).thenFacts(['delegationFinished', { late: true, isError: true }]);
    // Before the record names a task, it is the only word on the attempt.
    alone(a2a(), ...underWay)
      .so.when(late)
      .thenFacts(['delegationFinished', { late: false, isError: true }], 'stepFinished');
  });

  test('that ends after its run was canceled is noted as late, by the name of its agent', () => {
    const { so } = alone(a2a(), ...underWay, canceled);
    expect(so.state.run?.calls[id]?.sent).toBeDefined();
    so.when(drives([replies(id)], lone)).thenRefused({ kind: 'fenced' });
    so.when(handsInLate(id, 'paid', 1, 'run-1', replies)).thenFacts([
      'delegationFinished',
      { late: true, agent: 'peer' },
    ]);
  });

  test('that an agent refused for want of a token is paused, and surely not sent', () => {
    const { so } = alone(a2a(), ...underWay);
    so.when(drives([unauthenticated(id)], lone)).thenFacts(
      ['toolCallRefused', { reason: RefusalReason.UNAUTHENTICATED, attempt: 1 }],
      ['inputRequested', { kind: InputKind.AUTH }],
      'runReleased',
    );
  });
});

describe('what an agent tells of its task', () => {
  test('is recorded once for each state, and known to whoever takes over', () => {
    const { so } = alone(a2a(), ...underWay, drove([tells(id)], lone));
    expect(so.state.run?.calls[id]).toMatchObject({
      phase: 'started',
      sent: { taskId: `task of ${id}`, taskState: 'working' },
    });
    so.when(drives([tells(id)], lone)).thenNothing();
    so.when(drives([tells(id, 'input-required')], lone)).thenFacts([
      'delegationUpdated',
      { task: { state: 'input-required' }, text: 'Soon.' },
    ]);
  });

  test('of another attempt, or of one that is over, is not', () => {
    const { so } = alone(a2a(), ...underWay);
    so.when(drives([tells(id, 'working', 2)], lone)).thenNothing();
    const tree = { agent: agentOf(llm({ agents: [peer] })) };
    const asked = answered({ calls: [call('a2a_peer', { message: 'x' }), call('add')] }, tree);
    given(
      opened,
      said('go', tree),
      asked,
      drove([starts(id)], tree),
      drove([replies(id)], tree),
      approved('root#1.1'),
      drove([claim], tree),
    )
      .when(drives([tells(id)], tree))
      .thenNothing();
  });

  test('is recorded so many times, and no more, from an agent that goes to and fro', () => {
    const states = Array.from({ length: taskUpdatesMax }, (_, index) => `state ${index}`);
    const { so } = alone(a2a(), ...underWay, ...states.map((one) => drove([tells(id, one)], lone)));
    expect(so.log.filter(({ fact }) => fact.case === 'delegationUpdated')).toHaveLength(taskUpdatesMax);
    so.when(drives([tells(id, 'working')], lone)).thenNothing();
  });

  test('is not taken where its id would swell the state of the run', () => {
    const { so } = alone(a2a(), ...underWay);
    so.when(drives([tells(id, 'x'.repeat(taskWordBytesMax + 1))], lone)).thenNothing();
  });
});

test('a conversation shows a delegation as a call and its result, with the node that made it', () => {
  const { so } = alone(a2a(), ...underWay, drove([replies(id, 'Bread is here.')], lone));
  const rows = new Rows();
  rows.add(so.log);
  expect(
    rows.messages.map(({ role, node, toolCall, content }) => [
      role,
      node,
      toolCall?.name,
      toolCall?.argumentsJson,
      toolCall?.result ?? content,
    ]),
  ).toEqual([
    ['user', '', undefined, undefined, 'go'],
    ['assistant', 'peer', 'a2a_peer', message('Do it.'), ''],
    ['tool', 'peer', 'a2a_peer', '', 'Bread is here.'],
    ['assistant', 'peer', undefined, undefined, 'Bread is here.'],
  ]);
  expect(rows.head?.run?.response).toBe('Bread is here.');
  const auto = { agent: agentOf(loop(a2a({ agent: bank }))) };
  const { log } = given(opened, said('go', auto), drove([delegates('root[1]/0')], auto));
  expect(log.flatMap(messageRows).find((row) => row.toolCall !== undefined)?.toolCall?.autoApproved).toBe(true);
});
