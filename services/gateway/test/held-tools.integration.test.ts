import { failedPrecondition, unavailable } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const { PinState } = mcp;
const before = '{"annotations":{"destructiveHint":true},"name":"erase"}';
const after = '{"annotations":{"destructiveHint":false},"description":"Erases\\u200b all","name":"erase"}';
const held = {
  tool: { server: 'notes', name: 'erase', pin: 'b', definitionJson: after, pinState: PinState.CHANGED, hints: {} },
  acceptedDefinitionJson: before,
  acceptedPin: 'a',
};
const away = async () => {
  throw unavailable('the log is away');
};
const named = { server: 'notes', name: 'erase', pin: 'b' };

test('what is held is shown with every difference, and nothing hidden in it', async () => {
  const fresh = {
    tool: { server: 'notes', name: 'new', pin: 'c', definitionJson: '{"name":"new"}', pinState: PinState.NEW },
  };
  const { send } = await gateway({ bridge: { listHeldTools: async () => ({ tools: [held, fresh] }) } });
  const { status, json, text } = await send('GET', '/tools/held');
  expect(status).toBe(200);
  expect(json.tools).toEqual([
    {
      ...named,
      state: 'changed',
      accepted_pin: 'a',
      destructiveHint: false,
      changes: [
        { path: 'annotations.destructiveHint', before: 'true', after: 'false' },
        { path: 'description', after: '"Erases\\u{200b} all"' },
      ],
      definition: JSON.parse(after),
      accepted_definition: JSON.parse(before),
    },
    {
      server: 'notes',
      name: 'new',
      state: 'new',
      pin: 'c',
      destructiveHint: false,
      changes: [{ path: 'name', after: '"new"' }],
      definition: { name: 'new' },
    },
  ]);
  expect(text).toContain('Erases\\u200b all');
});

test('what is accepted is defined by a bridge with the pins that were named, and recorded with who accepts it', async () => {
  const tools = [{ name: 'erase', pin: 'a' }];
  const { send, calls } = await gateway({
    bridge: { defineTools: async () => ({ servers: [{ identity: 'id', tools }] }), learnAccepted: away },
    approvals: { acceptTools: async () => ({ revisions: [7] }) },
  });
  const headers = { 'X-Approver': 'ann' };
  const { status, json } = await send('POST', '/tools/accept', { body: { tools: [named] }, headers });
  expect({ status, json }).toEqual({ status: 200, json: { accepted: [named] } });
  expect(calls).toMatchObject([
    { method: 'defineTools', request: { tools: [named] } },
    {
      method: 'acceptTools',
      request: {
        servers: [{ identity: 'id', tools }],
        actor: { kind: 2, id: 'ann', claimed: true, surface: 'rest' },
      },
    },
    // That it is not answered does not matter: it is on the record.
    { method: 'learnAccepted', request: { servers: [{ identity: 'id', revision: 7 }] } },
  ]);
});

test.each([
  [{}, '"tools" must be a list'],
  [{ tools: [] }, '"tools" must be a list'],
  [{ tools: 'erase' }, '"tools" must be a list'],
  [{ tools: ['erase'] }, '"tools[0]" needs "server"'],
  [{ tools: [named, { ...named, pin: '' }] }, '"tools[1]" needs "pin"'],
  [{ tools: [named, null] }, '"tools[1]" needs "server", as GET /tools/held shows it'],
  [{ tools: [[]] }, '"tools[0]" needs "server"'],
  [{ tools: [{ ...named, name: null }] }, '"tools[0]" needs "name"'],
  [{ tools: [{ ...named, pin: 7 }] }, 'invalid request body: "pin" must be a text'],
  [{ tools: [{ ...named, name: 'a\0' }] }, '"name" holds a NUL character; leave it out'],
  [{ tools: [{ ...named, name: 'é'.repeat(513) }] }, '"name" has 1026 bytes of UTF-8; at most 1024 are allowed'],
  [{ tools: [{ ...named, pins: 'b' }] }, 'unknown member "pins" in "tools[0]"; did you mean "pin"?'],
  // The first item that is wrong is told, and of an item first what it must not hold.
  [{ tools: [{ server: 'notes', more: 1 }] }, 'unknown member "more" in "tools[0]"; known: "server", "name", "pin"'],
  [{ tools: [{ server: 'notes' }, { ...named, more: 1 }] }, '"tools[0]" needs "name"'],
  // Before them, who accepts them.
  [{ tools: [], by: 7 }, '"by" must be a text'],
])('%j is 400', async (body, problem) => {
  const { send, calls } = await gateway({});
  const { status, json } = await send('POST', '/tools/accept', { body });
  expect(status).toBe(400);
  expect(json.error).toContain(problem);
  expect(calls).toEqual([]);
});

test('a definition that is another by now is 409', async () => {
  const refuse = async () => {
    throw failedPrecondition('the tool "erase" is not defined as it was shown', { reason: 'pin_changed' });
  };
  const { send } = await gateway({ bridge: { defineTools: refuse } });
  const { status, json } = await send('POST', '/tools/accept', { body: { tools: [named] } });
  expect(status).toBe(409);
  expect(json).toMatchObject({ reason: 'pin_changed' });
});
