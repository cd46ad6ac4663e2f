import { createHash, randomUUID } from 'node:crypto';
import { type ConversationState, initialState, type Principal, type RunState, unavailable } from '@stopgo/core';
import type { Append } from '@stopgo/log';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { KeepBlob } from '../src/blobs.ts';
import { provide } from '../src/provide-input.ts';
import { driverWith } from './driver/one-driver.ts';

const inputId = randomUUID();
const csv = Buffer.from('item,price\nkey,2.99\n');
const file = { name: 'prices.csv', mediaType: 'text/csv', bytes: csv };

/** A run whose agent waits for a file. */
function waiting(type: 'file' | 'text' = 'file'): ConversationState {
  const asks = { type, schemaJson: '', isRequired: true, agent: 'reader', node: 'reader', tool: 'request_user_input' };
  const asked = { kind: 'request', id: inputId, callId: 'root#1.0', requestedAt: 0, prompt: 'Which file?', asks };
  const call = { phase: 'waiting', stepId: 'root', attempt: 0 };
  const run = { id: 'r', status: 'open', interrupts: { [inputId]: asked }, calls: { 'root#1.0': call }, steps: {} };
  return { ...initialState, id: randomUUID(), revision: 5, run: run as unknown as RunState };
}

/** The same once somebody else has answered. */
function answered(state: ConversationState): ConversationState {
  const settled = { how: 'accept', by: 'ada', at: 0 };
  const run = { ...state.run, interrupts: {}, settledInputs: { [inputId]: settled } } as unknown as RunState;
  return { ...state, revision: 7, run };
}

type Given = {
  readonly keepBlob: KeepBlob;
  readonly states?: readonly ConversationState[];
  readonly action?: facts.InputAction;
};

/** What a file as an answer comes to, and what is appended; `states`: what the log shows, one after the other. */
async function given({ keepBlob, states = [waiting()], action = facts.InputAction.ACCEPT }: Given) {
  const { ports } = driverWith({});
  const appends: Append[] = [];
  const log = {
    ...ports.log,
    append: async (append: Append) => {
      appends.push(append);
      throw new Error('it is put on the record');
    },
  };
  const left = [...states];
  const registry = {
    ports: { ...ports, log },
    load: async () => ({ state: left.length > 1 ? left.shift() : left[0], knownKeys: [] }),
  };
  const request = { conversationId: states[0]?.id ?? '', inputId, contentJson: '', action, file };
  const context = { principal: { kind: 'anonymous' } as unknown as Principal };
  const parts = { registry, keepBlob } as unknown as Parameters<typeof provide>[0];
  const error = await provide(parts, {} as never, request as never, context as never).catch((one: unknown) => one);
  return { error, facts: appends.flatMap(({ facts: all }) => all) };
}

test('a file is kept for the call that waits before its answer is put on the record, which names its digest', async () => {
  const order: string[] = [];
  const state = waiting();
  const keepBlob: KeepBlob = async (holder, bytes) => {
    order.push(`${holder.conversationId === state.id} ${holder.runId} ${holder.callId} ${Buffer.from(bytes)}`);
    return true;
  };
  const { facts: recorded } = await given({ keepBlob, states: [state] });
  expect(order).toEqual([`true r root#1.0 ${csv}`]);
  const digest = createHash('sha256').update(csv).digest('hex');
  const blob = { digest, mediaType: 'text/csv', name: 'prices.csv', size: BigInt(csv.length) };
  expect(recorded).toMatchObject([
    { case: 'inputProvided' },
    { case: 'toolCallFinished', value: { callId: 'root#1.0', blobs: [blob] } },
  ]);
});

test('while the store does not keep a file, its answer is not put on the record', async () => {
  const { error, facts: recorded } = await given({ keepBlob: () => Promise.reject(unavailable('no space')) });
  expect(error).toMatchObject({ kind: 'unavailable' });
  expect(recorded).toEqual([]);
});

test('whose file is not kept because somebody was faster is told who answered', async () => {
  const before = waiting();
  const states = [before, answered(before)];
  const { error, facts: recorded } = await given({ keepBlob: async () => false, states });
  expect(error).toMatchObject({ kind: 'failed_precondition', details: { reason: 'settled', by: 'ada' } });
  expect(recorded).toEqual([]);
});

test('an answer names no file that is not kept, though the log shows nothing of why: it is to be tried again', async () => {
  const { error, facts: recorded } = await given({ keepBlob: async () => false });
  expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('try again') });
  expect(recorded).toEqual([]);
});

test.each<[string, Omit<Given, 'keepBlob'>]>([
  ['for a text', { states: [waiting('text')] }],
  ['with a no', { action: facts.InputAction.DECLINE }],
  ['to a question that is answered', { states: [answered(waiting())] }],
])('a file %s is not kept', async (_, answer) => {
  const kept: string[] = [];
  const keepBlob: KeepBlob = async ({ callId }) => kept.push(callId) > 0;
  const { facts: recorded } = await given({ ...answer, keepBlob });
  expect([kept, recorded]).toEqual([[], []]);
});
