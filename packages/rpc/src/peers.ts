import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Secret } from './secret.ts';

/** Who calls a service: one of the services, or a person's command that only reads. */
export const peerNames = [
  'store',
  'mcp-bridge',
  'orchestrator',
  'approvals',
  'registry',
  'gateway',
  'operator',
] as const;

export type PeerName = (typeof peerNames)[number];

/** Whoever presents this one has proven to be of the platform, and not which part of it: the one token that all had before. */
const shared = 'shared';

/** By which tokens peers are known. It holds their digests only, so it is no secret. */
export type KnownPeers = readonly KnownPeer[];

type KnownPeer = { readonly name: PeerName | typeof shared; readonly digest: Buffer };

/** What a token proves. */
export type TokenProof =
  /** `service`: absent of a token that all share. */
  | { readonly kind: 'proven'; readonly service?: PeerName }
  /** The server asks for no token, so a peer proves nothing. */
  | { readonly kind: 'open' }
  | { readonly kind: 'refused' };

/** Who may call which methods, by their names in the contract (`Execute`); who is not named may call none. */
export type Callers = Readonly<Partial<Record<PeerName, 'all' | readonly string[]>>>;

export type TokenCheck = (presented: string | undefined) => TokenProof;

/** True if a peer may call a method. One that did not prove which service it is may call all. */
export function isCaller(callers: Callers | undefined, proof: TokenProof, method: string): boolean {
  if (callers === undefined || proof.kind !== 'proven' || proof.service === undefined) return true;
  const may = callers[proof.service];
  return may === 'all' || may?.includes(method) === true;
}

const refused: TokenProof = { kind: 'refused' };
const entry = /^([a-z-]+)=([0-9a-f]{64})$/;

/**
 * Reads who is known by which token: `gateway=<SHA-256 of its token in hex>`, separated by commas or spaces. A name may stand there
 * twice, while its token is being replaced, and `shared` is the one token that all services had.
 *
 * @throws Error in one line.
 */
export function parsePeers(text: string): KnownPeers {
  return text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one): KnownPeer => {
      const [, name = '', digest = ''] = entry.exec(one) ?? [];
      const known = ([...peerNames, shared] as const).find((peer) => peer === name);
      if (known === undefined)
        throw new Error(
          `expected NAME=SHA-256 of its token, 64 hexadecimal digits, with one of ${peerNames.join(', ')}`,
        );
      return { name: known, digest: Buffer.from(digest, 'hex') };
    });
}

/** What {@link parsePeers} reads. */
export function formatPeers(tokens: readonly (readonly [PeerName, Secret])[]): string {
  return tokens.map(([name, token]) => `${name}=${sha256(token.reveal()).toString('hex')}`).join(',');
}

/** The token of one peer, made from one that whoever starts all of them has: no peer can tell another's from its own. */
export function peerToken(root: Secret, name: PeerName): Secret {
  return new Secret(createHmac('sha256', root.reveal()).update(`stopgo peer ${name}`).digest('base64url'));
}

/** Compares in constant time what peers present with what they are known by; with one token, with that. */
export function tokenCheck(expected: Secret | KnownPeers | undefined): TokenCheck {
  if (expected === undefined) return () => ({ kind: 'open' });
  const known: KnownPeers =
    expected instanceof Secret ? [{ name: shared, digest: sha256(expected.reveal()) }] : expected;
  const proofs = known.map(({ name, digest }) => {
    const proof: TokenProof = name === shared ? { kind: 'proven' } : { kind: 'proven', service: name };
    return { digest, proof };
  });
  return (presented) => {
    if (presented === undefined) return refused;
    const shown = sha256(presented);
    return proofs.reduce((found, { digest, proof }) => (timingSafeEqual(shown, digest) ? proof : found), refused);
  };
}

// Digests have one length, which a constant-time comparison needs, and do not tell the token's.
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
