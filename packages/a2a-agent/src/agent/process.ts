import type { Artifact, Message, Part, Task } from '../protocol.ts';

/** What an agent does with a message. What it throws ends the task: `InputRequired` and `Rejected` as they say, all else as failed. */
export type ProcessFunc = (turn: Turn) => Output | Promise<Output>;

/** One message on its way through an agent. */
export type Turn = {
  /** The texts of the message, one after the other. */
  readonly text: string;
  /** The texts of all messages that the peer has sent to the task so far, oldest first; this one is the last. */
  readonly said: readonly string[];
  readonly message: Message;
  /** The task as it is now: its history ends with the message. A copy. */
  readonly task: Task;
  /** Aborts when the task is canceled or the agent stops: whatever is given back after that is not heard. */
  readonly signal: AbortSignal;
  /** What the request carried under a name (`authorization`, `x-session-id`): for the agents and tools that are asked next. */
  readonly header: (name: string) => string | undefined;
  /** Shows that the work goes on, and what is being done. */
  readonly say: (text: string) => void;
  /** Shows an artifact, or a piece of one, while the work goes on. */
  readonly show: (artifact: NewArtifact, piece?: Piece) => void;
};

/** What a task comes to: an answer in words, its parts, several artifacts, or nothing beyond what was shown. */
export type Output = string | readonly Part[] | { readonly artifacts: readonly NewArtifact[] } | undefined;

/** An artifact. Without an id it gets one. */
export type NewArtifact = { readonly parts: readonly Part[] } & Partial<Omit<Artifact, 'parts'>>;

/** Where a piece belongs: to the artifact of the same id, after what was shown of it; `last`: no more follows. */
export type Piece = { readonly append: boolean; readonly last: boolean };

/** Thrown by a process that cannot go on without an answer: the next message to the task brings it. */
export class InputRequired extends Error {}

/** Thrown by a process that does not take the message. */
export class Rejected extends Error {}
