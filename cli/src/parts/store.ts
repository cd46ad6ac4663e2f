import type { AgentConfig } from '@stopgo/runtime';

/** Streams that are open for a moment only: waits for runs that another process drives. */
const spareStreams = 1_000;

/** Streams that a store must be able to hold open: each event stream of a client takes two, each run may follow its own. */
export function openStreamsOf({ limits }: AgentConfig): number {
  return 2 * limits.openStreams + limits.concurrentRuns + spareStreams;
}
