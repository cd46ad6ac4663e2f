/** Time as group commit needs it; a test brings its own. */
export type CommitTime = {
  /** Milliseconds that only grow. */
  now(): number;
  /** Calls once so many milliseconds have passed; what it gives calls it off. */
  after(ms: number, call: () => void): () => void;
};

/** The time of this machine. */
export const commitTime: CommitTime = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
