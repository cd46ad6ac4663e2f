/** Agents of this platform, each a subtree of the run that calls it: the kind has its place, and no node is offered one yet. */
import type { CallKind } from './kind.ts';

/** The call opens a subtree in the log itself: nothing is sent. */
export const agentKind = {
  noun: 'the agent',
  offers: () => [],
  problemOf: () => undefined,
} as const satisfies CallKind;
