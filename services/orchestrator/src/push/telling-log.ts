import type { views } from '@stopgo/proto';
import type { Logger } from '@stopgo/runtime';
import type { Delivered } from './deliver.ts';

/** How long a webhook fails before it is said again that it does, in milliseconds. */
export const stillFailingMs = 10 * 60_000;
/** How long nothing new is said of a webhook that now fails and now does not, in milliseconds. */
export const flappingMs = 60_000;

/** Failures of a webhook without a success between them. `since`: in milliseconds since 1970. */
type Trouble = { readonly since: number; failures: number; isSaid: boolean };

/** Wall clock, and one that never jumps, in milliseconds. */
type Clocks = { readonly now: () => number; readonly monotonic: () => number };

/**
 * Says in the log how telling goes. Of an address the first of the failures in a row, and the last. A webhook is one for many
 * conversations: of it the first failure, once in a while that it still fails and since when, and that it is told again.
 */
export class TellingLog {
  readonly #logger: Logger;
  readonly #clocks: Clocks;
  /** By the names of webhooks, of which there are few. */
  readonly #troubles = new Map<string, Trouble>();
  readonly #saidAt = new Map<string, number>();

  constructor(logger: Logger, clocks: Clocks) {
    this.#logger = logger;
    this.#clocks = clocks;
  }

  /** What came of an attempt. `failures` of the config: those before it. */
  attempted(conversation: string, config: views.PushConfig, outcome: Delivered, isGivenUp: boolean): void {
    const { id, webhook, failures } = config;
    if (outcome.kind === 'taken') {
      this.#told(webhook);
      return;
    }
    const more = { conversation, attempt: failures + 1, reason: outcome.reason };
    const fields = { ...more, config: id };
    if (webhook !== '') this.#webhookFailed(webhook, more, isGivenUp);
    else if (isGivenUp) this.#logger.warn('an address is not told of its task any more', fields);
    else if (failures === 0) this.#logger.warn('an address could not be told of its task; it is tried again', fields);
  }

  #told(webhook: string): void {
    const trouble = this.#troubles.get(webhook);
    if (trouble === undefined) return;
    this.#troubles.delete(webhook);
    if (trouble.isSaid) this.#logger.info('a webhook is told of approvals again', { webhook, ...spell(trouble) });
  }

  #webhookFailed(webhook: string, more: { readonly reason: string }, isGivenUp: boolean): void {
    const trouble = this.#troubles.get(webhook) ?? { since: this.#clocks.now(), failures: 0, isSaid: false };
    this.#troubles.set(webhook, trouble);
    trouble.failures += 1;
    const fields = { ...more, webhook };
    if (isGivenUp) {
      this.#logger.warn('a webhook is given up: it is not told of an approval', fields);
      return;
    }
    const now = this.#clocks.monotonic();
    const pauseMs = trouble.isSaid ? stillFailingMs : flappingMs;
    if (now - (this.#saidAt.get(webhook) ?? Number.NEGATIVE_INFINITY) < pauseMs) return;
    this.#saidAt.set(webhook, now);
    if (trouble.isSaid)
      this.#logger.warn('a webhook still cannot be told of approvals', { ...fields, ...spell(trouble) });
    else this.#logger.warn('a webhook could not be told of an approval; it is tried again', fields);
    trouble.isSaid = true;
  }
}

const spell = ({ since, failures }: Trouble) => ({ since: new Date(since).toISOString(), failures });
