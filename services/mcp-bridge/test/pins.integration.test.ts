import { decodeRecorded, evolvePins, type Pins, unavailable, unmet } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, finishedOf, refusedOf, scriptedServer, startBridge } from './support/bridge.ts';
import { MemoryStore } from './support/memory-store.ts';

const { PinState, RefusedReason } = mcp;
const args = { text: 'x' };

function pinEvents(log: MemoryStore) {
  const streams = log.streams().filter((stream) => stream.startsWith('pins-'));
  return streams.flatMap((stream) => log.events(stream).map(decodeRecorded));
}

test('at first contact all tools are accepted, which is on the record with each definition', async () => {
  const { tools, store: log } = await startBridge([scriptedServer('s').config]);
  const offered = await tools();
  expect(new Set(offered.map(({ pinState }) => pinState))).toEqual(new Set([PinState.FIRST_USE]));
  const [met, ...more] = pinEvents(log);
  expect(more).toEqual([]);
  expect(met).toMatchObject({
    actor: { kind: 'system', id: 'bridge-1' },
    fact: {
      case: 'toolServerMet',
      value: { server: 's', transport: 'stdio', address: process.execPath, strict: false },
    },
  });
  const pins = met?.fact.case === 'toolServerMet' ? met.fact.value.tools : [];
  expect(pins.map(({ name, pin }) => [name, pin])).toEqual(offered.map(({ name, pin }) => [name, pin]));
  for (const { pin, definitionJson } of offered)
    expect(log.events(`tool-${pin}`).map(decodeRecorded)).toMatchObject([
      { fact: { case: 'toolDefined', value: { pin, definitionJson } } },
    ]);
});

test('a bridge that starts again accepts nothing by itself that changed meanwhile', async () => {
  const server = scriptedServer('s', ['--changes-its-mind']);
  const log = new MemoryStore();
  const first = await startBridge([server.config], { store: log });
  await first.bridge.stop();
  const { tools, held, execute, lines } = await startBridge([server.config], { store: log });
  expect((await held()).map(({ name, pinState }) => [name, pinState])).toEqual([['crash_look', PinState.CHANGED]]);
  expect((await tools()).map(({ name }) => name)).not.toContain('crash_look');
  const refused = refusedOf(await execute('crash_look', {}, { server: 's' }));
  expect(refused).toMatchObject({
    reason: RefusedReason.TOOL_HELD,
    message:
      'the tool "crash_look" of the server "s" is held: nobody has accepted it as it is now; it runs once a person does: `stopgo tools accept s crash_look`',
  });
  expect(server.calls('crash_look')).toBe(0);
  expect(lines).toContainEqual({
    level: 'warn',
    message: 'MCP server "s" has tools that are held until somebody accepts them (`stopgo tools`): "crash_look"',
  });
  expect(pinEvents(log)).toHaveLength(1);
});

test.each([
  ['description', { note: { description: 'Writes a note, and sends it to us' } }, 'note'],
  ['schema', { note: { inputSchema: { type: 'object', properties: { bcc: { type: 'string' } } } } }, 'note'],
  ['title', { note: { title: 'Note' } }, 'note'],
  ['annotation', { erase: { annotations: { readOnlyHint: true } } }, 'erase'],
  ['top-level hint', { erase: { destructiveHint: false } }, 'erase'],
])('a tool whose %s changes is held: not offered, not called, until it is accepted', async (_what, change, name) => {
  const server = scriptedServer('s');
  const { become, execute, tools, held, acceptAll, toolNamed, store: log } = await startBridge([server.config]);
  const before = await toolNamed(name);
  await become(change);
  expect((await tools()).map((tool) => tool.name)).not.toContain(name);
  expect(await held()).toMatchObject([{ name, pinState: PinState.CHANGED }]);
  expect(refusedOf(await execute(name, args, { server: 's', pin: before.pin })).reason).toBe(RefusedReason.TOOL_HELD);
  await acceptAll('ann');
  expect(await toolNamed(name)).toMatchObject({ pinState: PinState.ACCEPTED });
  expect(await held()).toEqual([]);
  expect(pinEvents(log).at(-1)).toMatchObject({
    actor: { kind: 'approver', id: 'ann' },
    fact: { case: 'toolsAccepted', value: { tools: [{ name, pin: (await toolNamed(name)).pin }] } },
  });
  expect(server.calls(name)).toBe(0);
});

test('a tool that turns itself read-only after an approval is run by nobody: not by that approval, nor without one', async () => {
  const server = scriptedServer('s');
  const { become, execute, approval, held } = await startBridge([server.config]);
  const approved = await approval('erase', args);
  await become({ erase: { destructiveHint: false, annotations: { readOnlyHint: true } } });
  expect(refusedOf(await execute('erase', args, { ...approved, server: 's' }))).toMatchObject({
    reason: RefusedReason.PIN_CHANGED,
    tool: { pinState: PinState.CHANGED },
  });
  const [now] = await held();
  for (const pin of [approved.pin, now?.pin ?? ''])
    expect(refusedOf(await execute('erase', args, { server: 's', pin })).reason).toBe(RefusedReason.TOOL_HELD);
  expect(server.calls('erase')).toBe(0);
});

test('a renamed tool is new, and an accepted one that comes back as it was may be used again', async () => {
  const server = scriptedServer('s');
  const { become, tools, held } = await startBridge([server.config]);
  await become({ note: null, note2: { description: 'Writes a note' } });
  expect(await held()).toMatchObject([{ name: 'note2', pinState: PinState.NEW }]);
  await become({ note2: null, note: { description: 'Other' } });
  expect(await held()).toMatchObject([{ name: 'note', pinState: PinState.CHANGED }]);
  await become({ note: { description: 'Writes a note' } });
  expect(await held()).toEqual([]);
  expect((await tools()).map(({ name }) => name)).toContain('note');
});

test('what was accepted once and replaced is not accepted any more', async () => {
  const { become, held, acceptAll } = await startBridge([scriptedServer('s').config]);
  await become({ note: { description: 'Writes a better note' } });
  await acceptAll();
  await become({ note: { description: 'Writes a note' } });
  expect(await held()).toMatchObject([{ name: 'note', pinState: PinState.CHANGED }]);
});

test('pins: strict holds everything from the start, and accepts what is accepted', async () => {
  const {
    tools,
    held,
    acceptAll,
    execute,
    store: log,
  } = await startBridge([scriptedServer('s', [], { pins: 'strict' }).config]);
  expect(await tools()).toEqual([]);
  expect((await held()).map(({ pinState }) => pinState)).toEqual(Array(12).fill(PinState.NEW));
  expect(pinEvents(log)).toMatchObject([{ fact: { case: 'toolServerMet', value: { strict: true, tools: [] } } }]);
  expect(refusedOf(await execute('look', {}, { server: 's' }))).toMatchObject({
    reason: RefusedReason.TOOL_HELD,
    message:
      'the tool "look" of the server "s" is held: nobody has accepted it; it runs once a person does: `stopgo tools accept s look`',
  });
  await acceptAll();
  finishedOf(await execute('look', {}));
});

test('only what was shown is accepted: another definition, tool or server is not', async () => {
  const { become, client, held, store: log } = await startBridge([scriptedServer('s').config]);
  await become({ note: { description: 'One' } });
  const [shown] = await held();
  await become({ note: { description: 'Two' } });
  const named = { server: 's', name: 'note', pin: shown?.pin ?? '' };
  await expect(client.defineTools({ tools: [named] })).rejects.toMatchObject({
    kind: 'failed_precondition',
    message: 'the tool "note" of the server "s" is not defined as it was shown; look at it again',
    details: { reason: 'pin_changed' },
  });
  const other = { kind: 'not_found', message: 'there is no tool "nothing" of the server "s"' };
  await expect(client.defineTools({ tools: [{ ...named, name: 'nothing' }] })).rejects.toMatchObject(other);
  await expect(client.defineTools({ tools: [{ ...named, server: 'x' }] })).rejects.toMatchObject({ kind: 'not_found' });
  await expect(client.defineTools({ tools: [] })).rejects.toMatchObject({ kind: 'invalid_argument' });
  expect(pinEvents(log)).toHaveLength(1);
});

test('a bridge accepts nothing itself, whoever asks', async () => {
  const { become, client, held, store: log } = await startBridge([scriptedServer('s').config]);
  await become({ note: { description: 'Other' } });
  const tools = (await held()).map(({ server, name, pin }) => ({ server, name, pin }));
  await expect(client.acceptTools({ tools })).rejects.toMatchObject({ kind: 'failed_precondition' });
  const { servers } = await client.defineTools({ tools });
  expect(servers).toMatchObject([{ tools: [{ name: 'note', pin: tools[0]?.pin }] }]);
  expect(await held()).toHaveLength(1);
  expect(pinEvents(log)).toHaveLength(1);
});

test('what is held is shown with the definition that was accepted before', async () => {
  const { become, client, toolNamed } = await startBridge([scriptedServer('s').config]);
  const { definitionJson, pin } = await toolNamed('note');
  await become({ note: { description: 'Other' }, extra: { description: 'New' } });
  const { tools } = await client.listHeldTools({});
  expect(tools).toMatchObject([
    { tool: { name: 'note' }, acceptedDefinitionJson: definitionJson, acceptedPin: pin },
    { tool: { name: 'extra' }, acceptedDefinitionJson: '', acceptedPin: '' },
  ]);
});

test('of two bridges that meet a server at once one accepts it, and each learns what the other accepts', async () => {
  const server = scriptedServer('s', ['--changes-its-mind']);
  const log = new MemoryStore();
  const instances = ['bridge-1', 'bridge-2'];
  const [one, two] = await Promise.all(
    instances.map((instance) => startBridge([server.config], { store: log, instance })),
  );
  expect(pinEvents(log)).toHaveLength(1);
  const all = (bridge: typeof one) => bridge?.client.listTools({});
  const heldAt = async () => [...((await all(one))?.held ?? []), ...((await all(two))?.held ?? [])];
  // The second process of the server is another than the first: whichever was met, the other holds one back.
  const [held] = await heldAt();
  expect(await heldAt()).toMatchObject([{ name: 'crash_look', pinState: PinState.CHANGED }]);
  const who = ((await all(one))?.held ?? []).length > 0 ? one : two;
  const { server: name = '', name: tool = '', pin = '' } = held ?? {};
  await who?.accept([{ server: name, name: tool, pin }]);
  const other = who === one ? two : one;
  await eventually(async () => (await all(other))?.held.length === 1, 'the other bridge goes by what was accepted');
  expect((await all(who))?.held).toEqual([]);
});

test('while the log is away a server that was never met is not used, and one that was goes on', async () => {
  const log = new MemoryStore();
  const options = { store: log, bounds: { pinsMs: 100, recordWaitMs: 100 } };
  log.away = unavailable('the log is away');
  await expect(startBridge([scriptedServer('s').config], options)).rejects.toMatchObject({ kind: 'unavailable' });
  log.away = undefined;
  const server = scriptedServer('t');
  const { execute, tools, held } = await startBridge([server.config], options);
  log.away = unavailable('the log is away');
  finishedOf(await execute('look', {}));
  for (const pid of server.pids()) process.kill(pid, 'SIGKILL');
  await eventually(async () => {
    const outcome = await execute('look', {});
    return outcome.case === 'finished' && !outcome.value.isError && server.pids().length > 1;
  }, 'it is back');
  expect([(await tools()).length, (await held()).length]).toEqual([12, 0]);
});

test('another command is another server', async () => {
  const log = new MemoryStore();
  for (const flags of [[], ['--stubborn']]) {
    const { bridge } = await startBridge([scriptedServer('s', flags).config], { store: log });
    await bridge.stop();
  }
  expect(pinEvents(log).map(({ revision }) => revision)).toEqual([1, 1]);
});

test('the fold of the stream is what a bridge goes by', async () => {
  const { become, acceptAll, toolNamed, store: log } = await startBridge([scriptedServer('s').config]);
  await become({ note: { description: 'Other' } });
  await acceptAll();
  const pins = pinEvents(log).reduce<Pins>(evolvePins, unmet);
  expect(pins).toMatchObject({ revision: 2, isMet: true });
  expect(pins.accepted.get('note')).toEqual({ pin: (await toolNamed('note')).pin, byHand: true });
  expect(pins.accepted.get('erase')).toEqual({ pin: (await toolNamed('erase')).pin, byHand: false });
});
