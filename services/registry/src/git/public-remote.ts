import { lookup } from 'node:dns/promises';
import { isLocalName, isMetadataName, isPublicAddress, literalAddress } from '@stopgo/security';
import { GitFailure } from './git-failure.ts';
import type { Remote } from './remote.ts';

/** The addresses that a name stands for; rejects for a name that is not known. */
export type LookUp = (hostname: string) => Promise<readonly string[]>;

/** Asks whom every program of this machine asks. */
export const systemLookUp: LookUp = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/** Whoever is behind a proxy leaves it to that one which names are looked up, and who is reached. Programs of ssh know of none. */
export const isProxied = (env: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(env).some(([name, value]) => /^(?:https|all)_proxy$/iu.test(name) && (value ?? '') !== '');

/**
 * Refuses a repository at an address, or under a name, that is certainly not of the public network. A folder is none of its business.
 *
 * @throws GitFailure `refused`, with the same words whoever is there, if anybody is.
 */
export function refusePrivateHost(remote: Remote): void {
  const { hostname } = hostOf(remote) ?? {};
  if (hostname === undefined) return;
  const literal = literalAddress(hostname);
  const isPublic =
    literal === undefined ? !isLocalName(hostname) && !isMetadataName(hostname) : isPublicAddress(literal);
  if (!isPublic) throw notPublic();
}

/**
 * A repository of the public network, with the one address that git is to reach, so that nobody can have the name stand for another
 * one meanwhile.
 *
 * @throws GitFailure `refused` for any other; `unreachable` if the name is not known.
 */
export async function publicRemote(remote: Remote, lookUp: LookUp, proxied: boolean): Promise<Remote> {
  refusePrivateHost(remote);
  const { hostname } = hostOf(remote) ?? {};
  if (hostname === undefined || literalAddress(hostname) !== undefined) return remote;
  if (proxied && remote.protocol !== 'ssh') return remote;
  const addresses = await lookUp(hostname).catch((): readonly string[] => []);
  const [address] = addresses;
  if (address === undefined)
    throw new GitFailure('unreachable', 'the name of the host is not known; check git_url and the network');
  if (!addresses.every(isPublicAddress)) throw notPublic();
  return { ...remote, address };
}

/** Host and port of what is reached over a network, the port as it is written. */
export function hostOf({ url, protocol }: Remote): { readonly hostname: string; readonly port: string } | undefined {
  if (protocol === 'file') return undefined;
  if (url.includes('://')) {
    const { hostname, port } = new URL(url);
    return { hostname, port };
  }
  return { hostname: /^(?:[^@]+@)?([^:]+):/u.exec(url)?.[1] ?? '', port: '' };
}

const notPublic = () =>
  new GitFailure(
    'refused',
    'git_url is not of the public network, and repositories that are added over the API have to be: name it in agent_repositories of the configuration, or set added_repositories.allow_private there',
  );
