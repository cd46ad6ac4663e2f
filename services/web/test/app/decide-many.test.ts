import type { Approval } from '@stopgo/client';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined });
const { wordsOfOutcomes } = await import('../../app/approvals/decide-many.ts');

const as = (status: string) => ({ status }) as unknown as Approval;

test('what became of many is told of every one, as the platform answered, and nothing is made up', () => {
  const outcomes = [
    { uuid: '1', status: 200, approval: as('approved') },
    { uuid: '2', status: 200, approval: as('pending') },
    // Decided, and nobody could say how it stands now.
    { uuid: '3', status: 200 },
    { uuid: '4', status: 200, approval: as('withdrawn') },
    { uuid: '5', status: 409, error: 'Eve rejected it' },
    { uuid: '6', status: 503, error: 'the log is away' },
  ];
  expect(wordsOfOutcomes(outcomes, 'approve')).toEqual([
    '2 approved.',
    '1 with your vote, and more votes are needed.',
    '1 now withdrawn.',
    '1 not decided: Eve rejected it.',
    '1 of which nobody knows whether they were decided: the log is away.',
  ]);
});
