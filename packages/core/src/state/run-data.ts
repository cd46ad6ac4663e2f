/** A value that the agents of a run share: where it stands on the record. The value itself is not in the state. */
export type SharedValue = {
  readonly key: string;
  /** Revision of the event that says that it was written: no other value has it. */
  readonly writtenAt: number;
  /** The call that wrote it, and the revision of the event that holds its arguments. */
  readonly callId: string;
  readonly callRevision: number;
  /** What key and value take of the room that the run has, in bytes of UTF-8. */
  readonly bytes: number;
};

/** What the agents of a run share, each key once; what was written last stands last. */
export type RunData = readonly SharedValue[];
