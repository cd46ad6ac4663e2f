import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { byteLength } from '@stopgo/core';
import { facts, type mcp } from '@stopgo/proto';
import type { McpServerConfig } from '@stopgo/runtime';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../tests/free-ports.ts';
import { tierOf } from '../../../tests/tiers.ts';
import {
  afterwards,
  eventually,
  finishedOf,
  httpServer,
  startBridge,
  stdioServer,
  temporaryFolder,
} from './support/bridge.ts';
import { ttlMs, watched } from './support/watched.ts';

const script = fileURLToPath(new URL('fixtures/asking-server.mjs', import.meta.url));
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const questions = { form: true, url: true, timeoutMs: 60_000 };

type Server = { readonly config: McpServerConfig; readonly journal: () => readonly Record<string, unknown>[] };

function journalIn(folder: string) {
  const file = join(folder, 'journal');
  const read = () => {
    try {
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    } catch {
      return [];
    }
  };
  return { file, read };
}

function overPipes(era: McpServerConfig['era'], more: Partial<McpServerConfig> = {}): Server {
  const { file, read } = journalIn(temporaryFolder());
  return {
    config: stdioServer('asking', process.execPath, [script, file], { era, questions, ...more }),
    journal: read,
  };
}

async function overHttp(more: Partial<McpServerConfig> = {}): Promise<Server> {
  const port = await freePort();
  const { file, read } = journalIn(temporaryFolder());
  const child = spawn(process.execPath, [script, file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  afterwards(async () => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    config: httpServer('asking', `http://127.0.0.1:${port}/mcp`, { era: 'modern', questions, ...more }),
    journal: read,
  };
}

function askedIn(outcome: mcp.ExecuteResponse['outcome']): mcp.Question[] {
  if (outcome.case !== 'asking') throw new Error(`not asking: ${outcome.case}`);
  return outcome.value.questions;
}

type Bridge = Awaited<ReturnType<typeof startBridge>>;

const { ACCEPT, DECLINE, CANCEL } = facts.InputAction;

function answering({ client, keyOf, instance }: Bridge, call: string) {
  const key = keyOf(call);
  const answer = (questionId: string, action: facts.InputAction, content?: object) =>
    client.answerCall({
      key,
      instance,
      questionId,
      action,
      contentJson: content === undefined ? '' : JSON.stringify(content),
    });
  const news = (knownQuestions: string[] = [], waitMs = 20_000) =>
    client.fenceCall({ key, instance, knownQuestions, waitMs }, { timeoutMs: waitMs + 1_000 });
  return { answer, news };
}

/** What became of a call whose news are asked for until it has ended. */
async function endOf({ news }: ReturnType<typeof answering>): Promise<mcp.ExecuteResponse['outcome']> {
  for (;;) {
    const { state } = await news();
    if (state.case === 'outcome') return state.value.outcome;
    if (state.case !== 'running') throw new Error(`neither running nor ended: ${state.case}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const servers: readonly (readonly [string, () => Promise<Server> | Server])[] = [
  ['over pipes, before 2026-07-28', () => overPipes('legacy')],
  ['over pipes, 2026-07-28', () => overPipes('modern')],
  ['over HTTP, 2026-07-28', () => overHttp()],
];

/** `npm test` asks over one way only. */
const ways = tierOf(process.env) === 'quick' ? servers.slice(1, 2) : servers;

describe.each(ways)('%s', (_, made) => {
  test('a call asks a person, goes on with the answer, and is one call', async () => {
    const { config, journal } = await made();
    const bridge = await startBridge([config]);
    const { answer, news } = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'c' }));
    expect(question).toMatchObject({ message: 'What about tea?', url: '' });
    expect(JSON.parse(question?.schemaJson ?? '')).toMatchObject({ required: ['amount'] });
    const id = question?.id ?? '';
    expect(journal()).toEqual([{ tool: 'order', name: 'tea', round: 1 }]);
    // Whoever asks is told the same, and whoever knows it waits.
    const { state } = await news();
    expect(state).toMatchObject({ case: 'running', value: { questions: [{ id }] } });
    const later = news([id]);
    expect(await answer(id, ACCEPT, { amount: 3 })).toMatchObject({ taken: true });
    await later;
    const ended = finishedOf(await endOf({ answer, news }));
    expect(ended).toMatchObject({ isError: false, content: 'order tea: accept {"amount":3}' });
    expect(journal().filter(({ done }) => done !== undefined)).toHaveLength(1);
    // The attempt is over: asked for again, it gives its outcome.
    expect(finishedOf(await bridge.execute('order', { name: 'tea' }, { call: 'c' })).content).toBe(ended.content);
  });

  test('the first answer counts: the same again is taken, another is not', async () => {
    const { config } = await made();
    const bridge = await startBridge([config]);
    const { answer, news } = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'c' }));
    const id = question?.id ?? '';
    const all = await Promise.all([
      answer(id, DECLINE),
      answer(id, ACCEPT, { amount: 1 }),
      answer(id, DECLINE),
      answer('another', DECLINE),
    ]);
    expect(all.map(({ taken }) => taken)).toEqual([true, false, true, false]);
    expect(finishedOf(await endOf({ answer, news })).content).toBe('order tea: decline {}');
  });

  test('an address is shown, never fetched, and accepted without values', async () => {
    const { config } = await made();
    const bridge = await startBridge([config]);
    const { answer, news } = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('visit', { name: 'tea' }, { call: 'c' }));
    expect(question).toMatchObject({ url: 'https://pay.example/tea', schemaJson: '' });
    await answer(question?.id ?? '', ACCEPT);
    expect(finishedOf(await endOf({ answer, news })).content).toBe('visit tea: accept {}');
  });

  test('the time that a person takes is not that of the call, and has a bound of its own', async () => {
    const { config } = await made();
    const slow = { ...config, timeoutMs: 150, totalTimeoutMs: 300, questions: { ...questions, timeoutMs: 900 } };
    const bridge = await startBridge([slow], { bounds: { streamResumeMs: 100 } });
    const asked = answering(bridge, 'answered');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'answered' }));
    // Longer than all limits of the call, and shorter than the wait for people.
    await asked.news([question?.id ?? ''], 600);
    expect(await asked.answer(question?.id ?? '', ACCEPT, { amount: 3 })).toMatchObject({ taken: true });
    expect(finishedOf(await endOf(asked)).content).toBe('order tea: accept {"amount":3}');

    const left = answering(bridge, 'left');
    const [second] = askedIn(await bridge.execute('order', { name: 'ink' }, { call: 'left' }));
    await left.news([second?.id ?? ''], 20);
    // Whatever holds the limit must hold it for as long as that.
    collectGarbage();
    expect(finishedOf(await endOf(left)).content).toBe('order ink: cancel {}');
    expect(await left.answer(second?.id ?? '', ACCEPT, { amount: 3 })).toMatchObject({ taken: false });
  });

  test('a question waits a little longer than it says, so that whoever drives the run can end it in time', async () => {
    const { config } = await made();
    const briefly = { ...config, questions: { ...questions, timeoutMs: 200 } };
    const bridge = await startBridge([briefly], { bounds: { answerGraceMs: 600 } });
    const ended = answering(bridge, 'ended');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'ended' }));
    expect(question?.waitMs).toBeLessThanOrEqual(200);
    await ended.news([question?.id ?? ''], 400);
    expect(await ended.answer(question?.id ?? '', CANCEL)).toMatchObject({ taken: true });
    expect(finishedOf(await endOf(ended)).content).toBe('order tea: cancel {}');

    // Nobody ends it.
    const left = answering(bridge, 'left');
    const began = performance.now();
    const [second] = askedIn(await bridge.execute('order', { name: 'ink' }, { call: 'left' }));
    expect(finishedOf(await endOf(left)).content).toBe('order ink: cancel {}');
    expect(performance.now() - began).toBeGreaterThan(750);
    expect(await left.answer(second?.id ?? '', CANCEL)).toMatchObject({ taken: false });
  });

  test('what nobody can be asked with is refused, and a call that asks without an end is given up', async () => {
    const { config } = await made();
    const bridge = await startBridge([config], { bounds: { questionsPerCallMax: 2 } });
    const nested = finishedOf(await bridge.execute('nested', {}));
    expect(nested.isError).toBe(true);
    expect(nested.content).not.toContain('accept');
    expect(finishedOf(await bridge.execute('masked', {})).content).toContain('a character that nobody sees');
    const asked = answering(bridge, 'c');
    let [question] = askedIn(await bridge.execute('endless', {}, { call: 'c' }));
    for (let round = 0; round < 2; round += 1) {
      const id = question?.id ?? '';
      await asked.answer(id, ACCEPT, { more: 'yes' });
      const { state } = await asked.news([]);
      question = state.case === 'running' ? state.value.questions.find((one) => one.id !== id) : undefined;
    }
    expect(finishedOf(await endOf(asked)).isError).toBe(true);
  });

  test('a call that is canceled asks nobody any more', async () => {
    const { config, journal } = await made();
    const bridge = await startBridge([config]);
    const asked = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'c' }));
    await bridge.client.cancelCall({ key: bridge.keyOf('c'), instance: bridge.instance });
    await endOf(asked);
    expect(await asked.answer(question?.id ?? '', ACCEPT, { amount: 3 })).toMatchObject({ taken: false });
    expect(journal().filter(({ action }) => action === 'accept')).toEqual([]);
  });

  test('a bridge that may have been taken for dead gives no answer on, and asks anew once nobody judges by that', async () => {
    const { config, journal } = await made();
    const { pass, heartbeat } = watched();
    const standing = heartbeat('bridge-1');
    await standing.renew();
    const bridge = await startBridge([config], { standing });
    const asked = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'c' }));
    const first = question?.id ?? '';
    const later = asked.news([first]);
    pass(0.8 * ttlMs);
    // It finds out right before it would give the answer on.
    const answered = asked.answer(first, ACCEPT, { amount: 3 });
    await standing.renew();
    expect(await answered).toMatchObject({ taken: false, askedAnew: true });
    const withdrawn = { case: 'running', value: { questions: [], lapsedQuestions: [first] } };
    expect((await later).state).toMatchObject(withdrawn);
    expect(await asked.answer(first, ACCEPT, { amount: 3 })).toMatchObject({ taken: false, askedAnew: true });
    for (let passed = 0; passed < 3; passed += 1) {
      pass(0.4 * ttlMs);
      await standing.renew();
      expect((await asked.news([], 20)).state).toMatchObject(withdrawn);
    }
    expect(journal()).toEqual([{ tool: 'order', name: 'tea', round: 1 }]);
    const anew = asked.news([]);
    pass(0.4 * ttlMs);
    await standing.renew();
    const { state } = await anew;
    const [second] = state.case === 'running' ? state.value.questions : [];
    expect(second?.id).not.toBe(first);
    expect(second?.message).toBe('What about tea?');
    expect(await asked.answer(second?.id ?? '', ACCEPT, { amount: 4 })).toMatchObject({ taken: true });
    expect(finishedOf(await endOf(asked)).content).toBe('order tea: accept {"amount":4}');
    expect(journal().filter(({ done }) => done !== undefined)).toHaveLength(1);
  });

  test('a call whose time for people ends while its bridge is out of touch is in doubt, and says why', async () => {
    const { config, journal } = await made();
    const { pass, heartbeat } = watched();
    const standing = heartbeat('bridge-1');
    await standing.renew();
    const bridge = await startBridge([{ ...config, questions: { ...questions, timeoutMs: 300 } }], { standing });
    const asked = answering(bridge, 'c');
    askedIn(await bridge.execute('order', { name: 'tea' }, { call: 'c' }));
    pass(0.8 * ttlMs);
    await standing.renew();
    const ended = await endOf(asked);
    expect(ended).toMatchObject({ case: 'unknown', value: { message: expect.stringContaining('taken for dead') } });
    expect(journal()).toEqual([{ tool: 'order', name: 'tea', round: 1 }]);
  });

  test('a call that goes on under another id of its bridge may ask more than once under that', async () => {
    const { config } = await made();
    const { pass, heartbeat } = watched();
    const standing = heartbeat('bridge-1');
    await standing.renew();
    const bridge = await startBridge([config], { standing, bounds: { questionsPerCallMax: 2 } });
    const asked = answering(bridge, 'c');
    const [question] = askedIn(await bridge.execute('endless', {}, { call: 'c' }));
    let known = question?.id ?? '';
    const askedNext = async () => {
      const { state } = await asked.news([]);
      return state.case === 'running' ? (state.value.questions[0]?.id ?? '') : '';
    };
    pass(0.8 * ttlMs);
    await standing.renew();
    for (let passed = 0; passed < 4; passed += 1) {
      pass(0.4 * ttlMs);
      await standing.renew();
    }
    for (let round = 0; round < 2; round += 1) {
      await eventually(async () => ![known, ''].includes(await askedNext()), 'it asks');
      known = await askedNext();
      expect(await asked.answer(known, DECLINE)).toMatchObject({ taken: true });
    }
    // Beyond what it may ask it is told to cancel, under that id as well: the call is not in doubt.
    expect(finishedOf(await endOf(asked)).isError).toBe(true);
  });
});

test('a call whose tool is not offered any more is still one that must not run twice', async () => {
  const { config, journal } = await overHttp({ callsAtOnce: 2 });
  const { pass, heartbeat } = watched();
  const standing = heartbeat('bridge-1');
  await standing.renew();
  const bridge = await startBridge([config], { standing, bounds: { listFreshMs: 0 } });
  const asked = answering(bridge, 'c');
  const [first] = askedIn(await bridge.execute('endless', { name: 'the last one' }, { call: 'c' }));
  // The list is read again for another call.
  askedIn(await bridge.execute('survey', {}));
  expect((await bridge.tools()).map(({ name }) => name)).not.toContain('endless');
  expect(await asked.answer(first?.id ?? '', ACCEPT, { more: 'yes' })).toMatchObject({ taken: true });
  const { state } = await asked.news([]);
  const [second] = state.case === 'running' ? state.value.questions : [];
  expect(second?.id).not.toBe(first?.id);
  pass(0.8 * ttlMs);
  const answered = asked.answer(second?.id ?? '', ACCEPT, { more: 'yes' });
  await standing.renew();
  expect(await answered).toMatchObject({ taken: false, askedAnew: true });
  expect(journal().filter(({ tool }) => tool === 'endless')).toHaveLength(2);
});

test('a long question is cut before anything is made of it: its mark is that of what the server said', async () => {
  const bridge = await startBridge([overPipes('modern', { callsAtOnce: 2 }).config]);
  const name = `${'x'.repeat(5_000)}\u202e`;
  const [question] = askedIn(await bridge.execute('order', { name }, { call: 'c' }));
  expect(question?.message).toContain(`[cut: ${byteLength(`What about ${name}?`)} bytes in full`);
  const [short] = askedIn(await bridge.execute('order', { name: '\u202e' }, { call: 'd' }));
  expect(short?.message).toBe('What about \\u{202e}?');
});

test('calls that ask at the same time are asked for each by itself', async () => {
  for (const { config } of [overPipes('modern', { callsAtOnce: 4 }), await overHttp({ callsAtOnce: 4 })]) {
    const bridge = await startBridge([config]);
    const names = ['tea', 'ink', 'rum'];
    const asked = await Promise.all(names.map((name) => bridge.execute('order', { name }, { call: name })));
    for (const [index, name] of names.entries()) {
      const [question] = askedIn(asked[index] ?? { case: undefined });
      expect(question?.message).toBe(`What about ${name}?`);
      await answering(bridge, name).answer(question?.id ?? '', ACCEPT, { amount: index + 1 });
    }
    for (const [index, name] of names.entries())
      expect(finishedOf(await endOf(answering(bridge, name))).content).toBe(
        `order ${name}: accept {"amount":${index + 1}}`,
      );
  }
});

test.each([
  ['nothing', undefined],
  ['addresses only', { form: false, url: true, timeoutMs: 1_000 }],
])('a server that may ask %s is told so, and asks for no values', async (_, allowed) => {
  for (const era of ['legacy', 'modern'] as const) {
    const { config } = overPipes(era);
    const { questions: _all, ...bare } = config;
    const bridge = await startBridge([{ ...bare, ...(allowed === undefined ? {} : { questions: allowed }) }]);
    const ended = finishedOf(await bridge.execute('order', { name: 'tea' }));
    expect(ended.isError).toBe(true);
    expect(ended.content).not.toContain('accept');
  }
});

test('a token that the server repeats in a question is shown to nobody', async () => {
  const token = 'alice-token-0123456789';
  const bridge = await startBridge([(await overHttp()).config]);
  const [question] = askedIn(await bridge.execute('order', { name: token }, { call: 'c', token }));
  expect(question?.message).toBe('What about [secret]?');
  await answering(bridge, 'c').answer(question?.id ?? '', CANCEL);
  await eventually(async () => (await answering(bridge, 'c').news()).state.case === 'outcome', 'the end');
});

test('a token where a long question is cut is shown to nobody, not even in part', async () => {
  const token = 'alice-token-0123456789';
  const bridge = await startBridge([(await overHttp()).config]);
  const name = `${'x'.repeat(300)} ${token.repeat(300)}`;
  const [question] = askedIn(await bridge.execute('order', { name }, { call: 'c', token }));
  expect(question?.message).toMatch(/^What about x+ \[secret\]/);
  expect(question?.message).not.toContain('ali');
  await answering(bridge, 'c').answer(question?.id ?? '', CANCEL);
  await eventually(async () => (await answering(bridge, 'c').news()).state.case === 'outcome', 'the end');
});

test('a question that is too long is cut', async () => {
  const bridge = await startBridge([overPipes('legacy').config]);
  const [question] = askedIn(await bridge.execute('order', { name: 'x'.repeat(5_000) }, { call: 'c' }));
  expect(question?.message).toHaveLength(4 * 1024);
  await answering(bridge, 'c').answer(question?.id ?? '', CANCEL);
  await eventually(async () => (await answering(bridge, 'c').news()).state.case === 'outcome', 'the end');
});
