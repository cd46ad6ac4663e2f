// The model of the platform while the kit talks to it: what it says is asked for by the id of the message that it answers.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Models } from '@stopgo/orchestrator';
import { ANSWER, LONG_MS, STREAMED_MS, type Wish, wishOf } from './script.ts';

type ModelPort = ReturnType<Models['forModel']>;
type ModelAnswer = Extract<Awaited<ReturnType<ModelPort['generate']>>, { kind: 'answer' }>['answer'];

/** The id of the message that is being handed in: everything that follows from it in this process finds it here. */
const handedIn = new AsyncLocalStorage<string>();

/** Hands a message in. */
export const withMessageId = <T>(messageId: string, hand: () => T): T => handedIn.run(messageId, hand);

/** Says what is asked for; what is to wait for somebody is a call of a tool that needs an approval. */
export const scriptedModel: ModelPort = {
  takes: () => false,
  generate: async (_, { signal }) => {
    const wish = wishOf(handedIn.getStore() ?? 'tck-');
    if (isToWait(wish)) return { kind: 'answer', answer: gatedCall() };
    const scene = wish.kind === 'scene' ? wish.scene : '';
    await pause(durationOf(scene), undefined, { signal });
    return { kind: 'answer', answer: said(TEXTS[scene] ?? ANSWER) };
  },
};

const isToWait = (wish: Wish): boolean =>
  wish.kind === 'ask' || (wish.kind === 'scene' && wish.scene === 'tck-input-required');

function durationOf(scene: string): number {
  if (scene === 'test-resubscribe-message-id') return LONG_MS;
  return scene.startsWith('tck-stream-') ? STREAMED_MS : 0;
}

const TEXTS: Readonly<Record<string, string>> = {
  'tck-artifact-text': 'Generated text content',
  'tck-stream-001': 'Stream hello from TCK',
  'tck-stream-003': 'Stream task lifecycle',
  'tck-stream-ordering-001': 'Ordered output',
  'tck-stream-artifact-text': 'Streamed text content',
};

const answer = (part: Pick<ModelAnswer, 'text' | 'calls' | 'stopReason'>): ModelAnswer => ({
  ...part,
  provider: 'gemini',
  model: 'scripted',
  usage: { inputTokens: 0, outputTokens: 0 },
});

const said = (text: string): ModelAnswer => answer({ text, calls: [], stopReason: 'stop' });

const gatedCall = (): ModelAnswer =>
  answer({
    text: '',
    calls: [{ providerCallId: '', name: 'resources_add', argumentsJson: '{"name":"asked-for","value":1}' }],
    stopReason: 'tool_use',
  });
