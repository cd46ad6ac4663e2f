import { type CallTarget, isSent, type SentTarget } from '@stopgo/core';
import { delegationWay } from '../delegations/delegation-way.ts';
import type { CallWay } from '../handle/call-way.ts';
import { toolWay } from './tool-way.ts';

const ways: Readonly<Record<SentTarget['kind'], CallWay>> = { tool: toolWay, remote: delegationWay };

/** How calls that go to a target are made; undefined where the platform itself does them while they are recorded. */
export function wayOf(target: CallTarget | undefined): CallWay | undefined {
  return isSent(target) ? ways[target.kind] : undefined;
}
