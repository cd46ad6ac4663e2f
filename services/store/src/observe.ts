/** What the store did, for tests and measurements that count work instead of time. */
export type Observation =
  /** One transaction reached the disk, with so many appends and events. */
  | { readonly kind: 'commit'; readonly appends: number; readonly events: number }
  | { readonly kind: 'append'; readonly stream: string; readonly events: number; readonly outcome: string }
  /** Events were read from a stream. */
  | { readonly kind: 'stream-read'; readonly stream: string; readonly fromRevision: number; readonly events: number };

/** Is told of each observation; must not throw. */
export type Observe = (observation: Observation) => void;
