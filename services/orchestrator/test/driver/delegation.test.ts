import { type A2aNode, cancelRun, decideRun, type LlmNode, provideToken, resolveApproval } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import type { DelegationUpdate, LookedUp } from '../../src/delegation-port.ts';
import type { ModelAnswer } from '../../src/models/port.ts';
import { done, Errand, lost, peer, quiet } from './errands.ts';

const { DecisionKind } = approvals;

const a2a = (more: Partial<A2aNode> = {}): A2aNode => ({
  type: 'a2a',
  name: 'peer',
  agent: peer,
  prompt: '',
  approval: 'default',
  ...more,
});
const llm = (more: Partial<LlmNode> = {}): LlmNode => ({
  type: 'llm',
  name: 'model',
  model: 'm',
  prompt: '',
  outputKey: 'plan',
  canExitLoop: false,
  turnsMax: 5,
  approval: 'default',
  ...more,
});
const says = (text: string, calls: ModelAnswer['calls'] = []): ModelAnswer => ({
  text,
  calls,
  provider: 'scripted',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1 },
  stopReason: 'end',
});
const id = 'root#1.0';
const working: DelegationUpdate = { task: { id: 'task-1', state: 'working' }, text: 'On my way.' };
const running = { kind: 'running', ...working } as const;
/** More than any agent is given to answer. */
const longMs = 10 * 60_000;

describe('a node that delegates', () => {
  test('sends what the user said, once, after its fence, under the ids on the record', async () => {
    const errand = new Errand(a2a(), { delegate: [done('Here it is.')] });
    await errand.first().ended;
    const [started] = errand.all('delegationStarted');
    expect(errand.sent).toMatchObject([
      {
        on: expect.arrayContaining(['delegationRequested', 'delegationStarted']),
        request: {
          key: { conversationId: 'c', runId: 'r', callId: id, attempt: 1 },
          agent: peer,
          message: 'Buy bread.',
          messageId: started?.messageId,
          contextId: started?.contextId,
          taskId: '',
          sessionId: 'abc',
        },
      },
    ]);
    expect([errand.state.run?.status, await errand.response()]).toEqual(['completed', 'Here it is.']);
  });

  test('sends its prompt with what was written before, and a task that ends without a word says how', async () => {
    const root = {
      type: 'sequential',
      name: 'pipe',
      children: [llm(), a2a({ prompt: 'Do {plan}, {nobody}.' })],
    } as const;
    const errand = new Errand(root, { delegate: [done('')] }, [says('this')]);
    await errand.first().ended;
    expect(errand.sent.map(({ request }) => request.message)).toEqual(['Do this, {nobody}.']);
    expect(await errand.response()).toBe('Task task-1: completed');
  });

  test('fails when its agent is not to be had', async () => {
    const errand = new Errand(a2a(), { delegate: [{ kind: 'unavailable', message: 'nobody listens' }] });
    await errand.first().ended;
    expect([errand.state.run?.status, await errand.response()]).toEqual([
      'failed',
      'Pipeline error: Sub-agent unavailable: peer: nobody listens',
    ]);
    expect(errand.asked).toEqual([]);
  });
});

test('a model is offered the agent, and told that it is not to be had', async () => {
  const asks = { name: 'a2a_peer', providerCallId: '1', argumentsJson: '{"message":"Bread!"}' };
  const script = { delegate: [{ kind: 'unavailable', message: 'nobody listens' } as const] };
  const errand = new Errand(llm({ agents: [peer] }), script, [says('', [asks]), says('No bread today.')]);
  await errand.first().ended;
  expect(errand.told[0]?.tools).toMatchObject([
    { name: 'a2a_peer', description: "Delegate task to A2A agent 'peer'. It peers." },
  ]);
  expect(errand.sent.map(({ request }) => request.message)).toEqual(['Bread!']);
  expect(errand.told[1]?.messages.at(-1)).toMatchObject({
    results: [{ content: 'Sub-agent unavailable: peer: nobody listens', isError: true }],
  });
  expect(await errand.response()).toBe('No bread today.');
});

describe('when the answer is lost', () => {
  test('the agent is asked what became of the message, by the task that it told of', async () => {
    const errand = new Errand(a2a(), {
      delegate: [
        async (_, tell) => {
          tell(working);
          await quiet();
          throw lost;
        },
      ],
      lookUp: [lost, running, { kind: 'outcome', outcome: done('Here it is.') }],
    });
    const { clock, ended } = errand.first();
    await quiet();
    for (let minute = 0; minute < 3; minute += 1) await clock.pass(60_000).then(quiet);
    await ended;
    expect([errand.sent.length, errand.asked.map(({ taskId }) => taskId)]).toEqual([1, ['task-1', 'task-1', 'task-1']]);
    expect(errand.all('delegationUpdated')).toMatchObject([
      { task: { id: 'task-1', state: 'working' }, text: 'On my way.' },
    ]);
    expect(await errand.response()).toBe('Here it is.');
  });

  test('and it promises to take a message once, it is sent the same again; that this fails is no outcome', async () => {
    const errand = new Errand(a2a(), {
      delegate: [lost, { kind: 'unavailable', message: 'nobody listens' }, done('Here it is.')],
      lookUp: [{ kind: 'repeatable' }, { kind: 'repeatable' }],
    });
    const { clock, ended } = errand.first();
    await quiet();
    await clock.pass(1_000).then(quiet);
    await ended;
    expect(errand.all('delegationStarted')).toHaveLength(1);
    expect(new Set(errand.sent.map(({ request }) => request.messageId)).size).toBe(1);
    expect([errand.sent.length, await errand.response()]).toEqual([3, 'Here it is.']);
  });

  test('that it wants a token for the second sending does not mean that it took nothing of the first', async () => {
    const errand = new Errand(a2a(), {
      delegate: [lost, { kind: 'unauthenticated' }, done('Here it is.')],
      lookUp: [{ kind: 'repeatable' }, { kind: 'repeatable' }],
    });
    const { clock, ended } = errand.first();
    await quiet();
    await clock.pass(1_000).then(quiet);
    await ended;
    expect(errand.all('delegationStarted')).toHaveLength(1);
    expect([errand.sent.length, await errand.response()]).toEqual([3, 'Here it is.']);
  });

  test.each([
    ['and the agent cannot tell', [{ kind: 'unknown', message: 'it lists no tasks' } as const]],
    ['and the agent does not answer any more', []],
    ['and the agent wants a token before it tells', Array<LookedUp>(200).fill({ kind: 'unauthenticated' })],
  ])('%s, a human decides; run again is another message', async (_, lookUp) => {
    const errand = new Errand(a2a(), { delegate: [lost, done('Paid.')], lookUp });
    const { clock, ended } = errand.first();
    await quiet();
    for (let second = 0; second < 100; second += 1) await clock.pass(1_000).then(quiet);
    await ended;
    expect(errand.sent).toHaveLength(1);
    const [approval] = errand.all('approvalRequested');
    expect(approval).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT, tool: 'a2a_peer' });
    const decision = resolveApproval(errand.state, {
      approvalId: approval?.approvalId ?? '',
      decision: { kind: DecisionKind.RUN_AGAIN },
    });
    if (decision.kind === 'append') errand.append(decision.facts);
    await errand.process('second').ended;
    expect(new Set(errand.sent.map(({ request }) => request.messageId)).size).toBe(2);
    expect(await errand.response()).toBe('Paid.');
  });
});

describe('another process', () => {
  test('that takes over asks with the ids on the record, and sends nothing', async () => {
    const errand = new Errand(a2a(), {
      delegate: [
        (_, tell) => {
          tell(working);
          return new Promise(() => undefined);
        },
      ],
      lookUp: [{ kind: 'outcome', outcome: done('Here it is.') }],
    });
    const first = errand.first();
    await quiet();
    first.driver.stop(new Error('the process ends'));
    await first.ended;
    expect([errand.names.at(-1), errand.asked]).toEqual(['delegationUpdated', []]);
    await errand.process('second').ended;
    const [{ request } = { request: undefined }] = errand.sent;
    expect(errand.sent).toHaveLength(1);
    expect(errand.asked).toMatchObject([
      { messageId: request?.messageId, contextId: request?.contextId, taskId: 'task-1' },
    ]);
    expect(await errand.response()).toBe('Here it is.');
  });

  test('that takes over without the token does not send it again as somebody else’s', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    const errand = new Errand(a2a(), { delegate: [hangs], lookUp: [{ kind: 'repeatable' }] }, [], true);
    const first = errand.first({ bearer: new Secret('s3cret') });
    await quiet();
    first.driver.stop(new Error('the process ends'));
    await errand.process('second').ended;
    expect([errand.sent.length, errand.asked.length, errand.all('toolCallInDoubt').length]).toEqual([1, 1, 1]);
  });

  test.each(['breaks', 'says nothing'])(
    'that has taken the run over is left to find out, when the connection of the first one %s',
    async (what) => {
      let breaks: (error: Error) => void = () => undefined;
      const hangs = () =>
        new Promise<never>((_, reject) => {
          breaks = reject;
        });
      const outcome = { kind: 'outcome', outcome: done('Here it is.') } as const;
      const errand = new Errand(a2a(), { delegate: [hangs], lookUp: [running, outcome] });
      const first = errand.first();
      await quiet();
      const second = errand.process('second');
      await quiet();
      // The first one hears of it with the log.
      await first.clock.pass(1_000).then(quiet);
      if (what === 'breaks') breaks(lost);
      else for (let passed = 0; passed < longMs; passed += 10_000) await first.clock.pass(10_000).then(quiet);
      await first.ended;
      expect([errand.asked.length, errand.state.run?.status]).toEqual([1, 'open']);
      await second.clock.pass(60_000).then(quiet);
      await second.ended;
      expect([errand.asked.length, errand.all('toolCallInDoubt'), await errand.response()]).toEqual([
        2,
        [],
        'Here it is.',
      ]);
    },
  );

  test('that is faster with the fence is the only one to send', async () => {
    const errand = new Errand(a2a(), { delegate: [done('Paid twice.')] });
    const happens = (): void => {
      const { definitions, state } = errand;
      const commands = [
        { type: 'claim', dead: ['first'] },
        { type: 'startCall', callId: id, attempt: 1, bridge: '' },
      ] as const;
      const context = { definitions, runId: 'r', me: { instance: 'second', epoch: 0 }, now: 0 };
      const decision = decideRun(state, commands, context);
      if (decision.kind === 'append') errand.append(decision.facts);
    };
    errand.before = { fact: 'delegationStarted', happens };
    await errand.first().ended;
    expect([errand.all('delegationStarted').length, errand.sent]).toEqual([1, []]);
  });

  test('has settled the attempt of one that was frozen before it sent: that one does not send it any more', async () => {
    const errand = new Errand(a2a(), {
      delegate: [done('Paid.')],
      lookUp: [{ kind: 'unknown', message: 'nobody knows' }],
    });
    const frozen = errand.first({ isFresh: () => false });
    await quiet();
    expect([errand.names.at(-1), errand.sent]).toEqual(['delegationStarted', []]);
    await errand.process('second').ended;
    frozen.renew();
    await frozen.ended;
    expect([errand.all('toolCallInDoubt').length, errand.sent]).toEqual([1, []]);
  });

  test('has taken over from one that was frozen, and has renewed its heartbeat since: that one does not send, either', async () => {
    const errand = new Errand(a2a(), { delegate: [done('Paid.')] });
    let asked = 0;
    const isFresh = () => {
      asked += 1;
      if (asked !== 2) return asked > 2;
      const me = { instance: 'second', epoch: 0 };
      const context = { definitions: errand.definitions, runId: 'r', me, now: 0 };
      const callId = errand.all('delegationStarted')[0]?.callId ?? '';
      const unknown = { type: 'callUnknown', callId, attempt: 1, reason: 'lost', argumentsJson: '{}' } as const;
      const claimed = decideRun(errand.state, [{ type: 'claim', dead: ['first'] }, unknown], context);
      if (claimed.kind === 'append') errand.append(claimed.facts);
      return true;
    };
    await errand.first({ isFresh }).ended;
    expect([errand.names.includes('runClaimed'), errand.sent]).toEqual([true, []]);
  });
});

describe('when the run is canceled', () => {
  const canceling = (errand: Errand) => {
    const decision = cancelRun(errand.state, { reason: 'enough' });
    if (decision.kind === 'append') errand.append(decision.facts);
  };

  test('the agent is asked to stop, by its task, and what it came to is noted as late', async () => {
    let end: (outcome: ReturnType<typeof done>) => void = () => undefined;
    const errand = new Errand(a2a(), {
      delegate: [
        (_, tell) => {
          tell(working);
          return new Promise((resolve) => {
            end = resolve;
          });
        },
      ],
    });
    const { clock, ended } = errand.first();
    await quiet();
    canceling(errand);
    await clock.pass(1_000).then(quiet);
    expect(errand.canceled).toMatchObject([{ taskId: 'task-1' }]);
    end(done('It was too late.'));
    await ended;
    expect(errand.all('delegationFinished')).toMatchObject([
      { late: true, content: 'It was too late.', agent: 'peer' },
    ]);
  });

  test('an agent that was sent the message again, and says nothing, is not waited for without end either', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    const errand = new Errand(a2a(), { delegate: [lost, hangs], lookUp: [{ kind: 'repeatable' }] });
    const { clock, ended } = errand.first();
    await quiet();
    expect(errand.sent).toHaveLength(2);
    canceling(errand);
    for (let passed = 0; passed < longMs; passed += 10_000) await clock.pass(10_000).then(quiet);
    await ended;
    expect([errand.sent.length, errand.names.at(-1)]).toEqual([2, 'toolCallInDoubt']);
  });

  test.each([
    ['goes on all the same', Array(100).fill(running)],
    ['is gone', []],
    ['would take the message again', Array(100).fill({ kind: 'repeatable' })],
  ])('an agent that %s is not waited for without end, and is sent nothing', async (_, lookUp) => {
    const errand = new Errand(a2a(), { lookUp });
    const { clock, ended } = errand.first();
    await quiet();
    canceling(errand);
    await quiet();
    for (let passed = 0; passed < longMs; passed += 10_000) await clock.pass(10_000).then(quiet);
    await ended;
    expect([errand.sent.length, errand.canceled.length]).toEqual([1, 1]);
    expect(errand.names.at(-1)).toBe('toolCallInDoubt');
  });
});

describe('a bearer token', () => {
  test('goes with the message, and is never on the record', async () => {
    const errand = new Errand(a2a(), { delegate: [done('Paid.')] }, [], true);
    const bearer = new Secret('s3cret');
    await errand.first({ bearer }).ended;
    expect(errand.sent[0]?.request.bearer).toBe(bearer);
    const text = JSON.stringify(errand.log, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toContain('s3cret');
  });

  test('that the run began with and that is not at hand is waited for before anything is sent', async () => {
    const errand = new Errand(a2a(), { delegate: [done('Paid.')] }, [], true);
    await errand.first().ended;
    expect([errand.sent, errand.all('inputRequested')]).toMatchObject([
      [],
      [{ prompt: 'Authentication required to access the peer agent.' }],
    ]);
    errand.append(provideToken(errand.state));
    await errand.process('second', { bearer: new Secret('s3cret') }).ended;
    expect(await errand.response()).toBe('Paid.');
  });

  test('that the agent wants pauses the run; nothing counts as sent', async () => {
    const errand = new Errand(a2a(), { delegate: [{ kind: 'unauthenticated' }, done('Paid.')] });
    await errand.first().ended;
    expect(errand.all('toolCallRefused')).toMatchObject([{ reason: facts.RefusalReason.UNAUTHENTICATED }]);
    errand.append(provideToken(errand.state));
    await errand.process('second').ended;
    expect([errand.all('delegationStarted').length, await errand.response()]).toEqual([2, 'Paid.']);
  });
});
