import type { AgentNode, LlmNode, OfferedTool } from '@stopgo/core';
import { expect, test } from 'vitest';
import { ToolSizes } from '../src/tool-sizes.ts';

const llm = (name: string, more: Partial<LlmNode> = {}): LlmNode => ({
  ...{ type: 'llm', model: 'm', prompt: '', outputKey: '', canExitLoop: false, turnsMax: 1, approval: 'default' },
  ...{ name, ...more },
});

/** So many tools of a server, each with a definition of `bytes` bytes. */
function toolsOf(server: string, count: number, bytes: number): [string, OfferedTool][] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${server}_${String(index).padStart(3, '0')}`;
    const inputSchemaJson = '{"type":"object"}';
    const description = 'x'.repeat(bytes - name.length - inputSchemaJson.length);
    const hints = { readOnly: true, destructive: false, idempotent: false, openWorld: false };
    const more = { pin: name, hints, approvalRequired: false, forwardsBearer: false };
    return [name, { target: { kind: 'tool', server }, name, description, inputSchemaJson, ...more }];
  });
}

const catalogueOf = (...tools: [string, OfferedTool][]) => ({ tools: new Map(tools), definitions: new Map() });

function told(root: AgentNode) {
  const lines: string[] = [];
  return { lines, sizes: new ToolSizes({ name: 'agent', root }, (line) => lines.push(line)) };
}

test('more than 100 KB of definitions in a request are told, with the share of each server and how to cut it', () => {
  const { lines, sizes } = told(llm('agent'));
  sizes.look(undefined);
  sizes.look(catalogueOf(...toolsOf('few', 1, 20_000), ...toolsOf('many', 80, 1_000)));
  expect(lines).toEqual([]);
  sizes.look(catalogueOf(...toolsOf('few', 1, 20_001), ...toolsOf('many', 80, 1_000)));
  expect(lines).toEqual([
    'each request to the model of agent carries 100 KB of tool definitions, 81 tools: many 80 KB (80), few 20 KB (1); ' +
      'cut it with tools.allow or tools.deny of a tool server, or with mcp_servers or tools of the node',
  ]);
});

test('it is told once, and again when it has grown', () => {
  const { lines, sizes } = told(llm('agent'));
  for (const count of [120, 121, 131, 132]) sizes.look(catalogueOf(...toolsOf('many', count, 1_000)));
  expect(lines.map((line) => /carries \d+ KB/.exec(line)?.[0])).toEqual(['carries 120 KB']);
  sizes.look(catalogueOf(...toolsOf('many', 133, 1_000)));
  expect(lines).toHaveLength(2);
  sizes.look(catalogueOf());
  sizes.look(catalogueOf(...toolsOf('many', 120, 1_000)));
  expect(lines).toHaveLength(3);
});

test('each node of a tree counts what it is offered; those that are offered the same are told together', () => {
  const some = { toolServers: ['few'] };
  const nodes = Array.from({ length: 7 }, (_, index) => llm(`all ${index}`));
  const root: AgentNode = { type: 'sequential', name: 'root', children: [...nodes, llm('some', some)] };
  const { lines, sizes } = told(root);
  sizes.look(catalogueOf(...toolsOf('few', 1, 20_000), ...toolsOf('many', 100, 1_000)));
  expect(lines).toEqual([
    expect.stringMatching(
      /^each request to the model of "all 0", "all 1", "all 2", "all 3", "all 4" and 2 more carries 120 KB /,
    ),
  ]);
});
