import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection, type ServerInfo } from '@nats-io/transport-node';
import { failedPrecondition, unavailable } from '@stopgo/core';
import { askMsMax, maxPayloadMin, retryAfterMs, serverVersionMin } from './bounds.ts';

/** JetStream's own ways to say that it is not ready yet: no leader, no room for a stream's copies, shutting down. */
const passing: readonly number[] = [10002, 10005, 10008, 10009, 10023, 10029];

/**
 * Whether a server can hold the event log, as it says itself when the connection begins.
 *
 * @throws DomainError `failed_precondition` with one line.
 */
export function checkServer(info: ServerInfo | undefined, address: string): void {
  if (info === undefined) throw unavailable(`NATS at ${address} has not introduced itself`, {}, { retryAfterMs });
  const where = `NATS at ${address}`;
  if (!isAtLeast(info.version, serverVersionMin))
    throw failedPrecondition(
      `${where} is version ${info.version}, which is too old for the event log; update it to ${serverVersionMin} or newer`,
    );
  if (info.max_payload < maxPayloadMin)
    throw failedPrecondition(
      `${where} takes messages of at most ${info.max_payload} bytes; set max_payload to 1MB (${maxPayloadMin}) or more in its configuration`,
    );
}

/**
 * JetStream of the connection's account.
 *
 * @throws DomainError `failed_precondition` if there is none, `unavailable` if it does not answer now.
 */
export async function openJetStream(connection: NatsConnection, address: string): Promise<JetStreamManager> {
  try {
    const manager = await jetstreamManager(connection, { timeout: askMsMax, checkAPI: false });
    await manager.getAccountInfo();
    return manager;
  } catch (error) {
    const isOff =
      (isNoResponder(error) && connection.info?.jetstream !== true) ||
      (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.JetStreamNotEnabledForAccount);
    if (!isOff) throw passes(error) ? notNow(address, error) : error;
    throw failedPrecondition(
      `NATS at ${address} has JetStream off, for all or for this account; add a block jetstream { store_dir: … } to its configuration`,
      {},
      { cause: error },
    );
  }
}

/** True for a failure of JetStream that passes by itself. */
export function passes(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === 503 || passing.includes(error.code);
  return (
    isNoResponder(error) ||
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.ConnectionError
  );
}

/** The `unavailable` for a failure of JetStream that passes by itself. */
export function notNow(address: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return unavailable(
    `JetStream of NATS at ${address} does not answer now (${reason}); try again`,
    {},
    { cause, retryAfterMs },
  );
}

/** True if nobody on the server's side takes what was asked. */
function isNoResponder(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  // The client's own name for it, which it does not export.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return true;
  return error instanceof errors.RequestError && error.isNoResponders();
}

/** Compares the numbers of versions; what stands behind them (`-beta.1`) counts not. */
function isAtLeast(version: string, min: string): boolean {
  const [found, wanted] = [numbers(version), numbers(min)];
  for (const [index, part] of wanted.entries()) {
    const own = found[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}

function numbers(version: string): number[] {
  return /\d+(\.\d+)*/.exec(version)?.[0].split('.').map(Number) ?? [];
}
