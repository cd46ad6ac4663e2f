import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { ConfigError, type JsonSchema, parseAgentConfig } from '@stopgo/runtime';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, schemaFile, schemaText } from './schema-text.ts';

/** The schema that editors are shown, and the parser: both take the same files. */
const schema = JSON.parse(readFileSync(join(root, schemaFile), 'utf8')) as JsonSchema;
const validate = new CfWorkerJsonSchemaValidator({ draft: '7', shortcircuit: false }).getValidator(schema);
const takes = (value: unknown) => validate(value).valid;

/** The problems that the parser has with a file. */
function problemsOf(file: unknown): readonly string[] {
  try {
    parseAgentConfig(JSON.stringify(file), 'agent.yaml');
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Every file that configures an agent. */
const files = ['config', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !/filesystem|^web\.|node_modules/.test(name))
    .map((name) => join(folder, name)),
);

test('the file is what the parser goes by: make it anew with `npm run config-schema`', () => {
  expect(readFileSync(join(root, schemaFile), 'utf8')).toBe(schemaText());
});

test('every key is described', () => {
  const bare = (mapping: JsonSchema, name: string): string[] =>
    Object.entries((mapping.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, value]) => [
      ...(value.description === undefined ? [`${name}.${key}`] : []),
      ...bare(((value.items as JsonSchema | undefined) ?? value) as JsonSchema, key),
    ]);
  const node = (schema.definitions as Record<string, JsonSchema>).node ?? {};
  expect([...bare(schema, ''), ...bare(node, 'agent')]).toEqual([]);
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8');

  test('names the schema to editors', () => {
    const path = relative(dirname(join(root, file)), join(root, schemaFile));
    const named = path.startsWith('.') ? path : `./${path}`;
    expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${named}`);
  });

  test('is taken by the schema and by the parser', () => {
    parseAgentConfig(text, file);
    expect(validate(parse(text))).toMatchObject({ valid: true });
  });
});

describe('what the schema does not take, the parser does not take either, and the other way round', () => {
  const server = { name: 'a', command: 'x' };
  test.each<[string, unknown, boolean]>([
    ['nothing at all', {}, true],
    ['all ways to write a duration', { sync_wait: 1.5, heartbeat_ttl: '500ms', llm: { timeout: '1h' } }, true],
    ['no duration', { sync_wait: 'soon' }, false],
    ['a port', { port: 0 }, true],
    ['no port', { port: 65_536 }, false],
    ['half a port', { port: 80.5 }, false],
    ['a text for a number', { port: '80' }, false],
    ['a number for a text', { name: 42 }, false],
    ['an unknown word', { unannotated: 'maybe' }, false],
    ['an empty name', { name: '' }, false],
    ['a long name', { name: 'x'.repeat(129) }, false],
    ['an empty model', { llm: { model: ' ' } }, false],
    ['a server', { mcp_servers: [server] }, true],
    ['a server without a name', { mcp_servers: [{ command: 'x' }] }, false],
    ['a server with neither', { mcp_servers: [{ name: 'a' }] }, false],
    ['a server with both', { mcp_servers: [{ ...server, url: 'http://h/' }] }, false],
    ['another scheme', { mcp_servers: [{ name: 'a', url: 'ftp://h/' }] }, false],
    [
      'a secret for its variable',
      { mcp_servers: [{ name: 'a', url: 'http://h/', auth: 'static', token_env: 'sk-1' }] },
      false,
    ],
    ['one text for a list', { mcp_servers: [{ ...server, args: '-y' }] }, false],
    ['a tree', { agent: { type: 'loop', agents: [{ type: 'a2a', url: 'http://h/' }, { prompt: 'x' }] } }, true],
    ['an unknown type of node', { agent: { type: 'loop', agents: [{ type: 'tree' }] } }, false],
    ['a dot in a stream', { nats: { stream: 'a.b' } }, false],
    ['a path in an origin', { allowed_origins: ['https://a.example/x'] }, false],
  ])('%s', (_, file, good) => {
    expect([takes(file), problemsOf(file).length === 0]).toEqual([good, good]);
  });

  test('a key that is not there, in any mapping', () => {
    const mappings: readonly ((more: object) => object)[] = [
      (more) => more,
      (more) => ({ llm: more }),
      (more) => ({ limits: more }),
      (more) => ({ nats: more }),
      (more) => ({ push: more }),
      (more) => ({ mcp_servers: [{ ...server, ...more }] }),
      (more) => ({ mcp_servers: [{ ...server, tools: more }] }),
      (more) => ({ a2a: [{ name: 'a', url: 'http://h/', ...more }] }),
      (more) => ({ agent: more }),
      (more) => ({ agent: { type: 'loop', agents: [more] } }),
    ];
    for (const file of mappings) {
      expect([takes(file({})), problemsOf(file({}))], JSON.stringify(file({}))).toEqual([true, []]);
      const wrong = file({ zzz: 1 });
      expect([takes(wrong), problemsOf(wrong).length], JSON.stringify(wrong)).toEqual([false, 1]);
    }
  });
});
