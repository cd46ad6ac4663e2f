import type { Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { ListTap } from '../src/tools/list-tap.ts';

const token = 'canary-static-0123456789';

/** What comes through the tap of one page, and what it keeps of all. */
async function listed(pages: readonly (readonly unknown[])[], bounds = {}) {
  const tap = new ListTap({ ...bridgeBounds, ...bounds }, (text) => text.replaceAll(token, '[secret]'));
  const transport = {} as Transport;
  tap.attach(transport);
  const passed: unknown[] = [];
  transport.onmessage = (message) => void passed.push('result' in message ? message.result : undefined);
  const { definitions, problems } = await tap.collect(async () => {
    for (const tools of pages)
      transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: { tools, nextCursor: 'more' } } as never);
  });
  return { definitions, lines: problems.map(({ line }) => line), passed };
}

const tool = (name: string, description = '') => ({ name, description, inputSchema: { type: 'object' } });

test('what is beyond the bounds of a definition is told and not kept', async () => {
  const { definitions, lines, passed } = await listed(
    [[tool('good'), tool('large', 'x'.repeat(500)), new Array(50).fill([])]],
    { definitionBytesMax: 300, definitionValuesMax: 40 },
  );
  expect(definitions).toEqual([tool('good')]);
  expect(lines).toEqual([
    'tool "large": its definition has 565 bytes (at most 300; tools.definition_bytes of the server raises that); the tool is left out',
    'a tool without a name (its definition holds more than 40 values) is left out',
  ]);
  expect(passed).toEqual([{ tools: [{ name: 'good', inputSchema: { type: 'object' } }], nextCursor: 'more' }]);
});

test('a token in the name of a tool that is left out is told nobody, not even in part', async () => {
  for (let before = 50; before < 81; before += 1) {
    const { lines } = await listed([[tool(`${'n'.repeat(before)}${token}`, 'x'.repeat(500))]], {
      definitionBytesMax: 300,
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('can');
  }
});

test('a list that is too long ends there, whatever is in it', async () => {
  const many = Array.from({ length: 4 }, (_, at) => tool(`t${at}`));
  const { definitions, lines, passed } = await listed([many, [null, ...many]], {
    toolsPerServerMax: 3,
    problemsMax: 3,
  });
  expect(definitions).toHaveLength(6);
  expect(lines).toEqual(['it lists more than 6 tools; the others are left out']);
  expect(passed[0]).toHaveProperty('nextCursor');
  expect(passed[1]).not.toHaveProperty('nextCursor');
});

test('a list that is too large ends there', async () => {
  const page = [tool('one', 'x'.repeat(300)), tool('two', 'x'.repeat(300)), tool('three')];
  const { definitions, lines, passed } = await listed([page, page], { listBytesMax: 500 });
  expect(definitions).toHaveLength(2);
  expect(lines[0]).toBe('its definitions have more than 500 bytes; the others are left out');
  expect(passed[0]).not.toHaveProperty('nextCursor');
});
