import { failedPrecondition } from '@stopgo/core';

/** Where NATS is and who we are there. */
export type NatsAddress = {
  /** `host:port` each. */
  readonly servers: readonly string[];
  readonly credentials: Credentials;
  /** True if the connection must be encrypted (`tls://`). */
  readonly tls: boolean;
  /** What may be printed. */
  readonly shown: string;
};

type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string };

const defaultPort = '4222';
const expected = 'expected nats://user:password@host:4222 (special characters of the password written like %40)';

/**
 * Reads the address of NATS servers, several separated by commas: `nats://user:password@host:4222`, `nats://token@host`,
 * `tls://…`, or `host:port`.
 *
 * @throws DomainError `failed_precondition` with one line that does not repeat the address: it may hold a password.
 */
export function parseNatsUrl(url: string): NatsAddress {
  const parsed = written(url).map(parseOne);
  const [first] = parsed;
  if (first === undefined) throw failedPrecondition(`NATS_URL names no server; ${expected}`);
  const named = parsed.find((one) => one.credentials.kind !== 'none')?.credentials ?? first.credentials;
  for (const { credentials } of parsed)
    if (credentials.kind !== 'none' && JSON.stringify(credentials) !== JSON.stringify(named))
      throw failedPrecondition('NATS_URL names servers with different credentials; give all of them the same');
  const servers = parsed.map(({ server }) => server);
  return { servers, credentials: named, tls: parsed.some(({ tls }) => tls), shown: servers.join(',') };
}

/**
 * The secrets that a NATS address carries, in every spelling it has there: to be kept out of log lines before the address
 * is used. Never throws: of what cannot be read, all that may be one.
 */
export function secretsOfNatsUrl(url: string): readonly string[] {
  const found = written(url).flatMap((one) => {
    const between = /^(?:[a-z]+:\/\/)?(.*)@[^@]*$/i.exec(one)?.[1];
    if (between === undefined) return [];
    const parsed = urlOf(one);
    if (parsed === undefined) return [between, ...between.split(':')];
    const raw = parsed.password === '' ? parsed.username : parsed.password;
    return [raw, decoded(raw) ?? raw, between.slice(between.indexOf(':') + 1)];
  });
  return [...new Set(found.filter((secret) => secret !== ''))];
}

function written(url: string): string[] {
  return url
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function urlOf(address: string): URL | undefined {
  const full = /^[a-z]+:\/\//i.test(address) ? address : `nats://${address}`;
  return URL.canParse(full) ? new URL(full) : undefined;
}

function parseOne(address: string) {
  const url = urlOf(address);
  const tls = url?.protocol === 'tls:';
  if (url === undefined || url.hostname === '' || !(tls || url.protocol === 'nats:'))
    throw failedPrecondition(`NATS_URL is no address of NATS servers; ${expected}`);
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    throw failedPrecondition(`NATS_URL has something behind the port; ${expected}`);
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined)
    throw failedPrecondition(`NATS_URL has a % that is no escape in its credentials; ${expected}`);
  return { server: `${url.hostname}:${url.port || defaultPort}`, credentials: credentialsOf(user, password), tls };
}

/** A name without a password is a token, as everywhere with NATS. */
function credentialsOf(user: string, password: string): Credentials {
  if (user === '' && password === '') return { kind: 'none' };
  return password === '' ? { kind: 'token', token: user } : { kind: 'user', user, password };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
