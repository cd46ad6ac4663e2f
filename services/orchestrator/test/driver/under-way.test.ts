import type { Effect } from '@stopgo/core';
import { expect, test } from 'vitest';
import { EffectsUnderWay } from '../../src/driver/run/under-way.ts';

const call = (id: string): Effect => ({ kind: 'call', id, attempt: 1, fenced: true });

/** Effects that go on for ever, with the signal that each was given. */
function underWay() {
  const signals: AbortSignal[] = [];
  const effects = new EffectsUnderWay(
    (_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
    () => undefined,
  );
  return { effects, signals };
}

const reasons = (signals: readonly AbortSignal[]) => signals.map(({ aborted, reason }) => aborted && reason);

test('what is owed no more is stopped, and nothing else', () => {
  const { effects, signals } = underWay();
  for (const id of ['a', 'b']) effects.begin(call(id));
  effects.keepOnly([call('b')]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('the end of the process stops all that is under way, and what is begun after it', () => {
  const { effects, signals } = underWay();
  effects.begin(call('a'));
  effects.stop('the process ends');
  effects.begin(call('b'));
  expect(reasons(signals)).toEqual(['the process ends', 'the process ends']);
});
