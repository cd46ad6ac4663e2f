import type { Principal } from '@stopgo/core';
import type { OnInternalError } from '@stopgo/rpc';
import type { AgentConfig, Logger } from '@stopgo/runtime';

/** What every part of the platform is started with, whichever process it runs in. */
export type PartOptions = {
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Version of the platform, as it names itself to tool servers. */
  readonly version: string;
  /** Aborts when the process is asked to end before all is started. */
  readonly stopping?: AbortSignal;
};

/** Logs what a caller may not see of an exception, with the id that the caller was told. */
export const logInternalErrors =
  (logger: Logger): OnInternalError =>
  (error, id, method) =>
    logger.error(`internal error ${id} in ${method}`, {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });

/** Who acts in calls between services that name nobody: where people sign in, whoever is not named may do nothing. */
export const unnamedOf = ({ auth }: Pick<AgentConfig, 'auth'>): { readonly unnamed?: Principal } =>
  auth === undefined ? {} : { unnamed: { kind: 'nobody' } };
