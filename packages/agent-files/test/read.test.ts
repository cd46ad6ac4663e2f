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
    ['models: {groq: llama}', { models: { groq: 'llama' } }],
    ['providers: [openai, groq]', { providers: ['openai', 'groq'] }],
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
