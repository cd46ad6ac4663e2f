import { Role, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';
import type { Started } from '@stopgo/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomesIn } from './junit.ts';
import { runsOf } from './kit-runs.ts';
import { isOf } from './known-faults.ts';
import { startOverLibrary } from './over-library.ts';
import { startOverServices } from './over-services.ts';
import { type Settings, settingsFrom } from './settings.ts';

const FORMS: readonly (readonly [string, (settings: Settings) => Promise<Pick<Started, 'address' | 'stop'>>])[] = [
  ['services', startOverServices],
  ['library', startOverLibrary],
];

describe.each(FORMS)('over %s', (_, start) => {
  let agent: Pick<Started, 'address' | 'stop'>;
  let peer: Client;
  beforeAll(async () => {
    agent = await start(settingsFrom(['--port', '0', '--variant', 'no-streaming', '--variant', 'extended-card']));
    peer = await new ClientFactory().createFromUrl(agent.address);
  });
  afterAll(() => agent?.stop());

  const send = async (messageId: string, taskId = '') => {
    const answer = await peer.sendMessage({
      tenant: '',
      metadata: undefined,
      configuration: undefined,
      message: {
        messageId,
        contextId: '',
        taskId,
        role: Role.ROLE_USER,
        parts: [{ content: { $case: 'text', value: 'go' }, metadata: undefined, filename: '', mediaType: '' }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
    });
    if ('messageId' in answer) return { id: '', shows: 'a message', holds: answer.parts[0]?.content };
    const { id, status, artifacts } = answer;
    return { id, shows: TaskState[status?.state ?? 0], holds: artifacts[0]?.parts[0]?.content };
  };

  test('the id of a message says what is done', async () => {
    const scenes = ['tck-complete-task-1', 'tck-artifact-text-1', 'tck-artifact-data-1', 'tck-message-response-1'];
    expect(
      await Promise.all(scenes.map((scene) => send(scene).then(({ shows, holds }) => [shows, holds?.value]))),
    ).toEqual([
      ['TASK_STATE_COMPLETED', 'Hello from TCK'],
      ['TASK_STATE_COMPLETED', 'Generated text content'],
      ['TASK_STATE_COMPLETED', { key: 'value', count: 42 }],
      ['a message', 'Direct message response'],
    ]);
    expect((await send('tck-artifact-file-1')).holds?.$case).toBe('raw');
    expect((await send('tck-artifact-file-url-1')).holds?.$case).toBe('url');
    expect((await send('tck-reject-task-1')).shows).toBe('TASK_STATE_REJECTED');
  });

  test('what waits is ended by the next message, and what another agent made is found where it is', async () => {
    const { id, shows } = await send('tck-input-required-1');
    expect(shows).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await send('tck-complete-task-2', id)).shows).toBe('TASK_STATE_COMPLETED');
    const file = await send('tck-artifact-file-2');
    expect((await peer.getTask({ tenant: '', id: file.id })).artifacts).toHaveLength(1);
  });

  test('a file is refused, as the platform refuses it', async () => {
    const parts = [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }];
    const response = await fetch(`${agent.address}/message:send`, {
      method: 'POST',
      body: JSON.stringify({ message: { messageId: 'tck-send-003', role: 'ROLE_USER', parts } }),
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('CONTENT_TYPE_NOT_SUPPORTED'),
    ]);
  });

  test('a variant is what it says', async () => {
    const card = await peer.getAgentCard();
    expect([card.capabilities?.streaming, card.capabilities?.extendedAgentCard]).toEqual([false, true]);
    const response = await fetch(`${agent.address}/message:stream`, {
      method: 'POST',
      body: JSON.stringify({ message: { messageId: 'tck-stream-001', role: 'ROLE_USER', parts: [{ text: 'go' }] } }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('UNSUPPORTED_OPERATION')]);
  });
});

test('the kit of 0.3 is run whole: every category over every transport', () => {
  const runs = runsOf('0.3', 'http://127.0.0.1:1', false);
  const categories = ['mandatory', 'capabilities', 'quality', 'features'];
  expect(runs.map(({ title, transport }) => `${title} ${transport}`)).toEqual([
    ...categories.slice(0, 2).flatMap((title) => ['jsonrpc', 'rest', 'grpc'].map((over) => `${title} ${over}`)),
    'equivalence jsonrpc,rest,grpc',
    ...categories.slice(2).flatMap((title) => ['jsonrpc', 'rest', 'grpc'].map((over) => `${title} ${over}`)),
  ]);
  for (const { transport, args } of runs) expect(args[args.indexOf('--transports') + 1]).toBe(transport);
});

test('a fault of the kit is of the test that it names, and of no other of its parameters', () => {
  const fault = { reason: '', test: 'test_must[CORE-1-' };
  expect(['a.b::test_must[CORE-1-grpc]', 'a.b::test_must[CORE-2-grpc]'].map((test) => isOf(fault, test))).toEqual([
    true,
    false,
  ]);
  const whole = { reason: '', test: 'TestA::test_1' };
  expect(['a.TestA::test_1[grpc]', 'a.TestA::test_12[grpc]'].map((test) => isOf(whole, test))).toEqual([true, false]);
});

test('what is no setting is named in one line', () => {
  expect(() => settingsFrom(['--variant', 'no-steam'])).toThrow('there is no variant "no-steam"');
  expect(() => settingsFrom(['--port', '70000'])).toThrow('--port must be 0 to 65535');
});

test('a report of the kit is read as what became of each test', () => {
  const report = `<testsuite><testcase classname="tests.a.TestA" name="test_1[grpc]" time="0.1" />
    <testcase classname="tests.a.TestA" name="test_2" time="0.1"><failure message="x">trace</failure></testcase>
    <testcase classname="tests.a" name="test_3" time="0"><skipped type="pytest.skip" message="no">why</skipped></testcase>
    <testcase classname="tests.a" name="test_5" time="0"><skipped type="pytest.xfail" message="it&#10;should &lt;be&gt;" /></testcase>
    <testcase classname="tests.a" name="test_4" time="0"><error message="y">at setup</error></testcase></testsuite>`;
  expect(outcomesIn(report)).toEqual([
    { test: 'tests.a.TestA::test_1[grpc]', kind: 'passed', said: '' },
    { test: 'tests.a.TestA::test_2', kind: 'failed', said: 'x' },
    { test: 'tests.a::test_3', kind: 'skipped', said: 'no' },
    { test: 'tests.a::test_5', kind: 'short', said: 'it should <be>' },
    { test: 'tests.a::test_4', kind: 'failed', said: 'y' },
  ]);
});
