import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDuration } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { providerSchema } from '../src/config/providers.ts';
import {
  fileSchema,
  limitsSchema,
  llmSchema,
  mcpServerSchema,
  natsSchema,
  nodeSchema,
  pushSchema,
  remoteAgentSchema,
  serverToolsSchema,
} from '../src/config/schema.ts';
import { ConfigError, loadAgentConfig } from '../src/index.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const readFile = (path: string) => readFileSync(path, 'utf8');
const page = readFile(pathOf('docs/configuration.md'));

/** The rows of the first table below a heading, cell by cell. */
function tableUnder(heading: string): string[][] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const table = section.split('\n\n').find((part) => part.startsWith('| ')) ?? '';
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.replaceAll('`', '').trim()),
    );
}

/** What a key gets when a file does not give it, in the words of the page. */
function defaultOf(schema: z.ZodType): string {
  const absent = schema.safeParse(undefined);
  if (!absent.success) return 'required';
  if (Array.isArray(absent.data)) return '[]';
  if (absent.data === undefined || typeof absent.data === 'object') return '';
  return absent.data === '' ? '(empty)' : String(absent.data);
}

describe('docs/configuration.md', () => {
  test.each([
    ['Top level', fileSchema.shape],
    ['llm', llmSchema.shape],
    ['providers', providerSchema.shape],
    ['mcp_servers', mcpServerSchema.shape],
    ['tools of a server', serverToolsSchema.shape],
    ['a2a', remoteAgentSchema.shape],
    ['agent', nodeSchema.shape],
    ['limits', limitsSchema.shape],
    ['nats', natsSchema.shape],
    ['push', pushSchema.shape],
  ])('the table of %s has every key with its default', (heading, shape) => {
    const told = tableUnder(heading).map(([key = '', type = '', value = '']) => {
      const isDuration = type.startsWith('duration');
      return [key, isDuration && value !== '' ? String(parseDuration(value)) : value];
    });
    expect(told.toSorted()).toEqual(
      Object.entries(shape)
        .map(([key, schema]) => [key, defaultOf(schema)])
        .toSorted(),
    );
  });

  test('its examples can be loaded', () => {
    const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1] ?? '');
    expect(examples).toHaveLength(11);
    for (const example of examples) loadAgentConfig('example', { readFile: () => example });
  });

  test.each([
    'promt: x',
    'llm: { modle: x }',
    'llm:\nmodel: x',
    'mcp_servers: [{ name: a, command: x, prompt: y }]',
    'mcp_servers: [{ command: x }]',
    'mcp_servers: [{ name: resources, command: x }, { name: resources, command: x }]',
    'mcp_servers: [{ name: b, command: x }, { name: a }]',
    'mcp_servers: [{ name: b, command: x }, { name: a, url: "http://h/", args: [] }]',
    'mcp_servers: [{ name: b, command: x }, { name: a, command: x, auth: none }]',
    'mcp: { command: x }\nmcp_servers: []',
    'name: 42',
    'port: 80a',
    'sync_wait: soon',
    'llm: { timeout: 2h }',
    'nats: { stream: a.b }',
    'agent: { type: paralel }',
    'agent: { type: loop }',
    'mcp_servers: [{ name: files, command: x }]\nagent: { type: loop, agents: [{ mcp_servers: [flies] }] }',
    'agent: { type: loop, agents: [{ name: a }, { name: a }] }',
    `agent: { type: loop, agents: [${'{ prompt: x }, '.repeat(256)}] }`,
    '[]',
  ])('its table of errors has the one of %s', (source) => {
    const told = tableUnder('Errors').map(([text]) => text);
    try {
      loadAgentConfig('FILE', { readFile: () => source });
      expect.unreachable('the file was accepted');
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      for (const problem of (error as ConfigError).problems) expect(told).toContain(problem);
    }
  });
});

describe('config/agent.yaml', () => {
  test('is a file without warnings that listens on this machine only', () => {
    const { config, warnings } = loadAgentConfig(pathOf('config/agent.yaml'), { readFile });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, llm: { model: 'gemini-2.5-flash' } });
    expect(config.mcpServers.map(({ name, transport }) => [name, transport])).toEqual([
      [
        'resources',
        {
          kind: 'stdio',
          command: 'node',
          args: ['mcp-servers/resources/dist/main.js', '--db', './data/resources.db'],
          env: {},
        },
      ],
    ]);
  });
});

test('each entry of the change log is whole, and there once', () => {
  const entries = readFile(pathOf('CHANGELOG.md'))
    .split(/^- /m)
    .slice(1)
    .map((entry) => entry.split('\n\n')[0]?.trim() ?? '');
  expect(entries.filter((entry) => !/[.:)`]$/.test(entry))).toEqual([]);
  // A merge that keeps both sides has the same entry twice.
  const begins = entries.map((entry) => entry.slice(0, 60));
  expect(begins.filter((begin, index) => begins.indexOf(begin) !== index)).toEqual([]);
});
