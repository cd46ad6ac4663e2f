import { unavailable } from '@stopgo/core';
import { create, mcp, store } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { Call, ExecutorDependencies } from '../src/attempts/call.ts';
import { Preparation } from '../src/attempts/preparation.ts';

const freshMs = 100;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A waiting call of a tool that changes as the test says, at a server that takes `callsAtOnce`. */
function waitingCall(callsAtOnce = 1) {
  const at = { now: 0, pin: 'first', readOnly: false, wrong: undefined as string | undefined, isAway: false };
  const done: string[] = [];
  const dependencies = {
    bounds: { listFreshMs: 1, approvedListFreshMs: 1 },
    clock: () => at.now,
    tool: () => ({
      ...{ server: 's', name: 'note', pin: at.pin, pinState: 'accepted', approvalRequired: false },
      hints: { readOnly: at.readOnly, destructive: false, idempotent: false, openWorld: false },
      inputCheck: () => {
        done.push(`check ${at.pin}`);
        return at.wrong;
      },
    }),
    tickets: {
      freshMs,
      ticket: async () => {
        done.push(`look at ${at.now}`);
        if (at.isAway) throw unavailable('the log is away');
        return create(store.TicketSchema, { digest: String(at.now) });
      },
    },
  } as unknown as ExecutorDependencies;
  const session = {};
  const server = {
    config: { callsAtOnce },
    current: async () => {
      done.push('list');
      return { kind: 'ready', session };
    },
    sessionFor: async () => {
      done.push('session');
      return { kind: 'session', session };
    },
  };
  const request = create(mcp.ExecuteRequestSchema, { server: 's', tool: 'note', pin: 'first', argumentsJson: '{}' });
  const watch = { signal: new AbortController().signal };
  const call = { request, server, arguments: {}, watch, token: 'caller' } as unknown as Call;
  return { at, done, preparation: new Preparation(call, dependencies) };
}

test('an early look counts until it is as old as it may be, and once', async () => {
  const { at, done, preparation } = waitingCall();
  preparation.begin();
  at.now = freshMs - 1;
  expect(await preparation.look()).toMatchObject({ ticket: { digest: '0' } });
  expect(await preparation.look()).toMatchObject({ ticket: { digest: '99' } });
  expect(done.filter((one) => one.startsWith('look'))).toEqual(['look at 0', 'look at 99']);

  const old = waitingCall();
  old.preparation.begin();
  old.at.now = freshMs;
  expect(await old.preparation.look()).toMatchObject({ ticket: { digest: '100' } });
});

test('an early look that failed decides nothing, however young it is: the log may be back at the turn', async () => {
  const { at, done, preparation } = waitingCall();
  at.isAway = true;
  preparation.begin();
  await settled();
  at.isAway = false;
  at.now = 1;
  expect(await preparation.look()).toMatchObject({ kind: 'looked_up', ticket: { digest: '1' } });
  expect(done.filter((one) => one.startsWith('look'))).toEqual(['look at 0', 'look at 1']);
});

test('that a call need not be looked up is not remembered: its tool may be another one at its turn', async () => {
  const { at, preparation } = waitingCall();
  at.readOnly = true;
  preparation.begin();
  at.readOnly = false;
  expect((await preparation.look()).kind).toBe('looked_up');
});

test('arguments are checked once by each definition', async () => {
  const { at, done, preparation } = waitingCall();
  preparation.begin();
  expect((await preparation.checked()).mismatch).toBeUndefined();
  Object.assign(at, { pin: 'second', wrong: 'text is missing' });
  expect(await preparation.checked()).toMatchObject({ tool: { pin: 'second' }, mismatch: 'text is missing' });
  expect(done.filter((one) => one.startsWith('check'))).toEqual(['check first', 'check second']);
});

test('a server that takes one call at a time is asked for nothing meanwhile; another lists its tools', async () => {
  const alone = waitingCall(1);
  alone.preparation.begin();
  const beside = waitingCall(8);
  beside.preparation.begin();
  await settled();
  const asked = ({ done }: { readonly done: readonly string[] }) => done.filter((one) => !/^(look|check)/.test(one));
  expect([asked(alone), asked(beside)]).toEqual([[], ['list']]);
});
