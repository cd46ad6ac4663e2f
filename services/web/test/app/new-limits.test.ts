import { expect, test } from 'vitest';
import { limitOf, mayUse, namesOf, usedUp } from '../../app/chat/new-limits.ts';

test.each([
  ['max_tokens', { used: 10_532, most: 10_000 }, 'It has used 10,532 tokens of 10,000 tokens.'],
  ['max_cost', { used: 0.5000001, most: 0.5 }, 'It has used $0.5000001 of $0.50.'],
  ['max_agent_calls', { used: 1, most: 1 }, 'It has used 1 call of agents of 1 call of agents.'],
] as const)('says how much of %s is used up', (name, use, words) => {
  expect(usedUp(name, use)).toBe(words);
});

test.each([
  ['max_tokens', ' 50,000 ', 50_000],
  ['max_tokens', '101', 101],
  ['max_tokens', '100', 'Write more than 100 tokens: that is used up already'],
  ['max_tokens', '', 'Write a whole number, such as 50000'],
  ['max_tokens', '1e9', 'Write a whole number, such as 50000'],
  ['max_tokens', '200.5', 'Write a whole number, such as 50000'],
  ['max_cost', '100.25', 100.25],
  ['max_cost', '100', 'Write more than $100.00: that is used up already'],
  ['max_cost', '-3', 'Write an amount, such as 2.50'],
  ['max_agent_calls', '101', 101],
] as const)('of %s takes %j for %j', (name, written, taken) => {
  expect(limitOf(name, { used: 100, most: 100 }, written)).toBe(taken);
});

test('says what an agent may use from now on', () => {
  const limits = [
    { kind: 'LIMIT_KIND_TOKENS', most: '50000' },
    { kind: 'LIMIT_KIND_COST', most: '2500000000' },
    { kind: 'of tomorrow', most: 1 },
  ];
  expect(mayUse(limits)).toBe('may use up to 50,000 tokens and $2.50');
  expect(mayUse([])).toBe('');
});

test('knows the limits that there are', () => {
  const use = { used: 1, most: 1 };
  expect(namesOf({ max_cost: use, max_tokens: use, ...({ max_steps: use } as object) })).toEqual([
    'max_cost',
    'max_tokens',
  ]);
});
