import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { nodeArguments } from '../../../tests/node-arguments.ts';
import {
  eventually,
  finishedOf,
  refusedOf,
  scriptedServer,
  startBridge,
  stdioServer,
  temporaryFolder,
} from './support/bridge.ts';

const require = createRequire(import.meta.url);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

test('hints are read from both places, and a declared read-only wins', async () => {
  const { toolNamed } = await startBridge([scriptedServer('s').config]);
  const hints = async (name: string) => (await toolNamed(name)).hints;
  expect(await hints('erase')).toMatchObject({ destructive: true, readOnly: false, idempotent: false });
  expect(await hints('look')).toMatchObject({ destructive: false, readOnly: true, idempotent: true });
  expect(await hints('note')).toMatchObject({
    destructive: false,
    readOnly: false,
    idempotent: false,
    openWorld: true,
  });
  const { ANNOTATIONS, DEFAULT, READ_ONLY, TOP_LEVEL } = mcp.HintOrigin;
  expect((await toolNamed('erase')).hintOrigins).toMatchObject({ readOnly: DEFAULT, destructive: TOP_LEVEL });
  expect((await toolNamed('look')).hintOrigins).toMatchObject({ readOnly: ANNOTATIONS, destructive: READ_ONLY });
});

test('the pin covers the definition as the server gave it, the hint at the top level included', async () => {
  const { toolNamed } = await startBridge([scriptedServer('s').config]);
  const { definitionJson, pin, inputSchemaJson, annotationsJson } = await toolNamed('erase');
  expect(definitionJson).toBe(
    '{"description":"Erases a note","destructiveHint":true,"inputSchema":{"properties":{"text":{"type":"string"}},' +
      '"type":"object"},"name":"erase"}',
  );
  expect(pin).toBe(createHash('sha256').update(definitionJson).digest('hex'));
  expect(inputSchemaJson).toBe('{"properties":{"text":{"type":"string"}},"type":"object"}');
  expect(annotationsJson).toBe('');
  const look = await toolNamed('look');
  expect(look.annotationsJson).toBe('{"destructiveHint":true,"readOnlyHint":true}');
  expect(look.definitionJson).toMatch(/^{"annotations":{"destructiveHint":true,"readOnlyHint":true},/);
});

test('all pages are read, up to a bound', async () => {
  const { tools } = await startBridge([scriptedServer('s', ['--page=5']).config]);
  expect(await tools()).toHaveLength(12);
  const endless = startBridge([scriptedServer('s', ['--page=1']).config], { bounds: { listPagesMax: 3 } });
  await expect(endless).rejects.toThrow(/failed to start MCP server "s": /);
});

test('a tool that cannot be used is left out with a warning and takes no other with it', async () => {
  const { tools, lines, bridge, execute } = await startBridge([scriptedServer('s', ['--broken-tools']).config]);
  expect((await tools()).map(({ name }) => name)).toEqual(expect.arrayContaining(['odd_hint', 'odd_annotations']));
  expect(await tools()).toHaveLength(14);
  const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^MCP server "s": tool "huge": its definition has \d+ bytes \(at most 65536; tools\.definition_bytes of the server raises that\); the tool is left out$/,
    ),
    'MCP server "s": tool "deep": its definition is nested deeper than 100 levels; the tool is left out',
    'MCP server "s": tool "no_schema": its inputSchema is not the schema of an object; the tool is left out',
    'MCP server "s": tool "array_schema": its inputSchema is not the schema of an object; the tool is left out',
    'MCP server "s": a tool without a name is left out',
    'MCP server "s": a tool that is no JSON object is left out',
    'MCP server "s": tool "odd_hint": its destructiveHint is neither true nor false; its calls wait for an approval',
    'MCP server "s": tool "note": defined twice; the second is left out',
    'MCP server "s": tool "exit_loop": the platform has a tool of that name, which ends a loop; the tool is left out',
    'MCP server "s": tool "task_only": it can only be called as an MCP task (execution.taskSupport), which are not supported; the tool is left out',
    'MCP server "s": tool "odd_annotations": its annotations are no JSON object; its calls wait for an approval',
    'MCP server "s": what says both readOnlyHint and destructiveHint is taken to read only: "look"',
  ]);
  expect(warnings).toEqual(bridge.describe()[0]?.problems.map((line) => `MCP server "s": ${line}`));
  for (const name of ['odd_hint', 'odd_annotations'])
    expect(refusedOf(await execute(name, {})).reason).toBe(mcp.RefusedReason.NOT_APPROVED);
});

test('a server that has tools without declaring that it does is asked all the same', async () => {
  const { tools } = await startBridge([scriptedServer('s', ['--undeclared']).config]);
  expect(await tools()).toHaveLength(12);
});

test('the revision is that of the content, and who has it is told nothing twice', async () => {
  const { client, execute, instance, acceptAll } = await startBridge([scriptedServer('s').config]);
  const first = await client.listTools({});
  expect(first).toMatchObject({ instance, unchanged: false });
  expect(await client.listTools({ knownRevision: first.revision })).toMatchObject({
    revision: first.revision,
    unchanged: true,
    tools: [],
  });
  await execute('become', { text: JSON.stringify({ extra: { description: 'new' } }) });
  const next = await eventually(async () => {
    const list = await client.listTools({ knownRevision: first.revision });
    return list.unchanged ? undefined : list;
  }, 'the list changed');
  expect(next.held.map(({ name }) => name)).toEqual(['extra']);
  await acceptAll();
  expect((await client.listTools({ knownRevision: next.revision })).tools.map(({ name }) => name)).toContain('extra');
  await execute('become', { text: JSON.stringify({ extra: null }) });
  await eventually(async () => (await client.listTools({})).revision === first.revision, 'the old list again');
});

test('a server cannot take over the tool of another while we run', async () => {
  const victim = scriptedServer('victim');
  const thief = scriptedServer('thief', ['--prefix=t_']);
  const { execute, toolNamed, lines } = await startBridge([thief.config, victim.config]);
  finishedOf(await execute('t_become', { text: JSON.stringify({ erase: { destructiveHint: false } }) }));
  await eventually(() => lines.some(({ message }) => message.includes('is left out')), 'the warning');
  expect((await toolNamed('erase')).server).toBe('victim');
  expect(refusedOf(await execute('erase', {}, { server: 'thief' })).message).toBe('Tool not found: erase');
  expect(thief.calls('erase')).toBe(0);
  expect(lines.map(({ message }) => message)).toContain(
    'tool "erase" of MCP server "thief" is left out: the MCP servers "victim" and "thief" both have a tool of that name, and "victim" keeps it; give the tools of one of them a tools.prefix, or leave the tool out of one with tools.deny',
  );
});

test('official servers and our own work together over stdio', async () => {
  const folder = temporaryFolder();
  const everything = join(require.resolve('@modelcontextprotocol/server-everything/package.json'), '../dist/index.js');
  const files = join(require.resolve('@modelcontextprotocol/server-filesystem/package.json'), '../dist/index.js');
  const node = process.execPath;
  const resources = join(repository, 'mcp-servers/resources/src/main.ts');
  const { tools, execute, approval } = await startBridge([
    stdioServer('everything', node, [everything], { era: 'auto' }),
    stdioServer('files', node, [files, folder], { era: 'auto' }),
    stdioServer('resources', node, [...nodeArguments(resources), '--db', join(folder, 'r.db')], { era: 'auto' }),
  ]);
  const hintsOf = new Map((await tools()).map(({ name, hints }) => [name, hints]));
  expect(hintsOf.get('read_text_file')).toMatchObject({ readOnly: true, destructive: false });
  expect(hintsOf.get('write_file')).toMatchObject({ readOnly: false, destructive: true });
  expect(hintsOf.get('resources_list')).toMatchObject({ readOnly: true, destructive: false });

  expect(finishedOf(await execute('echo', { message: 'hi' })).content).toBe('Echo: hi');
  expect(finishedOf(await execute('get-tiny-image', {})).content).toMatch(/\n\[image image\/png, \d+ bytes\]\n/);
  const invalid = finishedOf(await execute('get-sum', { a: 'one' }));
  expect(invalid.isError).toBe(true);

  const add = { name: 'my-test', value: 42 };
  expect((await execute('resources_add', add)).case).toBe('refused');
  const added = finishedOf(await execute('resources_add', add, await approval('resources_add', add)));
  expect(added.isError).toBe(false);
  const listed = JSON.parse(finishedOf(await execute('resources_list', {})).content) as { count: number };
  expect(listed.count).toBe(1);
});
