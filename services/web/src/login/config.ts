import { formatDuration, parseDuration, suggest, visibleLine } from '@stopgo/core';
import { isLoopback } from '@stopgo/security';
import { sessionMsDefault, sessionMsMax, sessionMsMin } from '../bounds.ts';

/** Which of its tokens a provider's answer the gateway is shown. */
export type GatewayToken = 'access_token' | 'id_token';

/** How people sign in with an OpenID provider. Secrets are named, and stand in the environment. */
export type LoginConfig = {
  /** What the provider calls itself: an https URL, or an http one of this machine. */
  readonly issuer: string;
  /** What the button calls it. */
  readonly name: string;
  readonly clientId: string;
  /** The variable with the client's secret; undefined: a public client, which PKCE alone protects. */
  readonly clientSecretVariable: string | undefined;
  /** The variable with the keys that sessions are sealed with. */
  readonly sessionKeyVariable: string;
  readonly scopes: readonly string[];
  readonly token: GatewayToken;
  /** What an access token is to be for (RFC 8707), where the provider wants to be told. */
  readonly resource: string | undefined;
  /** The origin at which browsers reach the app, without a slash at its end. */
  readonly publicUrl: string;
  /** How long after signing in somebody has to do so again, in milliseconds. */
  readonly sessionMs: number;
};

const keys = [
  ...['issuer', 'name', 'client_id', 'client_secret_env', 'session_key_env', 'scopes', 'token', 'resource'],
  ...['public_url', 'session_for'],
];
const variable = /^[A-Z][A-Z0-9_]*$/;
/** What may stand in a scope (RFC 6749, 3.3). */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Reads the section `login`. Tells `problem` of each that it has, in words that begin with its place; gives nothing then. */
export function parseLogin(value: unknown, problem: (text: string) => void): LoginConfig | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problem('login must hold keys and values, such as "issuer: …"');
    return undefined;
  }
  let isFaulty = false;
  const say = (text: string) => {
    isFaulty = true;
    problem(`login.${text}`);
  };
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) if (!keys.includes(key)) say(unknownKey(key));
  const read = reader(given, say);
  const issuer = read.text('issuer', 'the URL that your identity provider calls itself by');
  const publicUrl = read.text('public_url', 'the address at which browsers reach the app');
  const login = {
    issuer: issuer === '' ? '' : secureUrl(issuer, 'issuer', say),
    name: read.optionalText('name') ?? (URL.canParse(issuer) ? new URL(issuer).hostname : ''),
    clientId: read.text('client_id', 'what your identity provider calls this app'),
    clientSecretVariable: read.variable('client_secret_env'),
    sessionKeyVariable: read.variable('session_key_env') ?? '',
    scopes: scopesOf(given.scopes, say),
    token: tokenOf(given.token, say),
    resource: read.optionalText('resource'),
    publicUrl: publicUrl === '' ? '' : originOf(publicUrl, say),
    sessionMs: sessionMsOf(given.session_for, say),
  };
  if (given.session_key_env === undefined)
    say('session_key_env is required: the environment variable with the key that sessions are sealed with');
  return isFaulty ? undefined : login;
}

function unknownKey(key: string): string {
  const meant = suggest(key, keys);
  if (key === 'client_secret' || key === 'session_key')
    return `${key} must not stand in the file; put it into the environment, and name the variable in ${key}_env`;
  return `${visibleLine(key)} is unknown; ${meant === undefined ? `the keys are ${keys.join(', ')}` : `did you mean "${meant}"?`}`;
}

function reader(given: Readonly<Record<string, unknown>>, say: (text: string) => void) {
  const optionalText = (key: string): string | undefined => {
    const value = given[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value.trim() !== '' && visibleLine(value) === value) return value;
    say(`${key} must be a text of one line`);
    return '';
  };
  const text = (key: string, what: string): string => {
    const value = optionalText(key);
    if (value === undefined) say(`${key} is required: ${what}`);
    return value ?? '';
  };
  const named = (key: string): string | undefined => {
    const value = given[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && variable.test(value)) return value;
    say(
      `${key} must be the name of an environment variable, in capital letters, digits and _ (never the secret itself)`,
    );
    return '';
  };
  return { optionalText, text, variable: named };
}

function scopesOf(value: unknown, say: (text: string) => void): readonly string[] {
  const scopes = value ?? ['openid', 'email', 'profile'];
  if (!Array.isArray(scopes) || !scopes.every((one) => typeof one === 'string' && scope.test(one)))
    say('scopes must be a list of scopes, such as [openid, email, profile]');
  else if (!scopes.includes('openid')) say('scopes must hold "openid": without it nobody says who signed in');
  else return scopes as readonly string[];
  return [];
}

function tokenOf(value: unknown, say: (text: string) => void): GatewayToken {
  if (value === undefined || value === 'access_token') return 'access_token';
  if (value !== 'id_token') say('token must be access_token or id_token: what the gateway is shown');
  return 'id_token';
}

/** Codes and tokens go there. */
function secureUrl(value: string, key: string, say: (text: string) => void): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback(url.hostname)))
    say(`${key} must be an https URL; http is taken on this machine only`);
  else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    say(`${key} must be without user name, password, query and fragment`);
  return value;
}

function originOf(value: string, say: (text: string) => void): string {
  secureUrl(value, 'public_url', say);
  if (!URL.canParse(value)) return value;
  const { origin, pathname } = new URL(value);
  if (pathname !== '/') say('public_url must be without a path: the app is at the top of its host');
  return origin;
}

function sessionMsOf(value: unknown, say: (text: string) => void): number {
  if (value === undefined) return sessionMsDefault;
  const ms = typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= sessionMsMin && ms <= sessionMsMax) return ms;
  say(`session_for must be a duration from ${formatDuration(sessionMsMin)} to ${formatDuration(sessionMsMax)}`);
  return sessionMsDefault;
}
