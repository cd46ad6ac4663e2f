/** A server that accepts calls. */
export interface RunningServer {
  /** Where it listens; empty for stdio. */
  readonly address: string;
  /** Settles when the server has ended by itself or was stopped. */
  readonly ended: Promise<void>;
  /** Takes no further calls, lets running ones finish, and settles `ended`. Repeating it does no harm. */
  stop(): Promise<void>;
}
