import { DomainError } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import type { orchestrator as wire } from '@stopgo/proto';
import { type CallContext, type Client, forwardDetached } from '@stopgo/rpc';

/** How long an orchestrator is given to answer beyond the wait itself, in milliseconds. */
const slackMs = 10_000;
/** How long no answer is no sign of anything, in milliseconds. After it the orchestrators are asked for one. */
const silenceMs = 1_000;
/** How long they have for a sign of life, in milliseconds; and how often they are asked for one. */
const signMs = 1_000;
const askAgainMs = 5_000;

export type Nudge = {
  readonly conversationId: string;
  /** The decision stands at this revision. */
  readonly minRevision: number;
  /** How long the caller wants to wait for the run, in milliseconds. */
  readonly waitMs: number;
};

type Ports = { readonly orchestrator: Client<typeof wire.OrchestratorService>; readonly clock: Clock };

/**
 * Tells an orchestrator that a run may go on, and gives what it came to. Undefined if none answers, which is known within
 * two seconds also where they are frozen or unreachable: the one that was told may be waiting for the run, or be gone, so
 * after a while of silence any of them is asked for a sign of life. (That is a nudge too: if the first one is frozen, it is
 * another that takes the run up.)
 */
export async function nudge(
  { orchestrator, clock }: Ports,
  { conversationId, minRevision, waitMs }: Nudge,
  caller: CallContext,
): Promise<wire.Turn | undefined> {
  const over = new AbortController();
  const context = forwardDetached(caller);
  const resume = (milliseconds: number, timeoutMs: number) =>
    orchestrator.resumeRun(
      { conversationId, wait: { milliseconds }, minRevision },
      { timeoutMs, context, signal: over.signal },
    );
  const noneIsThere = async (): Promise<undefined> => {
    await clock.sleep(silenceMs, over.signal);
    for (;;) {
      await resume(0, signMs);
      await clock.sleep(askAgainMs, over.signal);
    }
  };
  const answer = resume(waitMs, waitMs + slackMs).then(({ turn }) => turn);
  const silence = noneIsThere();
  try {
    return await Promise.race([answer, silence]);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return undefined;
  } finally {
    over.abort(new Error('the orchestrator has answered, or none does'));
    answer.catch(() => undefined);
    silence.catch(() => undefined);
  }
}
