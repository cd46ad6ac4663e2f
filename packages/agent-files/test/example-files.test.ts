import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineAgent } from '@stopgo/core';
import { expect, test } from 'vitest';
import { defineAgentFile, readAgentFile } from '../src/index.ts';

const folder = join(import.meta.dirname, 'fixtures', 'agents');

/** What is recorded of each: whoever changes that makes new versions of agents that nobody has changed. */
test.each([
  ['analysis/comprehensive.md', 'analysis-comprehensive'],
  ['code/pr-reviewer/prompt.md', 'code-pr-reviewer'],
  ['sales/assistant/prompt.md', 'sales-assistant'],
  ['support/customer/agent.md', 'support-customer'],
  ['support/tier1-agent/prompt.md', 'support-tier1-agent'],
])('%s', async (path, name) => {
  const { agent, problems, warnings } = readAgentFile({ path, text: readFileSync(join(folder, path), 'utf8') });
  expect(problems).toEqual([]);
  expect(warnings.map(({ message }) => message)).toEqual(
    name === 'sales-assistant' ? ['providers: "anthropic_claude" is not asked: models names no model of it'] : [],
  );
  const definition = defineAgentFile(agent!, { model: 'anthropic:claude-sonnet-5', namespace: 'shop' });
  const { digest, definitionJson } = defineAgent(definition);
  await expect(`${definitionJson}\n${JSON.stringify({ digest })}\n`).toMatchFileSnapshot(`golden/${name}.jsonl`);
});
