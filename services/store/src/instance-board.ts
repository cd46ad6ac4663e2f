import type { store } from '@stopgo/proto';

/** What a process says of itself. */
export type Beat = Pick<store.Instance, 'instance' | 'role' | 'address' | 'counter'>;

/** What is known of a process: its last word, and whether that was that it leaves. */
export type Posted = Beat & Pick<store.Instance, 'left'>;

/**
 * The heartbeats of all processes, as they said them last. It judges nobody: an observer tells by its own clock whose
 * counter stands still.
 */
export type InstanceBoard = {
  /**
   * Takes note of a heartbeat (one without an instance only asks) and gives all that were said before it, to whichever
   * replica. One that leaves is shown as `left` for a while; a board that is complete forgets it instead. Throws
   * `unavailable` when it cannot tell.
   */
  beat(beat: Beat & { readonly leaving: boolean }): Promise<readonly Posted[]>;
  /** True if a process that is in no heartbeat is known to be dead. */
  readonly complete: boolean;
};
