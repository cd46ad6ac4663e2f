import { conversationStream } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { setAsideLoggedMax } from './bounds.ts';
import type { SetAside } from './views.ts';

/** Names in the log the conversations whose events cannot be folded. */
export function nameSetAside(allSetAside: (limit: number) => readonly SetAside[], log: Logger): void {
  const found = allSetAside(setAsideLoggedMax + 1);
  for (const { conversationId, position, revision, reason } of found.slice(0, setAsideLoggedMax))
    log.error(
      'an event cannot be folded: its conversation is set aside; run `stopgo verify` and restore the data directory from a backup',
      { stream: conversationStream(conversationId), event: revision, position, reason },
    );
  if (found.length > setAsideLoggedMax)
    log.error('more conversations are set aside than are named here', { named: setAsideLoggedMax });
}
