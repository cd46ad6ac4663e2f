import type { store } from '@stopgo/proto';

/** What a process says of itself. */
export type Beat = Pick<store.Instance, 'instance' | 'role' | 'address' | 'counter'>;

/**
 * The heartbeats of all processes, as they said them last. It judges nobody: an observer tells by its own clock whose
 * counter stands still.
 */
export type InstanceBoard = {
  /**
   * Takes note of a heartbeat (one without an instance only asks; `leaving` forgets it) and gives all that were said before
   * the answer, to whichever replica. Throws `unavailable` when it cannot tell.
   */
  beat(beat: Beat & { readonly leaving: boolean }): Promise<readonly Beat[]>;
  /** True if a process that is in no heartbeat is known to be dead. */
  readonly complete: boolean;
};
