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
  /** Whether people sign in here; absent: nobody does, so there is nobody to make a link for. */
  readonly hasSignIn?: boolean;
};
