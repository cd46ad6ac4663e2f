import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { parseNatsUrl } from '../src/adapters/nats/address.ts';
import { openLink } from '../src/adapters/nats/link.ts';
import { checkAtStart } from '../src/adapters/nats/start-checks.ts';
import { keepingLog } from './log-lines.ts';
import { type NatsServer, type NatsSettings, startNats } from './nats-server.ts';

/** What a test leaves open. */
export const closing: (() => Promise<unknown> | unknown)[] = [];

/** To be called after each test. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** A server that ends with the test. */
export async function server(settings?: NatsSettings): Promise<NatsServer> {
  const started = await startNats(settings);
  closing.push(() => started.remove());
  return started;
}

export const defaults = { stream: 'STOPGO', replicas: 1, acceptUnverifiedDurability: false };

/** A link whose server passed the checks. */
export async function checked(
  of: NatsServer,
  more: { readonly accept?: boolean; readonly monitorUrl?: string | undefined } = {},
) {
  const { log, lines } = keepingLog();
  const { signal } = new AbortController();
  const link = await openLink({ address: parseNatsUrl(of.url), log, signal, name: 'test' });
  closing.push(() => link.close());
  const { logId } = await checkAtStart({
    ...{ link, log, signal, ...defaults },
    monitorUrl: 'monitorUrl' in more ? more.monitorUrl : of.monitorUrl,
    acceptUnverifiedDurability: more.accept === true,
    newId: () => crypto.randomUUID(),
  });
  return { link, lines, logId };
}

/** What somebody with the rights of an administrator does. */
export async function manage<T>(
  of: NatsServer,
  use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
) {
  const connection = await connect({ servers: of.url });
  try {
    return await use(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}
