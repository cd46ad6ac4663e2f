import type { store, views } from '@stopgo/proto';

/** What a process says of itself. */
export type Beat = Pick<store.Instance, 'instance' | 'role' | 'address' | 'counter'> &
  Partial<Pick<store.Instance, 'waits' | 'waitsMs'>>;

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
  /**
   * What runs wait for, as processes that are heard of said it last. What cannot be told at once is left out: nothing depends on it.
   */
  waits(): readonly views.RunWait[];
  /** True if a process that is in no heartbeat is known to be dead. */
  readonly complete: boolean;
};

/** What is kept of a heartbeat. */
export const postedOf = ({ instance, role, address, counter, waits, waitsMs }: Beat, left: boolean): Posted => ({
  ...{ instance, role, address, counter, left },
  ...(waits === undefined || waits.length === 0 ? {} : { waits, waitsMs: waitsMs ?? 0 }),
});

/** A heartbeat, and when it was heard, in milliseconds of the observer's clock. */
export type Heard = { readonly posted: Posted; readonly at: number };

/** What runs wait for by these heartbeats at a moment: of a process that has not been heard of for long nothing holds any more. */
export const waitsIn = (heard: Iterable<Heard>, now: number): views.RunWait[] =>
  [...heard].flatMap(({ posted, at }) => (now - at > (posted.waitsMs ?? 0) ? [] : (posted.waits ?? [])));
