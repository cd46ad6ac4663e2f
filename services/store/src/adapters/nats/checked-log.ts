import type { EventLog } from '../../event-log.ts';
import type { NatsLink } from './link.ts';

/**
 * The log, which takes and acknowledges appends only while the server behind the connection is one that passed the checks.
 * What a server took meanwhile that did not is `unavailable`: repeated with its key, it is told once the checks pass.
 */
export function onlyWhileChecked(log: EventLog, link: Pick<NatsLink, 'up' | 'check'>): EventLog {
  return {
    async append(append) {
      await link.up();
      const outcome = await log.append(append);
      if (outcome.kind !== 'conflict') link.check();
      return outcome;
    },
    read: (...request) => log.read(...request),
    head: (...request) => log.head(...request),
    keys: (...request) => log.keys(...request),
    allKeys: (...request) => log.allKeys(...request),
    readAll: (...request) => log.readAll(...request),
    lastPosition: () => log.lastPosition(),
    streams: (...request) => log.streams(...request),
    follow: (...request) => log.follow(...request),
    subscribe: (...request) => log.subscribe(...request),
  };
}
