import { describe, expect, test } from 'vitest';
import { problemLine, readAgentFile } from '../src/index.ts';

const read = (frontmatter: string, body = 'Help.', path = 'support/prompt.md') =>
  readAgentFile({ path, text: `---\ndescription: Answers questions\n${frontmatter}\n---\n\n${body}\n` });
const lines = (of: ReturnType<typeof read>) => of.problems.map(problemLine);
const warned = (of: ReturnType<typeof read>) => of.warnings.map(problemLine);

test('a file with a description and a prompt is an agent', () => {
  expect(read('')).toEqual({
    problems: [],
    warnings: [],
    agent: {
      path: 'support/prompt.md',
      format: 'stopgo',
      name: 'support',
      title: 'support',
      description: 'Answers questions',
      tags: [],
      examples: [],
      providers: [],
      toolServers: [],
      allowedAgents: [],
      contextScope: 'FULL',
      completionRequired: true,
      approvals: 'default',
      prompt: 'Help.',
    },
  });
});

describe('keys', () => {
  test.each<[string, Record<string, unknown>]>([
    ['name: Support', { title: 'Support' }],
    ['version: "2.10"', { version: '2.10' }],
    ['tags: [a, b]', { tags: ['a', 'b'] }],
    ['model: gpt-5', { model: 'gpt-5' }],
    [
      'providers: [openai, groq]\nmodel: gpt-5\nmodels: {groq: llama}',
      { providers: ['openai', 'groq'], model: 'gpt-5', models: { groq: 'llama' } },
    ],
    ['mcpServers: [orders]', { toolServers: ['orders'] }],
    ['mcpServers: [orders]\ntools: [get_*]', { toolServers: ['orders'], tools: ['get_*'] }],
    ['allowedAgents: [billing, sales/*]', { allowedAgents: ['billing', 'sales/*'] }],
    ['examples: [Where is my order?]', { examples: ['Where is my order?'] }],
    ['contextScope: NONE', { contextScope: 'NONE' }],
    [
      'contextScope: SPECIFIC\ncontext: {state: [order], memories: [customer]}',
      { contextScope: 'SPECIFIC', context: { state: ['order'], memories: ['customer'] } },
    ],
    [
      'contextScope: SPECIFIC\ncontext: {state: [order]}',
      { contextScope: 'SPECIFIC', context: { state: ['order'], memories: [] } },
    ],
    ['maxExecutionMinutes: 15', { executionMinutesMax: 15 }],
    ['completion: optional', { completionRequired: false }],
    ['approvals: require', { approvals: 'require' }],
    ['onReject: continue', { onReject: 'continue' }],
    ['outputKey: answer', { outputKey: 'answer' }],
    ['maxTurns: 5', { turnsMax: 5 }],
    ['maxCost: 0.5', { limits: { costMax: 500_000, onLimit: 'ask' } }],
    ['maxTokens: 1000\nonLimit: end', { limits: { tokensMax: 1000, onLimit: 'end' } }],
    ['max_agent_calls: 3', { limits: { agentCallsMax: 3, onLimit: 'ask' } }],
    ['output_key: answer\nmax_turns: 5', { outputKey: 'answer', turnsMax: 5 }],
    ['model:', {}],
  ])('%s', (frontmatter, expected) => {
    const reading = read(frontmatter);
    expect([...lines(reading), ...warned(reading)]).toEqual([]);
    expect(reading.agent).toEqual({ ...read('').agent, ...expected });
  });

  test('mcpServers with a star means all of them', () => {
    expect(read('mcpServers: ["*"]').agent).not.toHaveProperty('toolServers');
  });
});

describe('wrong values', () => {
  test.each<[string, string]>([
    ['version: 2.10', 'support/prompt.md:3:1: version: expected text, found the number 2.1 (put it in quotes: "2.1")'],
    [
      'tags: support',
      'support/prompt.md:3:1: tags: expected a list, found text; write it in brackets, [ and ], or begin each entry with "- "',
    ],
    ['tags:\n  - good\n  - {a: b}', 'support/prompt.md:5:5: tags[1]: expected text, found a mapping'],
    [
      'contextScope: full',
      'support/prompt.md:3:1: contextScope: expected FULL, NONE or SPECIFIC, found "full"; did you mean "FULL"?',
    ],
    [
      'maxExecutionMinutes: 0',
      'support/prompt.md:3:1: maxExecutionMinutes: expected a whole number from 1 to 43200, found the number 0',
    ],
    [
      'max_execution_minutes: soon',
      'support/prompt.md:3:1: max_execution_minutes: expected a whole number from 1 to 43200, found "soon"',
    ],
    ['maxCost: free', 'support/prompt.md:3:1: maxCost: expected an amount of US dollars, such as 0.50, found text'],
    ['maxCost: 0', 'support/prompt.md:3:1: maxCost: must be more than 0 and at most 1000000 US dollars'],
    [
      'max_cost: .nan',
      'support/prompt.md:3:1: max_cost: expected an amount of US dollars, such as 0.50, found the number NaN',
    ],
    [
      'maxTurns: 5\nmax_turns: 6',
      'support/prompt.md:4:1: max_turns stands beside maxTurns, which is the same key; remove one',
    ],
    ['models: gpt-5', 'support/prompt.md:3:1: models: expected names of providers with a model each, found text'],
    [
      'approvals:\n  - tool: x',
      'support/prompt.md:3:1: approvals: rules are a part of the platform\'s configuration; here it is "default" or "require"',
    ],
    ['approvals: ask', 'support/prompt.md:3:1: approvals: expected default or require, found text'],
    [
      'context: {state: order}',
      'support/prompt.md:3:11: context.state: expected a list, found text; write it in brackets, [ and ], or begin each entry with "- "',
    ],
    [
      'name: "a\\u202eb"',
      'support/prompt.md:3:1: name: must not hold control characters, or characters that nobody sees',
    ],
    ['version: "\\0"', 'support/prompt.md:3:1: it holds a NUL character; remove it'],
    [
      'version: "\\ud800"',
      'support/prompt.md:3:1: it holds half of a surrogate pair, which is no character; remove it',
    ],
    [
      'models: {__proto__: gpt-5}',
      'support/prompt.md:3:1: a key is called __proto__, which cannot be a name; remove it',
    ],
    ['"\\0": x', 'support/prompt.md:1:1: a key holds what is no character; remove it'],
    ['description: twice', 'support/prompt.md:3:1: the key "description" stands here twice; remove one'],
    [
      'tags: &a [x]',
      'support/prompt.md:3:10: anchors (&name) and references (*name) are not read: write the value out, or put the text in quotes',
    ],
    ['version: a: b', 'support/prompt.md:3:10: a text that holds ": " must stand in quotes'],
    [`examples: [${'a,'.repeat(257)}]`, 'support/prompt.md:3:1: examples: must not have more than 256 entries'],
  ])('%s', (frontmatter, line) => {
    const reading = read(frontmatter);
    expect(reading.agent).toBeUndefined();
    expect(lines(reading)).toContain(line);
  });

  test('all problems of a file are told at once, in the file they are in', () => {
    expect(lines(read('tags: x\nmaxTurns: no'))).toHaveLength(2);
  });

  test('a file needs a description and a prompt', () => {
    const reading = readAgentFile({ path: 'a/prompt.md', text: '---\nname: A\n---\n\n \n' });
    expect(lines(reading)).toEqual([
      'a/prompt.md:1:1: description is required',
      'a/prompt.md:4:1: the prompt is empty: write below the frontmatter what the model is told',
    ]);
  });
});

describe('warnings leave an agent as it is', () => {
  test.each<[string, string]>([
    [
      'mcpServer: [a]',
      'support/prompt.md:3:1: unknown key "mcpServer", which has no effect; did you mean "mcpServers"?',
    ],
    [
      'mcp-servers: [a]',
      'support/prompt.md:3:1: unknown key "mcp-servers", which has no effect; did you mean "mcpServers"?',
    ],
    ['__proto__: {tags: [x]}', 'support/prompt.md:3:1: unknown key "__proto__", which has no effect; known: '],
    ['context: {state: [a]}', 'support/prompt.md:3:1: context: has an effect with contextScope: SPECIFIC only'],
    [
      'contextScope: SPECIFIC\ncontext: {stat: [a]}',
      'support/prompt.md:4:11: context: unknown key "stat", which has no effect; did you mean "state"?',
    ],
    [
      'tools: [a]',
      'support/prompt.md:3:1: tools: has an effect only on the tools of mcpServers, of which none is named',
    ],
    ['onLimit: end', 'support/prompt.md:3:1: onLimit: has an effect with maxCost, maxTokens or maxAgentCalls only'],
    ['version: !x 1', 'support/prompt.md:3:10: the tag !x is not known; what follows it is read as plain data'],
    [
      'examples: ["a\\u202eb"]',
      'support/prompt.md:3:12: it holds U+202E, which people do not see and a model reads; remove it',
    ],
  ])('%s', (frontmatter, line) => {
    const reading = read(frontmatter);
    expect(lines(reading)).toEqual([]);
    expect(warned(reading)[0]?.startsWith(line)).toBe(true);
    expect(warned(reading)).toHaveLength(1);
    expect(reading.agent).toMatchObject({ name: 'support', prompt: 'Help.' });
  });

  test.each<[string, string]>([
    [
      'Help {{promt}}.',
      'support/prompt.md:6:6: there is no variable "promt", and it stays in the prompt as it is; did you mean {{prompt}}?',
    ],
    [
      'Help\n{{prompt}} {{customer}}',
      'support/prompt.md:7:12: there is no variable "customer", and it stays in the prompt as it is; known: agent_name, agent_description, prompt, available_tools, allowed_agents',
    ],
    [
      'Help\n me\u200b.',
      'support/prompt.md:7:4: the prompt holds U+200B, which people do not see and a model reads; remove it',
    ],
  ])('prompt %j', (body, line) => {
    const reading = read('model: m', body);
    expect(warned(reading)).toEqual([line]);
    expect(reading.agent?.prompt).toBe(body);
  });
});
