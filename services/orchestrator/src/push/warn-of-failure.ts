import type { views } from '@stopgo/proto';
import type { Logger } from '@stopgo/runtime';

/** What is said of the first failure, and of the last. */
const warnings = {
  address: {
    first: 'an address could not be told of its task; it is tried again',
    last: 'an address is not told of its task any more',
  },
  webhook: {
    first: 'a webhook could not be told of an approval; it is tried again',
    last: 'a webhook is given up: it is not told of an approval',
  },
} as const;

/** Warns of the first of the failures in a row, and of the last. `failures` of the config: those before this one. */
export function warnOfFailure(
  logger: Logger,
  conversation: string,
  { id, webhook, failures }: views.PushConfig,
  reason: string,
  isGivenUp: boolean,
): void {
  if (!isGivenUp && failures > 0) return;
  const whom = webhook === '' ? { config: id } : { webhook };
  const kind = webhook === '' ? 'address' : 'webhook';
  logger.warn(warnings[kind][isGivenUp ? 'last' : 'first'], { conversation, ...whom, attempt: failures + 1, reason });
}
