import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readAgentFile } from '../src/index.ts';
import { ownKeys } from '../src/own-keys.ts';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');

test('the example of the page is an agent', () => {
  const text = /```markdown\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { agent, problems, warnings } = readAgentFile({ path: 'support/tier1/prompt.md', text });
  expect([...problems, ...warnings]).toEqual([]);
  expect(agent).toMatchObject({
    name: 'support/tier1',
    title: 'Tier 1 support',
    allowedAgents: ['support/billing', 'legal/*'],
    limits: { costMax: 500_000, onLimit: 'ask' },
  });
});

test('the page has every key, and no other', () => {
  const table = page.slice(page.indexOf('\n## Keys'), page.indexOf('\n## Prompt'));
  const told = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, key]) => key),
  );
  expect(told.toSorted()).toEqual(Object.keys(ownKeys.shape).toSorted());
});
