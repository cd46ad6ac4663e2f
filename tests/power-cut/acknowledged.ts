/** Something that a server answered for: a stream reached a revision. Written down by who got the answer. */
export type Acknowledged = {
  readonly stream: string;
  readonly revision: number;
  /** Id of the event at that revision, if who appended it chose it. */
  readonly eventId?: string;
};

/** Is told of each answer as it comes. */
export type Note = (acknowledged: Acknowledged) => void;

/** A server that writes to a disk, and those that write through it. */
export type WrittenServer = {
  /** Every process of it that runs now. */
  pids(): number[];
  /** Appends without pause, in several conversations at once, until the server is gone. */
  write(note: Note): Promise<void>;
  /** Ends all of its processes, frozen or not. */
  kill(): Promise<void>;
};
