import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { abortsWithin } from '@stopgo/runtime';
import { isPublicAddress, literalAddress, placeOf } from '@stopgo/security';
import { answerBytesMax, deliveryMsMax } from './bounds.ts';

/** Gives the addresses of a name, at least one. What has to wait for its turn is not begun when the signal has aborted. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export type DeliverPorts = {
  readonly resolve: Resolve;
  /** Addresses that are not of the public network may be told too, and over http. */
  readonly allowPrivate: boolean;
  /** Instead of `deliveryMsMax`, for tests. */
  readonly timeoutMs?: number;
};

/** One notification. */
export type Delivery = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether addresses of one's own network may be told, and what says so; absent: as the ports say. */
  readonly ofOwnNetwork?: { readonly isAllowed: boolean; readonly by: string };
};

/** What came of it. A `reason` holds nothing of the address or the answer but a status. `gone`: it wants no more. */
export type Delivered =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly gone?: boolean;
      /** It is no fault of the address: it is not given up over it. */
      readonly isOurs?: boolean;
    };

const failed = (reason: string): Delivered => ({ kind: 'failed', reason });

const notPublic = (by: string): string =>
  `the address is not of the public network; set ${by} if addresses of your own network may be told`;
const neverTold =
  'the address is link-local, reserved, or of the metadata service of a cloud: such addresses are never told';
const notSecret = 'an address of the public network is told over https only';

/**
 * Hands a notification to its address, once. The name is resolved here, every address that it has is judged, and the connection
 * goes to exactly those: what the name stands for a moment later counts no more. Nothing of the answer but its status is used,
 * and no redirect is followed. Rejects only when the signal aborts.
 */
export async function deliver(ports: DeliverPorts, delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  const ends = abortsWithin(ports.timeoutMs ?? deliveryMsMax, signal);
  try {
    const url = new URL(delivery.url);
    const addresses = await until(ends, addressesOf(ports.resolve, url.hostname, ends));
    const { isAllowed, by } = delivery.ofOwnNetwork ?? { isAllowed: ports.allowPrivate, by: 'push.allow_private' };
    const refusal = refusalOf(isAllowed, url, addresses, by);
    if (refusal !== undefined) return failed(refusal);
    return outcomeOf(await post(url, addresses, delivery, ends));
  } catch (error) {
    signal.throwIfAborted();
    // The signal has not ended it, so the limit has.
    return failed(ends.aborted ? 'it did not answer in time' : `it cannot be reached (${codeOf(error)})`);
  }
}

async function addressesOf(resolve: Resolve, hostname: string, signal: AbortSignal): Promise<readonly string[]> {
  const literal = literalAddress(hostname);
  return literal === undefined ? resolve(hostname, signal) : [literal];
}

function refusalOf(allowPrivate: boolean, { protocol }: URL, addresses: readonly string[], by: string) {
  if (addresses.length === 0) return 'the name has no address';
  if (addresses.some((address) => placeOf(address) === 'forbidden')) return neverTold;
  const isPublic = addresses.every(isPublicAddress);
  if (!isPublic && !allowPrivate) return notPublic(by);
  // A name with addresses of both kinds may lead outside.
  const isOutside = addresses.some((address) => placeOf(address) === 'public');
  return isOutside && protocol !== 'https:' ? notSecret : undefined;
}

function post(url: URL, addresses: readonly string[], { headers, body }: Delivery, signal: AbortSignal) {
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<number>((resolve, reject) => {
    const sent = send(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
      // A connection of its own: none is found open that leads elsewhere.
      agent: false,
      signal,
      lookup: (_hostname, { all }, done) => {
        const [first] = pinned;
        if (all) done(null, pinned);
        else done(null, first?.address ?? '', first?.family);
      },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) sent.destroy();
      });
      answer.on('error', () => undefined);
      resolve(answer.statusCode ?? 0);
    });
    sent.end(body);
  });
}

function outcomeOf(status: number): Delivered {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status >= 300 && status < 400)
    return failed(`it answered with a redirect (HTTP ${status}), which is not followed`);
  return { ...failed(`it answered with HTTP ${status}`), ...(status === 410 ? { gone: true } : {}) };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** What a promise comes to, unless the signal aborts before. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
