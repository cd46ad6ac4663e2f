import { expect, test } from 'vitest';
import { decidedBy } from '../../src/driver/handle/decided-by.ts';

const approver = (id: string) => ({ kind: 'approver', id, claimed: true }) as const;

test.each([
  [approver('alice'), 'desk', 'alice via desk'],
  [approver('alice via desk'), 'keeper', 'alice via desk via keeper'],
  [approver('Zoë'), 'two\nlines', 'Zoë via two lines'],
  [approver('anonymous'), 'desk', undefined],
  [{ kind: 'system', id: 'orchestrator-1' }, 'desk', undefined],
  [{ kind: 'user', id: 'alice' }, 'desk', undefined],
] as const)('who decided is told on with where: %j at %j is %j', (actor, agent, told) => {
  expect(decidedBy(actor, agent)).toBe(told);
});

test('a name that would be too long is cut, and stays one that is taken', () => {
  for (const [name, agent] of [
    ['n'.repeat(128), 'desk'],
    ['🦊'.repeat(128), 'a'.repeat(128)],
  ] as const) {
    const told = [...(decidedBy(approver(name), agent) ?? '')];
    expect(told.length).toBe(128);
    expect(told.join('')).toMatch(/^(?:n+|🦊+)… via /u);
  }
});

test('a long name that has come down a chain is cut before the agents that it came through', () => {
  const atDesk = decidedBy(approver('n'.repeat(128)), 'front-desk') ?? '';
  const atKeeper = decidedBy(approver(atDesk), 'change-desk') ?? '';
  expect(atKeeper).toMatch(/^n{50,}… via front-desk via change-desk$/);
  expect(atKeeper).toHaveLength(128);
});

test('of a chain whose names are too long together, this agent keeps its own', () => {
  expect(decidedBy(approver(`alice via ${'d'.repeat(90)}`), 'keeper')).toMatch(/^alice via d{60,} via keeper$/);
});
