import type { views } from '@stopgo/proto';
import type { Logger } from '@stopgo/runtime';

/** Warns of the first of the failures in a row, and of the last. `failures` of the config: those before this one. */
export function warnOfFailure(
  logger: Logger,
  conversation: string,
  { id, webhook, failures }: views.PushConfig,
  reason: string,
  isGivenUp: boolean,
): void {
  if (!isGivenUp && failures > 0) return;
  const more = { conversation, attempt: failures + 1, reason };
  if (webhook === '') {
    const fields = { ...more, config: id };
    if (isGivenUp) logger.warn('an address is not told of its task any more', fields);
    else logger.warn('an address could not be told of its task; it is tried again', fields);
  } else {
    const fields = { ...more, webhook };
    if (isGivenUp) logger.warn('a webhook is given up: it is not told of an approval', fields);
    else logger.warn('a webhook could not be told of an approval; it is tried again', fields);
  }
}
