import { type Client, createClient, maybeSent, NotReached, type Retries, type Sent } from '@stopgo/client';
import { gatewayErrorOf } from './gateway-error.ts';

/** An answer that was lost, or a "not now" that passes soon, is asked for once more: somebody waits at the command. */
const onceMore: Partial<Retries> = { triesMax: 2, totalMs: 10_000 };

/** The platform at an address. Where people have to sign in: with the API key of the environment. */
export function platformAt(url: string, retries = onceMore): Client {
  const key = process.env.STOPGO_API_KEY?.trim() ?? '';
  return createClient({ url, retries, ...(key === '' ? {} : { credentials: { apiKey: key } }) });
}

/**
 * Asks the gateway; the parsed answer, which is an object. What changes something is done once, however often it is sent.
 *
 * @throws GatewayError with the gateway's own error, that there is no answer, or what came instead of one.
 */
export async function askGateway(url: string, path: string, sent: Sent = {}): Promise<object> {
  try {
    return await platformAt(url).connection.ask<object>(path, { mayRetry: wasThere, ...sent });
  } catch (error) {
    throw gatewayErrorOf(url, error, sent.signal);
  }
}

/** Where nobody listens, whoever gave the command is told so at once. */
const wasThere = (error: unknown): boolean => !(error instanceof NotReached) || maybeSent(error.cause);
