import { fileURLToPath } from 'node:url';
import { samplingTokensMax } from '@stopgo/core';
import { facts, type mcp } from '@stopgo/proto';
import type { McpServerConfig } from '@stopgo/runtime';
import { describe, expect, test } from 'vitest';
import { AnswerWait, type AnswerWaitDependencies } from '../src/attempts/answer-wait.ts';
import { bridgeBounds } from '../src/bounds.ts';
import { OpenQuestions } from '../src/questions/open-questions.ts';
import { finishedOf, startBridge, stdioServer } from './support/bridge.ts';

const script = fileURLToPath(new URL('fixtures/sampling-server.mjs', import.meta.url));
const { ACCEPT, CANCEL } = facts.InputAction;

type Era = 'legacy' | 'modern';
type Bridge = Awaited<ReturnType<typeof startBridge>>;

const server = (era: Era, more: Partial<McpServerConfig> = {}): McpServerConfig =>
  stdioServer('samples', process.execPath, [script, era], { era, sampling: true, ...more });

const said = (text: string, role = 'user') => ({ role, content: { type: 'text', text } });
const params = (more: object = {}) => ({ messages: [said('Say hello.')], maxTokens: 50, ...more });

function askedIn(outcome: mcp.ExecuteResponse['outcome']): mcp.Question[] {
  if (outcome.case !== 'asking') throw new Error(`not asking: ${JSON.stringify(outcome)}`);
  return outcome.value.questions;
}

async function sampled({ client, keyOf, instance }: Bridge, call: string, questionId: string, contentJson: string) {
  const key = keyOf(call);
  const action = contentJson === '' ? CANCEL : ACCEPT;
  await client.answerCall({ key, instance, questionId, action, contentJson });
  const { state } = await client.fenceCall({ key, instance, knownQuestions: [questionId], waitMs: 20_000 });
  if (state.case !== 'outcome') throw new Error(`not ended: ${state.case}`);
  return state.value.outcome;
}

const answer = { role: 'assistant', content: { type: 'text', text: 'Hello.' }, model: 'm-1', stopReason: 'endTurn' };

describe.each<Era>(['legacy', 'modern'])('a server that may have the model asked, %s era', (era) => {
  test('has its request told to whoever drives the run, and is given the answer as it is', async () => {
    const bridge = await startBridge([server(era)]);
    const messages = [said('Say hello.'), said('Hello?', 'assistant'), said('Shorter.')];
    const wanted = params({ messages, systemPrompt: 'Be kind.', stopSequences: ['.'], temperature: 1, maxTokens: 1e6 });
    const [question] = askedIn(await bridge.execute('sample', { params: wanted }, { call: 'c' }));
    expect(question).toMatchObject({ message: '', schemaJson: '', url: '' });
    expect(question?.sampling).toMatchObject({
      systemPrompt: 'Be kind.',
      messages: [
        { byModel: false, text: 'Say hello.' },
        { byModel: true, text: 'Hello?' },
        { byModel: false, text: 'Shorter.' },
      ],
      maxTokens: samplingTokensMax,
      stopSequences: ['.'],
    });
    const outcome = await sampled(bridge, 'c', question?.id ?? '', JSON.stringify(answer));
    expect(JSON.parse(finishedOf(outcome).content)).toEqual(answer);
  });

  test('is told that there is no answer, if there is none', async () => {
    const bridge = await startBridge([server(era)]);
    const [question] = askedIn(await bridge.execute('sample', { params: params() }, { call: 'c' }));
    const outcome = await sampled(bridge, 'c', question?.id ?? '', '');
    expect(finishedOf(outcome).content).toContain('there is no answer of a model');
  });

  test.each([
    [
      'an image',
      params({ messages: [{ role: 'user', content: { type: 'image', data: 'aa', mimeType: 'image/png' } }] }),
      'content of type \\"image\\"',
    ],
    [
      'sound',
      params({ messages: [{ role: 'user', content: { type: 'audio', data: 'aa', mimeType: 'audio/wav' } }] }),
      'content of type \\"audio\\"',
    ],
    ['tools', params({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }), 'no tools are offered'],
    ['what else is known', params({ includeContext: 'allServers' }), 'includeContext \\"allServers\\"'],
    ['nothing', params({ messages: [] }), 'the last message has to be one of the user'],
    ['too much', params({ messages: Array(65).fill(said('x')) }), 'there are more than 64 messages'],
    ['no tokens', params({ maxTokens: 0 }), 'maxTokens has to be 1 or more'],
  ])('is refused %s, in words', async (_, wanted, words) => {
    const bridge = await startBridge([server(era)]);
    const { content } = finishedOf(await bridge.execute('sample', { params: wanted }));
    expect(content.replaceAll('"', '\\"').replaceAll('\\\\"', '\\"')).toContain(`this sampling is refused: ${words}`);
  });

  test('may ask only so often in one call', async () => {
    const bridge = await startBridge([server(era)], { bounds: { samplingsPerCallMax: 0 } });
    const { content } = finishedOf(await bridge.execute('sample', { params: params() }));
    expect(content).toContain('the server asked for more than one call may');
  });

  test('waits no longer for models than a call may', async () => {
    const bridge = await startBridge([server(era)], { bounds: { samplingMs: 300 } });
    const [question] = askedIn(await bridge.execute('sample', { params: params() }, { call: 'c' }));
    const request = {
      key: bridge.keyOf('c'),
      instance: bridge.instance,
      knownQuestions: [question?.id ?? ''],
      waitMs: 20_000,
    };
    const { state } = await bridge.client.fenceCall(request);
    expect(JSON.stringify(state.value, (_, one) => (typeof one === 'bigint' ? 0 : one))).toContain('it took too long');
  });

  test.each<[string, Partial<McpServerConfig>]>([
    ['nothing', {}],
    ['only people', { questions: { form: true, url: false, timeoutMs: 5_000 } }],
  ])('is refused, and its call goes on, where the file lets it ask %s', async (_, more) => {
    const { sampling: _on, ...config } = server(era, more);
    const bridge = await startBridge([config]);
    const { content, isError } = finishedOf(await bridge.execute('sample', { params: params() }));
    if (era === 'legacy') expect(content).toContain('-32601');
    else
      expect([isError, content]).toEqual([
        true,
        expect.stringContaining('asks for something this platform does not give'),
      ]);
    // The connection has not suffered.
    expect((await bridge.client.listServers({})).servers).toMatchObject([{ reconnects: 0, reason: '' }]);
  });
});

test('what a model is asked holds no credential', async () => {
  const config = server('modern');
  const questions = new OpenQuestions(() => 'q-1');
  const watch = { signal: new AbortController().signal, questions };
  const clean = (text: string) => text.replaceAll('s3cret', '[hidden]');
  const clock = () => performance.now();
  const put: AnswerWaitDependencies['put'] = (...question) => questions.ask(...question);
  const wait = new AnswerWait({ config }, watch, { bounds: bridgeBounds, clock, clean, put });
  const messages = [{ byModel: false, text: 'Use s3cret.' }];
  const sampling = { systemPrompt: 's3cret', messages, maxTokens: 1, stopSequences: ['s3cret'] };
  const asked = wait.ask({ message: '', schemaJson: '', url: '', sampling }, watch.signal);
  const [open] = questions.open;
  expect(JSON.stringify(open)).not.toContain('s3cret');
  expect(open?.sampling?.messages).toEqual([{ byModel: false, text: 'Use [hidden].' }]);
  await questions.answer('q-1', { action: 'accept', contentJson: '{}' });
  expect(await asked).toMatchObject({ action: 'accept' });
});

test('what is declared is what the file allows', async () => {
  const declaredBy = async (config: McpServerConfig) => {
    const bridge = await startBridge([config]);
    return JSON.parse(finishedOf(await bridge.execute('sample', {})).content) as Record<string, unknown>;
  };
  const { sampling: _, ...silent } = server('modern');
  expect(await declaredBy(silent)).toEqual({});
  expect(await declaredBy(server('modern'))).toEqual({ sampling: {} });
  const both = server('modern', { questions: { form: true, url: false, timeoutMs: 5_000 } });
  expect(await declaredBy(both)).toEqual({ sampling: {}, elicitation: { form: {} } });
});
