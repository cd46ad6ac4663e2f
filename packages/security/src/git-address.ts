import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a repository of git is, by its address alone. `why` goes on from the name of what holds the address, and does not repeat it. */
export type GitAddress =
  | { readonly kind: 'remote'; readonly url: string; readonly protocol: 'https' | 'http' | 'ssh' }
  /** A folder of this machine: whether it may be used is for others to say. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'refused'; readonly why: string };

const urlCharactersMax = 2_048;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
/** `git@github.com:company/agents.git`. A colon after one letter would be a drive of Windows. */
const scpLike = /^(?:([\w.-]+)@)?([a-z0-9][a-z0-9.-]+):(?!\/\/)([^\s:][^\s]*)$/iu;
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u;
const partWithDash = 'has a part that begins with a dash, which a program would read as an option';

/**
 * Reads the address of a repository. Allowed are https, ssh (also as `git@host:path`), http to this machine, and a folder by its path or as `file://…`.
 * Hosts of ssh and https may be on any network: they are named by whoever manages the platform.
 */
export function gitAddress(url: string): GitAddress {
  if (url === '' || url.length > urlCharactersMax || unprintable.test(url))
    return refused('is empty, too long, or holds blanks or control characters');
  if (url.startsWith('-')) return refused('begins with a dash, which git would read as an option');
  if (isAbsolute(url)) return { kind: 'folder', path: url };
  const scheme = /^([a-z][a-z0-9+.-]*):(:|\/\/)/iu.exec(url);
  if (scheme?.[2] === ':')
    return refused(`names a helper program (${scheme[1]}::), which is never run; use https or ssh`);
  return scheme === null ? scpAddress(url) : urlAddress(url);
}

function urlAddress(url: string): GitAddress {
  if (!URL.canParse(url)) return refused('is no valid address');
  const parsed = new URL(url);
  const { protocol, password, username, hostname, search, hash } = parsed;
  if (protocol === 'file:') return folderAddress(parsed);
  if (protocol !== 'https:' && protocol !== 'ssh:' && protocol !== 'http:')
    return refused(`has the protocol ${protocol.slice(0, -1)}; use https or ssh`);
  if (password !== '' || (username !== '' && protocol !== 'ssh:'))
    return refused('holds credentials, and addresses are logged; give them by auth_type and auth_token');
  if (protocol !== 'ssh:' && (search !== '' || hash !== ''))
    return refused(
      'holds a query or a fragment, and addresses are logged; leave it out, and give credentials by auth_type and auth_token',
    );
  if (protocol === 'http:' && !loopback.has(hostname))
    return refused('is http, which anybody on the way can read and change; use https or ssh');
  if ([username, hostname, decoded(parsed.pathname).slice(1)].some((part) => part.startsWith('-')))
    return refused(partWithDash);
  if (protocol === 'ssh:') return { kind: 'remote', url, protocol: 'ssh' };
  // A backslash is a slash to us and a part of a host name to git: both must read the same host.
  if (url.includes('\\')) return refused('holds a backslash; write a slash');
  return { kind: 'remote', url: parsed.href, protocol: protocol === 'https:' ? 'https' : 'http' };
}

function scpAddress(url: string): GitAddress {
  const [, user = '', host = '', path = ''] = scpLike.exec(url) ?? [];
  if (host === '') return refused('is none of https://…, ssh://…, git@host:path, or an absolute path');
  if ([user, path].some((part) => part.startsWith('-'))) return refused(partWithDash);
  return { kind: 'remote', url, protocol: 'ssh' };
}

function folderAddress(url: URL): GitAddress {
  try {
    return { kind: 'folder', path: fileURLToPath(url) };
  } catch {
    return refused('is a file:// address that names no folder of this machine');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const refused = (why: string): GitAddress => ({ kind: 'refused', why });
