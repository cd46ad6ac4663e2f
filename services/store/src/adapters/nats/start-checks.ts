import { DomainError, failedPrecondition } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { checkDurability } from './durability.ts';
import { checkEventStream, type EventStreamOptions, openEventStream } from './event-stream.ts';
import type { OpenedLink } from './link.ts';
import { checkServer, openJetStream } from './server-check.ts';
import { untilThere } from './waiting.ts';

export type ChecksOptions = {
  readonly link: OpenedLink;
  readonly stream: string;
  readonly replicas: number;
  readonly monitorUrl: string | undefined;
  readonly acceptUnverifiedDurability: boolean;
  readonly newId: () => string;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/**
 * Checks that the server keeps what is appended, makes the stream of the event log if there is none, and has the same
 * checked after each reconnection to another server. Gives the id of the log. Waits while JetStream is not ready.
 *
 * @throws DomainError `failed_precondition` with one line that says what is wrong, where, and what to do; `canceled` when
 * the signal aborts.
 */
export async function checkAtStart(options: ChecksOptions): Promise<{ readonly logId: string }> {
  const { link, log, signal } = options;
  const { logId, serverId } = await untilThere(() => check(options, openEventStream), {
    what: `JetStream of NATS at ${link.address}`,
    log,
    signal,
    passes: (error) => error instanceof DomainError && error.kind === 'unavailable',
  });
  let checkedId = serverId;
  link.checkEachTime(async () => {
    // A server has the same settings for as long as it lives.
    if (link.connection.info?.server_id === checkedId) return;
    const found = await check(options, checkEventStream);
    if (found.logId !== logId)
      throw failedPrecondition(
        `the event log in NATS at ${link.address} is another one than this replica began with; restart the store`,
      );
    checkedId = found.serverId;
  });
  return { logId };
}

async function check(
  options: ChecksOptions,
  find: typeof openEventStream,
): Promise<{ readonly logId: string; readonly serverId: string | undefined }> {
  const { link, stream, replicas, newId, monitorUrl, acceptUnverifiedDurability, log } = options;
  const { address, connection } = link;
  const server = connection.info;
  checkServer(server, address);
  const manager = await openJetStream(connection, address);
  const stored: EventStreamOptions = { manager, address, stream, replicas, newId };
  const { info, logId } = await find(stored);
  const isStillThere = () =>
    link
      .ask(() => connection.flush())
      .then(
        () => connection.info?.server_id === server?.server_id,
        () => false,
      );
  await checkDurability(info, server, {
    ...{ address, monitorUrl, accepted: acceptUnverifiedDurability, isStillThere, log },
  });
  return { logId, serverId: server?.server_id };
}
