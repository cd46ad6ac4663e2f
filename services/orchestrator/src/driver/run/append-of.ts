import { type ConversationState, conversationStream, type Fact } from '@stopgo/core';
import type { Append } from '@stopgo/log';
import type { DriverPorts } from '../handle/ports.ts';

/** What an append of a driver is made of beside its facts. */
export type AppendParts = {
  /** The state that it follows on. */
  readonly state: ConversationState;
  readonly runId: string;
  readonly ports: Pick<DriverPorts, 'instance' | 'newId'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly wantsView: boolean;
};

/** The append of some facts of a run, by whoever drives it; undefined if there are none. */
export function appendOf(
  facts: readonly Fact[],
  { state, runId, ports, now, wantsView }: AppendParts,
): Append | undefined {
  if (facts.length === 0) return undefined;
  return {
    stream: conversationStream(state.id),
    expectedRevision: state.revision,
    facts,
    actor: { kind: 'system', id: ports.instance },
    correlationId: state.sessionId,
    causationId: runId,
    key: ports.newId(),
    now,
    eventIds: facts.map(() => ports.newId()),
    wantsView,
  };
}
