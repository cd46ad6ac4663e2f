import { create } from '@bufbuild/protobuf';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { executeAnswer } from '../../src/bridges/wire.ts';

test.each([
  ['NEW', true],
  ['CHANGED', true],
  ['FIRST_USE', false],
  ['ACCEPTED', false],
] as const)('whoever approves a call anew is told whether its tool is held: %s', (state, isHeld) => {
  const tool = create(mcp.ToolSchema, { server: 'files', name: 'erase', pin: 'p', pinState: mcp.PinState[state] });
  const value = { reason: mcp.RefusedReason.PIN_CHANGED, tool };
  const answer = executeAnswer(create(mcp.ExecuteResponseSchema, { outcome: { case: 'refused', value } }));
  expect(answer).toMatchObject({ kind: 'pin_changed', isHeld });
});
