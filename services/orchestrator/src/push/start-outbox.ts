import { randomBytes } from 'node:crypto';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import type { DriverPorts } from '../driver/handle/ports.ts';
import { deliver, type Resolve } from './deliver.ts';
import { Outbox } from './outbox.ts';
import { PushLog } from './push-log.ts';
import { systemResolve } from './resolve.ts';
import { PushSealer } from './sealed.ts';
import { type LinkParts, Links } from './webhooks/links.ts';
import type { WebhookPorts } from './webhooks/send-notice.ts';
import type { Webhook } from './webhooks/webhooks.ts';

/** What the outbox is given by whoever starts the orchestrator. */
export type PushParts = {
  /** Addresses that are not of the public network may be told too, and over http. */
  readonly allowPrivate: boolean;
  /** Where other agents reach the gateways, without a slash at the end; absent: no agent is asked to call back. */
  readonly publicUrl?: string;
  /** Who is told of approvals; absent: nobody. */
  readonly webhooks?: readonly Webhook[];
  /** With what their links are made, if any of them has links; `publicUrl` is there then. */
  readonly links?: LinkParts;
  /** The key that credentials are sealed with, and callbacks known by, when it is needed first; undefined if there is none. */
  readonly key: () => Uint8Array | undefined;
  /** Instead of what this machine resolves names with. */
  readonly resolve?: Resolve;
};

/** The outbox over the ports that the drivers have. */
export function startOutbox(
  { allowPrivate, key, publicUrl, webhooks = [], links, resolve = systemResolve() }: PushParts,
  ports: Pick<DriverPorts, 'instance' | 'log' | 'liveness' | 'clock' | 'newId' | 'random' | 'onFault'>,
  client: Client<typeof store.StoreService>,
  logger: Logger,
  { agent, secrets }: Pick<WebhookPorts, 'agent' | 'secrets'>,
): Outbox {
  let sealer: PushSealer | undefined;
  return new Outbox({
    ...ports,
    store: client,
    logger,
    allowPrivate,
    webhookPorts: {
      ...{ agent, secrets, publicUrl },
      webhooks: new Map(webhooks.map((one) => [one.name, one])),
      links:
        links === undefined || publicUrl === undefined ? undefined : new Links(links, publicUrl, ports.clock.monotonic),
    },
    pushes: new PushLog({ ...ports, store: client }),
    sealer: () => {
      const bytes = sealer === undefined ? key() : undefined;
      if (bytes !== undefined) sealer = new PushSealer(bytes, randomBytes);
      return sealer;
    },
    deliver: (delivery, signal) => deliver({ resolve, allowPrivate }, delivery, signal),
  });
}
