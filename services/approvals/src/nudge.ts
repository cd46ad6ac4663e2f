import { DomainError } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import type { orchestrator as wire } from '@stopgo/proto';
import { type CallContext, type Client, forwardDetached } from '@stopgo/rpc';

/** How long an orchestrator is given to answer beyond the wait itself, in milliseconds. */
const slackMs = 10_000;
/** Orchestrators that are told: if the first is lost meanwhile, another may take the run up. */
const nudgesMax = 2;

/** How long other agents are looked at, at most, before a decision is taken, in milliseconds. */
const lookMs = 2_000;

export type Nudge = {
  readonly conversationId: string;
  /** The decision stands at this revision. */
  readonly minRevision: number;
  /** How long the caller wants to wait for the run, in milliseconds. */
  readonly waitMs: number;
  /** The append that ends at that revision, where it is at hand. */
  readonly appended: NewEvent[];
};

type NewEvent = wire.ResumeRunRequest['appended'][number];

type Ports = { readonly orchestrator: Client<typeof wire.OrchestratorService>; readonly clock: Clock };

/**
 * Tells an orchestrator that a run may go on, and gives what it came to. Undefined if none answers. That is known at once
 * where none is there, and as soon as its connection is given up (a few seconds) where one is frozen or unreachable; an
 * orchestrator that is only slow is waited for.
 */
export async function nudge(
  { orchestrator, clock }: Ports,
  { conversationId, minRevision, waitMs, appended }: Nudge,
  caller: CallContext,
): Promise<wire.Turn | undefined> {
  const context = forwardDetached(caller);
  const end = clock.monotonic() + waitMs;
  for (let told = 1; ; told += 1) {
    const milliseconds = Math.max(0, Math.round(end - clock.monotonic()));
    try {
      const { turn } = await orchestrator.resumeRun(
        { conversationId, wait: { milliseconds }, minRevision, appended },
        { timeoutMs: milliseconds + slackMs, context },
      );
      return turn;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.kind !== 'unavailable' || told === nudgesMax) return undefined;
    }
  }
}

/**
 * Has an orchestrator look what became of the questions of other agents that wait in a conversation. Whoever does not answer
 * holds up nobody: the decision is taken, and it is looked again before it is sent.
 */
export async function lookFirst({ orchestrator }: Ports, conversationId: string, caller: CallContext): Promise<void> {
  const context = forwardDetached(caller);
  await orchestrator.resumeRun({ conversationId, looks: true }, { timeoutMs: lookMs, context }).catch((error) => {
    if (!(error instanceof DomainError)) throw error;
  });
}
