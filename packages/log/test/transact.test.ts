import { initialState, unavailable } from '@stopgo/core';
import { expect, test } from 'vitest';
import { type ConversationLog, commandDeadlineMs, transact } from '../src/index.ts';

const full = unavailable('the disk is full', { reason: 'disk_full', recorded: 'nothing' });
const fails = unavailable('the disk fails', { reason: 'disk_fails' });
const lost = unavailable('no answer');

/** A command on a log whose appends fail in this way, one after the other, the last one for ever; how often it was asked. */
async function command(...failures: readonly Error[]) {
  let asked = 0;
  let now = 0;
  const log = {
    append: async () => {
      throw failures[Math.min(asked++, failures.length - 1)];
    },
  } as unknown as ConversationLog;
  const sleep = async () => {
    now += 1_000;
  };
  const clock = { now: () => now, monotonic: () => now, sleep };
  const state = { ...initialState, id: '3b241101-e2bb-4255-8caf-4136c566a962' };
  const transacted = transact(
    { instance: 'i', log, clock, newId: () => 'id', random: () => 0 },
    { conversationId: state.id, state, knownKeys: [] },
    {
      actor: { kind: 'system', id: 'i' },
      decide: () => ({ kind: 'facts' }),
      factsOf: () => [{ type: 'runReleased', runId: 'r' } as never],
    },
  );
  return { error: await transacted.catch((error: unknown) => error), asked: () => asked, now: () => now };
}

test('a log whose disk takes nothing is told at once: nothing was recorded', async () => {
  const { error, asked } = await command(full);
  expect([error, asked()]).toEqual([full, 1]);
});

test('after a lost answer a full disk says nothing of what was handed in before', async () => {
  const { error, now } = await command(lost, full);
  expect(error).toMatchObject({ message: expect.stringContaining('it is not known whether this took effect') });
  expect(now()).toBeGreaterThan(commandDeadlineMs);
});

test('what a failing disk was handed may be on the record: it is repeated, and not known in the end', async () => {
  const { error, asked, now } = await command(fails);
  expect(error).toMatchObject({ message: expect.stringContaining('it is not known whether this took effect') });
  expect(asked()).toBeGreaterThan(1);
  expect(now()).toBeGreaterThan(commandDeadlineMs);
});
