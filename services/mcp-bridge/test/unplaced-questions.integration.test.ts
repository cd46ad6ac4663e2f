import { fileURLToPath } from 'node:url';
import { facts, type mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, finishedOf, startBridge, stdioServer } from './support/bridge.ts';

const script = fileURLToPath(new URL('fixtures/late-server.mjs', import.meta.url));
const questions = { form: true, url: false, timeoutMs: 60_000 };
const server = (more = {}) => stdioServer('late', process.execPath, [script], { era: 'legacy', questions, ...more });

type Bridge = Awaited<ReturnType<typeof startBridge>>;

/** What the server was told in the end, if nobody was asked. */
async function toldAtOnce(bridge: Bridge, call: string): Promise<string> {
  return finishedOf(await bridge.execute('ask', {}, { call })).content;
}

/** What the server was told once a person had declined. */
async function toldByPeople(bridge: Bridge, call: string): Promise<string> {
  const { client, instance, keyOf } = bridge;
  const asked = await bridge.execute('ask', {}, { call });
  if (asked.case !== 'asking') throw new Error(`nobody was asked: ${asked.case}`);
  const questionId = asked.value.questions[0]?.id ?? '';
  await client.answerCall({ key: keyOf(call), instance, questionId, action: facts.InputAction.DECLINE });
  let outcome: mcp.ExecuteResponse['outcome'] = { case: undefined };
  await eventually(async () => {
    const { state } = await client.fenceCall({ key: keyOf(call), instance });
    if (state.case === 'outcome') outcome = state.value.outcome;
    return state.case === 'outcome';
  }, 'the end');
  return finishedOf(outcome).content;
}

/** A call that its server has begun, and does not answer before it is told. */
async function holds({ send, client, keyOf, instance }: Bridge) {
  const { outcome } = await send('hold', {}, { call: 'a' });
  const isHeld = async () => {
    const { state } = await client.fenceCall({ key: keyOf('a'), instance });
    return state.case !== 'running' || state.value.progressMessage === 'held';
  };
  await eventually(isHeld, 'it runs');
  return { outcome };
}

const warnings = ({ lines }: Bridge) =>
  lines.filter(({ level, message }) => level === 'warn' && message.includes('asked'));

test.each(['timed out', 'was canceled'])(
  'what a server asks after a call %s is put to nobody of another call, until that one is answered',
  async (how) => {
    const bridge = await startBridge([server({ timeoutMs: how === 'timed out' ? 300 : 10_000 })]);
    const { client, instance, keyOf } = bridge;
    expect(await toldByPeople(bridge, 'before')).toBe('decline');
    const held = await holds(bridge);
    if (how === 'was canceled') await client.cancelCall({ key: keyOf('a'), instance });
    expect((await held.outcome).case).toBe('unknown');
    expect(await toldAtOnce(bridge, 'b')).toBe('cancel');
    expect(await toldAtOnce(bridge, 'c')).toBe('cancel');
    expect(warnings(bridge)).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/^MCP server "late" asked something .*ended without its answer/),
      },
    ]);
    const problems = (await client.listServers({})).servers.flatMap((one) => one.problems);
    expect(problems).toEqual([expect.stringMatching(/^it asked 2 times and was told to cancel/)]);
    expect(finishedOf(await bridge.execute('settle', {}, { call: 'd' })).content).toBe('settled');
    expect(await toldByPeople(bridge, 'e')).toBe('decline');
  },
);

test('over one pipe a server with several calls at once is told to cancel what it asks, and that is told', async () => {
  const bridge = await startBridge([server({ callsAtOnce: 2 })]);
  const held = await holds(bridge);
  expect(await toldAtOnce(bridge, 'b')).toBe('cancel');
  expect(warnings(bridge)).toEqual([{ level: 'warn', message: expect.stringContaining('`concurrency: 1`') }]);
  expect(bridge.bridge.describe()[0]?.problems).toEqual([expect.stringMatching(/^it asked once .*several/)]);
  await bridge.execute('settle', {}, { call: 'c' });
  expect(finishedOf(await held.outcome).content).toBe('held');
  expect(await toldByPeople(bridge, 'd')).toBe('decline');
});
