import { callDigest, unavailable } from '@stopgo/core';
import { facts, mcp, store } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, finishedOf, refusedOf, scriptedServer, startBridge } from './support/bridge.ts';
import { MemoryStore } from './support/memory-store.ts';

const { RefusedReason } = mcp;
const { CLOSED, READY } = store.TicketState;
const args = { text: 'x' };

/** A bridge to one server, and an approved call of its gated tool, with what its conversation holds of it. */
async function approvedCall(more: Parameters<typeof scriptedServer>[2] = {}, tool = 'erase') {
  const server = scriptedServer('s', [], more);
  const started = await startBridge([server.config], { bounds: { recordWaitMs: 300, recordAskMs: 100 } });
  const { pin } = await started.toolNamed(tool);
  const argumentsJson = JSON.stringify(args);
  const digest = callDigest({ server: 's', tool, pin, argumentsJson });
  const given = { attempt: 1, instance: 'bridge-1', approvalId: 'approval-1', digest };
  const ticket = started.store.started(started.keyOf('call'), given);
  const credentials = { call: 'call', pin, digest, approvalId: 'approval-1' };
  return { ...started, server, ticket, digest, credentials };
}

test('an approved call is looked up once, and runs as it stands on the record', async () => {
  const { execute, credentials, store: log, server } = await approvedCall();
  finishedOf(await execute('erase', args, credentials));
  expect(log.asked).toEqual(['call']);
  expect(server.calls('erase')).toBe(1);
});

test.each<[string, (ticket: store.Ticket) => unknown, mcp.RefusedReason, string]>([
  [
    'is not decided',
    ({ approval }) => Object.assign(approval ?? {}, { decision: facts.Decision.UNSPECIFIED }),
    RefusedReason.NOT_APPROVED,
    'the approval has not been given',
  ],
  [
    'was rejected',
    ({ approval }) => Object.assign(approval ?? {}, { decision: facts.Decision.REJECTED }),
    RefusedReason.NOT_APPROVED,
    'the approval has not been given',
  ],
  [
    'says that the call happened',
    ({ approval }) => Object.assign(approval ?? {}, { decision: facts.Decision.HAPPENED }),
    RefusedReason.NOT_APPROVED,
    'the approval has not been given',
  ],
  [
    'is void',
    ({ approval }) => Object.assign(approval ?? {}, { void: true }),
    RefusedReason.NOT_APPROVED,
    'the approval allows nothing any more, because the tool changed after it',
  ],
  [
    'is another one',
    ({ approval }) => Object.assign(approval ?? {}, { id: 'approval-2' }),
    RefusedReason.NOT_APPROVED,
    'the approval does not stand for this call',
  ],
  [
    'is bound to another call',
    ({ approval }) => Object.assign(approval ?? {}, { digest: '0'.repeat(64) }),
    RefusedReason.NOT_APPROVED,
    'the approval is for another call of the tool "erase" of the server "s", or for other arguments',
  ],
  [
    'is not there',
    (ticket) => Object.assign(ticket, { approval: undefined }),
    RefusedReason.NOT_APPROVED,
    'the approval does not stand for this call',
  ],
  [
    'is for what the model asked otherwise',
    (ticket) => Object.assign(ticket, { digest: '0'.repeat(64) }),
    RefusedReason.NOT_ON_RECORD,
    'the conversation holds another call in its place',
  ],
  [
    'is of a call that has not begun',
    (ticket) => Object.assign(ticket, { state: READY, attempt: 0 }),
    RefusedReason.NOT_ON_RECORD,
    'the conversation does not hold the start of this attempt by this bridge',
  ],
  [
    'is of a call that is over',
    (ticket) => Object.assign(ticket, { state: CLOSED }),
    RefusedReason.NOT_ON_RECORD,
    'the conversation does not hold the start of this attempt by this bridge',
  ],
  [
    'is of another attempt',
    (ticket) => Object.assign(ticket, { attempt: 2 }),
    RefusedReason.NOT_ON_RECORD,
    'the conversation does not hold the start of this attempt by this bridge',
  ],
  [
    'is of an attempt of another bridge',
    (ticket) => Object.assign(ticket, { bridgeInstance: 'bridge-2' }),
    RefusedReason.NOT_ON_RECORD,
    'the conversation does not hold the start of this attempt by this bridge',
  ],
])('an approval that %s lets nothing run', async (_what, change, reason, message) => {
  const { execute, credentials, ticket, server } = await approvedCall();
  change(ticket);
  expect(refusedOf(await execute('erase', args, credentials))).toMatchObject({ reason, message });
  expect(server.calls('erase')).toBe(0);
});

test('a call whose conversation holds nothing of it is refused, whatever it brings along', async () => {
  const { execute, credentials, server } = await approvedCall();
  const forged = { ...credentials, call: 'forged', isOnRecord: false };
  expect(refusedOf(await execute('erase', args, forged))).toMatchObject({
    reason: RefusedReason.NOT_ON_RECORD,
    message: 'the conversation has no such call that may run',
  });
  expect(server.calls('erase')).toBe(0);
});

test('a call that runs again by a decision is let through', async () => {
  const { execute, credentials, ticket } = await approvedCall();
  Object.assign(ticket.approval ?? {}, { decision: facts.Decision.RUN_AGAIN });
  finishedOf(await execute('erase', args, credentials));
});

test('what a policy decides does not stand in for the person that the configuration wants', async () => {
  const free = await approvedCall();
  Object.assign(free.ticket.approval ?? {}, { byPolicy: true });
  finishedOf(await free.execute('erase', args, free.credentials));
  const strict = await approvedCall({ approvalRequired: true });
  Object.assign(strict.ticket.approval ?? {}, { byPolicy: true });
  expect(refusedOf(await strict.execute('erase', args, strict.credentials))).toMatchObject({
    reason: RefusedReason.NOT_APPROVED,
    message: 'the approval was given by a policy, and the configuration wants a person',
  });
});

test('a call that is not safe to repeat needs its start on the record, though nobody has to approve it', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  finishedOf(await execute('note', args));
  const { reason } = refusedOf(await execute('note', args, { isOnRecord: false }));
  expect(reason).toBe(RefusedReason.NOT_ON_RECORD);
  expect(server.calls('note')).toBe(1);
});

test('a gated call that is safe to repeat runs as the attempt that is due, and never once it is over', async () => {
  const { execute, credentials, ticket, server } = await approvedCall({ approvalRequired: true }, 'look');
  Object.assign(ticket, { state: READY, attempt: 0, bridgeInstance: '' });
  finishedOf(await execute('look', args, credentials));
  Object.assign(ticket, { state: READY, attempt: 1 });
  finishedOf(await execute('look', args, { ...credentials, attempt: 2 }));
  Object.assign(ticket, { state: CLOSED, attempt: 2 });
  expect(refusedOf(await execute('look', args, { ...credentials, attempt: 3 })).reason).toBe(
    RefusedReason.NOT_ON_RECORD,
  );
  expect(server.calls('look')).toBe(2);
});

test('a call that is neither gated nor harmful to repeat is not looked up', async () => {
  const server = scriptedServer('s');
  const { execute, store: log } = await startBridge([server.config]);
  log.away = unavailable('the log is away');
  finishedOf(await execute('look', args, { isOnRecord: false }));
  expect(log.asked).toEqual([]);
});

test('while the log is away nothing is sent that has to be looked up; once it is back the call goes on', async () => {
  const { send, execute, credentials, store: log, server, keyOf, digest } = await approvedCall();
  log.away = unavailable('the log is away');
  expect(refusedOf(await execute('erase', args, credentials))).toMatchObject({
    reason: RefusedReason.RECORD_UNAVAILABLE,
  });
  expect(server.calls('erase')).toBe(0);
  log.started(keyOf('call'), { attempt: 2, instance: 'bridge-1', approvalId: 'approval-1', digest });
  const { outcome } = await send('erase', args, { ...credentials, attempt: 2 });
  log.away = undefined;
  finishedOf(await outcome);
  expect(server.calls('erase')).toBe(1);
});

test('a tool that changes while its call is looked up is not called any more', async () => {
  const server = scriptedServer('s', [], { callsAtOnce: 2 });
  const log = new MemoryStore();
  const { become, send, toolNamed, acceptAll } = await startBridge([server.config], { store: log });
  const { pin } = await toolNamed('note');
  let goOn: () => void = () => undefined;
  log.holds.set('held', new Promise((resolve) => (goOn = resolve)));
  const { outcome } = await send('note', args, { call: 'held', pin });
  await eventually(() => log.asked.includes('held'), 'the look');
  await become({ note: { description: 'Erases everything' } });
  await acceptAll();
  goOn();
  expect(refusedOf(await outcome).reason).toBe(RefusedReason.PIN_CHANGED);
  expect(server.calls('note')).toBe(0);
});

test('a call that is canceled while it is looked up is not sent', async () => {
  const server = scriptedServer('s');
  const log = new MemoryStore();
  const { client, instance, keyOf, send } = await startBridge([server.config], { store: log });
  let goOn: () => void = () => undefined;
  log.holds.set('held', new Promise((resolve) => (goOn = resolve)));
  const { outcome } = await send('note', args, { call: 'held' });
  await eventually(() => log.asked.includes('held'), 'the look');
  await client.cancelCall({ key: keyOf('held'), instance });
  goOn();
  expect(refusedOf(await outcome)).toMatchObject({
    reason: RefusedReason.FENCED,
    message: 'the call was canceled before it was sent; it did not run',
  });
  expect(server.calls('note')).toBe(0);
});

test('a change that is told while a call is looked up is read before the call is sent', async () => {
  const server = scriptedServer('s', [], { callsAtOnce: 2 });
  const log = new MemoryStore();
  const { send, execute, toolNamed } = await startBridge([server.config], { store: log });
  const { pin } = await toolNamed('note');
  let goOn: () => void = () => undefined;
  log.holds.set('held', new Promise((resolve) => (goOn = resolve)));
  const { outcome } = await send('note', args, { call: 'held', pin });
  await eventually(() => log.asked.includes('held'), 'the look');
  finishedOf(await execute('become', { text: JSON.stringify({ note: { description: 'Erases everything' } }) }));
  // The list is on its way.
  goOn();
  expect(refusedOf(await outcome).reason).toBe(RefusedReason.TOOL_HELD);
  expect(server.calls('note')).toBe(0);
});
