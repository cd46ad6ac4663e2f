import { expect, test } from 'vitest';
import { eventually, finishedOf, refusedOf, scriptedServer, startBridge } from './support/bridge.ts';
import { MemoryStore } from './support/memory-store.ts';

const nameOf = ({ name }: { readonly name: string }) => name;

test('allow and deny select the tools that are offered, called and told of', async () => {
  const server = scriptedServer('s', ['--broken-tools'], {
    // A tool that is left out, and a slip that no pattern would let through.
    approvalTools: ['big', 'crash', 'ersae'],
    tools: { allow: ['*o*', 'big', 'nothing_like_it'], deny: ['*_look', 'no_schema', 'protocol?error'] },
  });
  const { tools, client, lines, execute } = await startBridge([server.config]);
  const offered = (await tools()).map(nameOf);
  expect(offered).toEqual(['note', 'look', 'slow', 'big', 'wrong', 'become', 'odd_hint', 'odd_annotations']);
  expect(refusedOf(await execute('crash', {}, { server: 's' })).message).toBe('Tool not found: crash');
  expect(server.calls('crash')).toBe(0);
  const { servers } = await client.listServers({});
  expect(servers[0]).toMatchObject({ tools: 8, toolsDeselected: 6, toolsHeld: 0 });
  // Nothing is told of what nobody wants, but of what looks like a slip of the pen.
  const told = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(told.filter((line) => /huge|deep|array_schema|no_schema/.test(line))).toEqual([]);
  expect(told).toContain('MCP server "s": tools.allow names "nothing_like_it", which is no tool that it offers');
  expect(told.filter((line) => line.includes('approval_tools'))).toEqual([
    'MCP server "s": approval_tools names "ersae", which it does not offer',
  ]);
  expect(servers[0]?.problems).toContain('tools.allow names "nothing_like_it", which is no tool that it offers');
});

test('of two servers with the same tools one leaves out what the other has', async () => {
  const one = scriptedServer('one', [], { tools: { deny: ['note'] } });
  const other = scriptedServer('other', [], { tools: { allow: ['note'], deny: [] } });
  const { tools } = await startBridge([one.config, other.config]);
  const servers = new Map((await tools()).map(({ name, server }) => [name, server]));
  expect(servers.get('note')).toBe('other');
  expect(servers.get('erase')).toBe('one');
  expect(servers.size).toBe(12);
});

test('with a prefix two servers with the same tools are used together, each called by its own names', async () => {
  const one = scriptedServer('one');
  const other = scriptedServer('other', [], {
    approvalTools: ['slow', 'b_big'],
    tools: { allow: ['note', 'erase', 'slow', 'big'], deny: [], prefix: 'b_' },
  });
  const { tools, toolNamed, execute, approval, client } = await startBridge([one.config, other.config]);
  const offered = (await tools()).filter(({ server }) => server === 'other');
  expect(offered.map(({ name, ownName }) => [name, ownName])).toEqual([
    ['b_note', 'note'],
    ['b_erase', 'erase'],
    ['b_slow', 'slow'],
    ['b_big', 'big'],
  ]);
  // A pin is of what the server says, whatever we call it.
  const [own, prefixed] = [await toolNamed('note'), await toolNamed('b_note')];
  expect(prefixed).toMatchObject({ pin: own.pin, definitionJson: own.definitionJson });
  expect(own.ownName).toBe('');

  expect(finishedOf(await execute('b_note', { text: 'x' })).content).toBe('note {"text":"x"}');
  expect([one.calls('note'), other.calls('note')]).toEqual([0, 1]);
  expect(refusedOf(await execute('note', {}, { server: 'other' })).message).toBe('Tool not found: note');

  // Keys of the policy name tools as the server does, or as models see them.
  expect((await toolNamed('slow')).approvalRequired).toBe(false);
  for (const name of ['b_slow', 'b_big']) expect((await toolNamed(name)).approvalRequired).toBe(true);
  const { servers } = await client.listServers({});
  expect(servers[1]?.problems).toEqual([]);

  // An approval is of the call as people saw it: one for the tool of the other server does not count.
  const args = { text: 'all' };
  const wrong = await approval('erase', args);
  expect(refusedOf(await execute('b_erase', args, wrong)).message).toContain('approval');
  expect(finishedOf(await execute('b_erase', args, await approval('b_erase', args))).content).toBe(
    'erase {"text":"all"}',
  );
  expect([one.calls('erase'), other.calls('erase')]).toEqual([0, 1]);
});

test('what was accepted of a server stays accepted under another prefix', async () => {
  const store = new MemoryStore();
  const server = scriptedServer('s');
  const first = await startBridge([server.config], { store });
  await first.bridge.stop();
  const prefixed = { ...server.config, tools: { deny: [], prefix: 'my_' } };
  const { held, execute, client, accept } = await startBridge([prefixed], { store });
  expect(await held()).toEqual([]);
  finishedOf(await execute('my_become', { text: JSON.stringify({ note: { description: 'Otherwise' } }) }));
  await execute('my_protocol_error', {});
  const [tool, ...others] = (await client.listHeldTools({})).tools;
  expect(others).toEqual([]);
  expect(tool?.tool).toMatchObject({ name: 'my_note', ownName: 'note' });
  expect(tool?.acceptedDefinitionJson).toContain('Writes a note');
  const { server: of = '', name = '', pin = '' } = tool?.tool ?? {};
  await accept([{ server: of, name, pin }]);
  await eventually(async () => (await held()).length === 0, 'it is accepted');
});

test('what is left out at first contact is accepted all the same, and can be allowed later', async () => {
  const store = new MemoryStore();
  const server = scriptedServer('s', [], { tools: { allow: ['note'], deny: [] } });
  const first = await startBridge([server.config], { store });
  expect((await first.tools()).map(nameOf)).toEqual(['note']);
  await first.bridge.stop();
  const { tools: _, ...everything } = server.config;
  const second = await startBridge([everything], { store });
  expect(await second.tools()).toHaveLength(12);
  expect(await second.held()).toEqual([]);
});

test('a definition beyond 64 KiB is taken where the configuration says so', async () => {
  const server = scriptedServer('s', ['--broken-tools'], {
    tools: { allow: ['huge'], deny: [], definitionBytesMax: 150_000 },
  });
  const { tools, lines } = await startBridge([server.config]);
  expect((await tools()).map(nameOf)).toEqual(['huge']);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
});
