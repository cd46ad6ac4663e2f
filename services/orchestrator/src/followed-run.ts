import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type CallState,
  type ConversationState,
  conversationStream,
  DomainError,
  evolve,
  hasWork,
  type RunState,
  runStanding,
} from '@stopgo/core';
import { views } from '@stopgo/proto';
import type { DriverPorts } from './driver/handle/ports.ts';

/** Pause between looks at what a run waits for, in milliseconds. Short: of the 5 s that a decision may take the agent is given most. */
const lookPauseMs = 250;
/** How long an agent that is to be answered may be away before nobody is kept waiting for it, in milliseconds: as where it is asked. */
const heldUpMs = 1_500;

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const waitIsOver = new Error('nobody waits for the run any more');

/**
 * Waits for a run that another process drives: until it is not worked on any more, or others have followed it, or all that is left is to
 * answer agents that are away, or the signal aborts. Rejects only for defects.
 */
export async function runFollowed(
  ports: Pick<DriverPorts, 'log' | 'clock'>,
  from: ConversationState,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  let state = from;
  const settled = async (): Promise<void> => {
    for await (const event of ports.log.follow(conversationStream(from.id), from.revision + 1, within)) {
      state = evolve(state, event);
      if (runStanding(state) !== 'working' || state.run?.id !== from.run?.id) return;
    }
  };
  try {
    await Promise.race([settled(), heldUp(ports, () => state, within)]);
  } catch (error) {
    if (!signal.aborted && !(error instanceof DomainError)) throw error;
  } finally {
    over.abort(waitIsOver);
  }
}

/** Resolves when all that a run has to do is to answer agents that have been away for a while. Rejects when the signal aborts. */
async function heldUp(
  { log, clock }: Pick<DriverPorts, 'log' | 'clock'>,
  now: () => ConversationState,
  signal: AbortSignal,
): Promise<void> {
  let seenAt: number | undefined;
  for (;;) {
    await clock.sleep(lookPauseMs, signal);
    const { id, run } = now();
    const view = run !== null && onlyAnswersAgents(run) ? await log.view(id).catch(() => undefined) : undefined;
    const wait = view?.waits.find(({ kind, runId }) => kind === views.WaitKind.AGENT && runId === run?.id);
    if (wait === undefined) {
      seenAt = undefined;
      continue;
    }
    seenAt ??= clock.now();
    // The process that waits has told of it after a while; its clock may be ahead of ours.
    const since = wait.since === undefined ? seenAt : Math.min(seenAt, timestampMs(wait.since));
    if (clock.now() - since >= heldUpMs) return;
  }
}

/** True if, as far as the record tells, nothing is left of a run but calls whose agents have asked something that was decided. */
function onlyAnswersAgents(run: RunState): boolean {
  if (!Object.values(run.calls).some(isAnswered)) return false;
  const calls = Object.entries(run.calls).map(
    ([id, call]) => [id, isAnswered(call) ? ({ ...call, phase: 'blocked' } as const) : call] as const,
  );
  return !hasWork({ ...run, calls: Object.fromEntries(calls) });
}

function isAnswered({ phase, sent }: CallState): boolean {
  return phase !== 'done' && (sent?.questions ?? []).some(({ verdict }) => verdict !== undefined);
}
