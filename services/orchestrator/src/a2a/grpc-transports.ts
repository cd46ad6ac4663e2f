import type { AgentCard } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { cardsKeptMax } from './bounds.ts';
import { Kept } from './kept.ts';

/**
 * Ways to agents over gRPC. One for each address is kept, since each has a connection that nobody can close; the library
 * closes it when it was not used for half an hour.
 */
export class GrpcTransports {
  readonly #kept = new Kept<Promise<Transport>>(cardsKeptMax);

  /** @param card - names the version that is spoken at the address. */
  to(url: string, version: string, card: (address: string) => AgentCard): Promise<Transport> {
    const key = `${version} ${url}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = transportTo(url, card);
    this.#kept.set(key, made);
    return made;
  }
}

/** gRPC is loaded with the first agent that speaks it. */
async function transportTo(url: string, card: (address: string) => AgentCard): Promise<Transport> {
  const [{ GrpcTransportFactory }, { credentials }] = await Promise.all([
    import('@a2a-js/sdk/client/grpc'),
    import('@grpc/grpc-js'),
  ]);
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const address = `${hostname}:${port || (isSecure ? '443' : '80')}`;
  const factory = new GrpcTransportFactory({
    legacyCompat: { enabled: true },
    grpcChannelCredentials: isSecure ? credentials.createSsl() : credentials.createInsecure(),
  });
  return factory.create(address, card(address));
}
