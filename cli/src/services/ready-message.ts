/** What a process tells the one that started it with a channel, once it can work. */
export type ReadyMessage = {
  readonly kind: 'ready';
  /** Where it is called. */
  readonly address: string;
  /** Its id in the log and in heartbeats. */
  readonly instance: string;
};
