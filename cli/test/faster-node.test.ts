import { expect, test } from 'vitest';
import { fasterNode } from '../src/start/faster-node.ts';

test('a faster Node is named where there is one', () => {
  const said = (version: string) =>
    `this is Node ${version}; Node 24 or newer takes about a third less CPU for the same work`;
  expect(['20.19.0', '22.13.1', '24.0.0', '26.10.0'].map(fasterNode)).toEqual([
    said('20.19.0'),
    said('22.13.1'),
    undefined,
    undefined,
  ]);
});
