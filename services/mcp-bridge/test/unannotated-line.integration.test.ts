import { hintOrigins, type Json } from '@stopgo/core';
import { expect, test } from 'vitest';
import { unannotatedLine } from '../src/tools/tell-tools.ts';
import { httpServer, startBridge } from './support/bridge.ts';
import { modernServer } from './support/http.ts';

const tool = (name: string, annotations?: Json, unannotated: 'run' | 'ask' = 'run') => ({
  name,
  hintOrigins: hintOrigins({ unannotated, ...(annotations === undefined ? {} : { annotations }) }),
  approvalRequired: false,
});

test('tools that say nothing are named, with what follows from it', () => {
  const tools = [
    tool('a'),
    tool('b', { idempotentHint: true, title: 'B' }),
    tool('c\u202e'),
    tool('reads', { readOnlyHint: true }),
    tool('writes', { readOnlyHint: false }),
    tool('harmless', { destructiveHint: false }),
    { ...tool('asked'), approvalRequired: true },
  ];
  expect(unannotatedLine('x', tools, 'run')).toBe(
    '3 tools of MCP server "x" say nothing about what they do: a, b, c\\u{202e}; they run without approval; set unannotated: ask on the server to be asked',
  );
  expect(unannotatedLine('x', [tool('a', undefined, 'ask')], 'ask')).toBe(
    '1 tool of MCP server "x" says nothing about what it does: a; it waits for an approval, as unannotated: ask says',
  );
  expect(unannotatedLine('x', tools.slice(3), 'run')).toBeUndefined();
});

test('a long list is bounded', () => {
  const many = Array.from({ length: 25 }, (_, index) => tool(`t${index}`));
  expect(unannotatedLine('x', many, 'run')).toContain('t19 and 5 more; they run');
});

test('the start says it of each server', async () => {
  const server = await modernServer('', 0, [{ name: 'silent', inputSchema: { type: 'object' } }]);
  const { logText } = await startBridge([{ ...httpServer('l', server.url), era: 'modern' }]);
  expect(logText()).toContain(
    '1 tool of MCP server "l" says nothing about what it does: silent; it runs without approval',
  );
});
