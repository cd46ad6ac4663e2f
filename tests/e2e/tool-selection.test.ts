import { afterEach, expect, test } from 'vitest';
import type { Answer, Tool, ToolServer } from './http.ts';
import { instructionsOf, type PlantedTree, plant } from './tree.ts';

/** Which tools of which servers a node is offered, under which names, and what it is told of them. */
let tree: PlantedTree | undefined;

afterEach(async () => {
  await tree?.end();
  tree = undefined;
});

const nodes = {
  type: 'sequential',
  agents: [
    { name: 'reader', prompt: 'READER, read.', mcp_servers: ['resources'] },
    { name: 'writer', prompt: 'WRITER, write.', tools: ['j_*'] },
  ],
};
const ofServer = `tools: { prefix: j_, deny: [die, vanish] }
    env: { INSTRUCTIONS: "Look before\\nyou erase." }`;
const quoted = 'What the tool server journaled says of its tools, in its own words:\\n> Look before\\n> you erase.';

test('a node is offered, and may call, what it takes; people and the record see the names that models see', async () => {
  tree = await plant(nodes, { ofServer });
  const { http, model, journal } = tree;
  await model.script(
    { prompt: 'READER', calls: [{ name: 'j_erase', args: { name: 'stolen' } }] },
    { prompt: 'READER', text: 'read' },
    { prompt: 'WRITER', calls: [{ name: 'j_erase', args: { name: 'all' } }] },
  );
  const { body } = await tree.ask('go');
  const { uuid, tool_name } = body.result.approval ?? {};
  expect(tool_name).toBe('j_erase');
  expect(journal.began('erase', 'stolen')).toBe(0);

  const tools = (await http.get('/tools')).body.tools as readonly Tool[];
  expect(tools.find(({ name }) => name === 'j_erase')).toMatchObject({ own_name: 'erase', server: 'journaled' });
  expect(tools.map(({ name }) => name)).not.toContain('j_die');
  const { servers } = (await http.get('/mcp/servers')).body as unknown as { servers: readonly ToolServer[] };
  expect(servers.find(({ name }) => name === 'journaled')).toMatchObject({
    state: 'ready',
    tools: 5,
    tools_deselected: 2,
    instructions: 'first_use',
  });

  // What is on the record is enough to go on: the run keeps its tools, their names and what was said of them.
  await tree.again('SIGTERM');
  await model.script({ prompt: 'WRITER', text: 'written' });
  const done = await tree.decide(uuid, true);
  expect(done.body.result.response).toBe('written');
  expect(journal.began('erase', 'all')).toBe(1);
  expect(callsOf(done)).toEqual([
    ['j_erase', 'Tool not found: j_erase'],
    ['j_erase', 'erase all'],
  ]);

  const asked = async (prompt: string) => (await tree?.asked(prompt)) ?? [];
  const [toReader, toWriter] = [await asked('READER'), await asked('WRITER')];
  expect([toReader.length, toWriter.length]).toEqual([2, 2]);
  for (const request of toReader) {
    expect(JSON.stringify(request.body)).toContain('"resources_add"');
    expect(instructionsOf(request)).not.toContain('journaled');
  }
  expect(JSON.stringify(toReader[0]?.body)).not.toContain('j_erase');
  for (const request of toWriter) {
    expect(JSON.stringify(request.body)).toContain('"j_erase"');
    expect(JSON.stringify(request.body)).not.toContain('"resources_add"');
    expect(instructionsOf(request)).toContain(quoted);
  }
});

function callsOf({ body }: Answer) {
  return body.conversation.messages.flatMap(({ tool_call: call }) =>
    call?.result === undefined ? [] : [[call.name, call.result]],
  );
}
