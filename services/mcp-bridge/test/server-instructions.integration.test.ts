import { instructionsName, sha256Hex } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { instructionsBytesMax, readInstructions } from '../src/tools/server-instructions.ts';
import { eventually, finishedOf, scriptedServer, startBridge } from './support/bridge.ts';
import { MemoryStore } from './support/memory-store.ts';

const { PinState } = mcp;

test('what a server says of its tools is accepted at first contact, and held once it is another', async () => {
  const store = new MemoryStore();
  const server = scriptedServer('s', ['--instructions=Look first.', '--instructions-later=Erase first.']);
  const first = await startBridge([server.config], { store });
  const [said, ...others] = (await first.client.listTools({})).instructions;
  expect(others).toEqual([]);
  const definitionJson = '{"instructions":"Look first."}';
  expect(said).toMatchObject({ server: 's', text: 'Look first.', definitionJson, pin: sha256Hex(definitionJson) });
  const standing = async ({ client }: typeof first) => (await client.listServers({})).servers[0]?.instructions;
  expect(await standing(first)).toBe(PinState.FIRST_USE);
  await first.bridge.stop();

  const second = await startBridge([server.config], { store });
  const { client } = second;
  expect((await client.listTools({})).instructions).toEqual([]);
  expect(await second.tools()).toHaveLength(12);
  expect(await standing(second)).toBe(PinState.CHANGED);
  expect(second.logText()).toContain(
    'MCP server "s" has tools that are held until somebody accepts them (`stopgo tools`): "@instructions"',
  );
  const [held] = (await client.listHeldTools({})).tools;
  expect(held).toMatchObject({ acceptedDefinitionJson: definitionJson, acceptedPin: said?.pin });
  const { name = '', pin = '', definitionJson: changed } = held?.tool ?? {};
  expect([name, changed]).toEqual([instructionsName, '{"instructions":"Erase first."}']);

  const accept = (exact: string) => second.accept([{ server: 's', name, pin: exact }]);
  await expect(accept(said?.pin ?? '')).rejects.toThrow(/is not defined as it was shown/);
  await accept(pin);
  const now = await eventually(async () => (await client.listTools({})).instructions[0], 'they are accepted');
  expect(now.text).toBe('Erase first.');
  expect(await standing(second)).toBe(PinState.ACCEPTED);
  expect((await client.listHeldTools({})).tools).toEqual([]);
});

test('a server that is met strictly has its instructions held, and no tool takes their name', async () => {
  const server = scriptedServer('s', ['--instructions=Look first.'], { pins: 'strict' });
  const { held, client, acceptAll, execute } = await startBridge([server.config]);
  expect((await client.listTools({})).instructions).toEqual([]);
  expect((await client.listHeldTools({})).tools.map(({ tool }) => tool?.name)).toContain(instructionsName);
  await acceptAll();
  await eventually(async () => (await held()).length === 0, 'the tools are accepted');
  expect((await client.listTools({})).instructions).toEqual([]);

  finishedOf(await execute('become', { text: JSON.stringify({ [instructionsName]: {} }) }));
  await execute('protocol_error', {});
  expect((await client.listServers({})).servers[0]?.problems).toContainEqual(
    expect.stringContaining(`tool "${instructionsName}": what servers say of their tools is kept under that name`),
  );
});

test('instructions are bounded, in whole characters, and never hold a credential', () => {
  const read = (said: string | undefined) => readInstructions('s', said, (text) => text.replaceAll('hunter2', '…'));
  for (const said of [undefined, '', ' \n ']) expect(read(said)).toEqual({});
  const long = read('ä'.repeat(20_000)).instructions?.text ?? '';
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(instructionsBytesMax);
  expect(long).toMatch(/^ä+\n\[cut: 40000 bytes in full, sha256 [0-9a-f]{64}\]$/);
  expect(read('a\ud800b').instructions?.text).toBe('a\ufffdb');
  expect(read('the key is hunter2')).toEqual({ problem: { line: expect.stringContaining('repeat a credential') } });
});
