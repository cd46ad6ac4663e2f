import type { Clock } from '@stopgo/log';
import type { orchestrator, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** What an approvals service is given. */
export type ApprovalsDependencies = {
  /** Id of this process; never used twice. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
  readonly orchestrator: Client<typeof orchestrator.OrchestratorService>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
  /** Makes links, with so many bytes that nobody can guess; absent: nobody signs in, so there is nobody to make one for. */
  readonly links?: { readonly randomBytes: (count: number) => Uint8Array };
};
