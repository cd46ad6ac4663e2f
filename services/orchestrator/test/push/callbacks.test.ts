import { orchestrator } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import type { Nudges } from '../../src/driver/delegations/nudges.ts';
import { callbackService } from '../../src/push/callback-service.ts';
import { Callbacks } from '../../src/push/callbacks.ts';

const task = {
  conversationId: '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d',
  messageId: '0c9d2a34-8a53-4f0e-9b55-3f7f1f2b6a11',
};
const key = new Uint8Array(32).fill(7);
const at = (publicUrl: string | undefined, secret: Uint8Array | undefined = key) =>
  new Callbacks(publicUrl, () => secret);
const tokenOf = (callbacks: Callbacks, of = task): string => callbacks.of(of)?.token.reveal() ?? '';

test('a token is that of one task and one key, whichever process makes it, and is shown by nothing', () => {
  const callback = at('https://a.example.com/agent').of(task);
  expect(callback?.url).toBe(`https://a.example.com/agent/a2a/notify/${task.conversationId}/${task.messageId}`);
  expect(JSON.stringify(callback)).toContain('[secret]');
  const token = tokenOf(at('https://a.example.com'));
  // Who knows the token knows nothing of the key: it is 256 bits of its own.
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(tokenOf(at('https://b.example.com'))).toBe(token);
  expect(tokenOf(at('https://a.example.com', new Uint8Array(32).fill(8)))).not.toBe(token);
  const another = { ...task, messageId: '0c9d2a34-8a53-4f0e-9b55-3f7f1f2b6a12' };
  expect(tokenOf(at('https://a.example.com'), another)).not.toBe(token);
  const swapped = { conversationId: task.messageId, messageId: task.conversationId };
  expect(tokenOf(at('https://a.example.com'), swapped)).not.toBe(token);
});

test('without an address, or without a key, there are no callbacks', () => {
  expect(at(undefined).of(task)).toBeUndefined();
  const keyless = new Callbacks('https://a.example.com', () => undefined);
  expect(keyless.of(task)).toBeUndefined();
  expect(keyless.isOf(task, '')).toBe(false);
});

test('who shows the token has the task looked at; everybody else hears the same, and nobody looks', async () => {
  const looks: string[] = [];
  const nudges: Pick<Nudges, 'nudge'> = { nudge: (...ids) => looks.push(ids.join(' ')) };
  const callbacks = at('https://a.example.com');
  const nobody = async () => ({});
  const client = (service: ReturnType<typeof callbackService>) =>
    createInProcessClient(orchestrator.OrchestratorService, {
      ...{ createConversation: nobody, sendMessage: nobody, cancelRun: nobody, resumeRun: nobody },
      ...{ cancelStep: nobody, pauseRun: nobody, unpauseRun: nobody, provideInput: nobody, listAgents: nobody },
      ...{ setPush: nobody, removePush: nobody },
      ...service,
    });
  const { nudgeTask } = client(callbackService({ callbacks, nudges }));
  const token = tokenOf(callbacks);
  const refused = { kind: 'not_found', message: 'no task is waited for there' };
  for (const wrong of [
    { ...task, token: '' },
    { ...task, token: `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}` },
    { ...task, token: token.slice(0, 20) },
    { ...task, token: token.repeat(1_000) },
    { ...task, conversationId: task.messageId, token },
    { ...task, conversationId: 'c', token },
    { ...task, messageId: '../m', token },
  ])
    await expect(nudgeTask(wrong, {})).rejects.toMatchObject(refused);
  expect(looks).toEqual([]);
  await nudgeTask({ ...task, token }, {});
  expect(looks).toEqual([`${task.conversationId} ${task.messageId}`]);
  await expect(client(callbackService(undefined)).nudgeTask({ ...task, token }, {})).rejects.toMatchObject(refused);
});
