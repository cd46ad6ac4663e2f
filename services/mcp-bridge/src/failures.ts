import { visibleText } from '@stopgo/core';

const unauthorized = 401;

/** Longest reason that is kept of why a server is down, in characters: it is shown beside those of all other servers. */
const reasonCharactersMax = 2_000;

/** The message was certainly not delivered: there is no connection, or none could be made. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** The server answered with a redirect, which is never followed: a token must not travel to where it points. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';
}

/** A rule of ours forbids it, whatever the server does; the text says which and what to do. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/** The server speaks only a transport that is not supported; the text says which, and what to do. */
export class UnsupportedTransport extends Error {
  override readonly name = 'UnsupportedTransport';
}

/** No credentials of our own were to be had, so that nothing was sent; the text says why and holds no secret. */
export class LoginFailed extends Error {
  override readonly name = 'LoginFailed';
  /** True if trying again later may help: nobody was reached there. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass: boolean) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** True if it is we who keep the server from being told anything: what it answered, or never saw, is not its word on the call. */
export function isNeverTold(error: unknown): error is Error {
  return error instanceof RedirectRefused || error instanceof NotAllowed || error instanceof LoginFailed;
}

/** The text of an error, for texts of ours: whole, as tokens are still to be hidden in it. */
export function reasonOf(error: unknown): string {
  // The runtime shows a piece of what is no JSON: half of a token may be in it.
  if (error instanceof SyntaxError) return 'its answer is no JSON';
  return error instanceof Error ? error.message : String(error);
}

/**
 * What a server may have written of why it failed, as it may be kept and shown: on one line, bounded, with nothing hidden. Only for what
 * holds no token any more: half of one is not found.
 */
export function shownReason(text: string): string {
  const cut = text.length > reasonCharactersMax ? `${text.slice(0, reasonCharactersMax)}…` : text;
  return visibleText(cut.replace(/\s*\n\s*/gu, ' '));
}

/** Whether a server wants credentials, or other ones. */
export function isUnauthorized(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('status' in at && at.status === unauthorized) return true;
  return false;
}

/** What is known of a server that could not be reached. */
export type ReasonContext = {
  /** It is configured with credentials of its own. */
  readonly hasCredentials: boolean;
  /** Its refusal named an OAuth login. */
  readonly namesLogin?: boolean;
  /** Where it is, without what may be a credential, if it is reached at an address. */
  readonly url?: string;
  /** It is connected, so that something is where it is looked for. */
  readonly isConnected?: boolean;
};

/** Why a connection could not be made, or its tools not be listed: the innermost failure that says it in plain words. */
export function connectionReason(error: unknown, context: ReasonContext): string {
  const { hasCredentials, namesLogin = false, url, isConnected = false } = context;
  const check = `check its address${url === undefined ? '' : `, ${url}`}`;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (plain.some((kind) => at instanceof kind)) return at.message;
    if ('status' in at && at.status === unauthorized)
      return hasCredentials ? credentialsRefused : tokenWanted(namesLogin);
    if ('status' in at && typeof at.status === 'number') {
      const there =
        !isConnected && isNoPlace(at.status) ? `; no MCP server is there: ${check} (its path is often /mcp)` : '';
      return `it answered with HTTP ${at.status}${bodyOf(at)}${there}`;
    }
    const type = /^Unexpected content type: (.*)$/su.exec(at.message)?.[1];
    if (type !== undefined) return `it answered with "${type}", not as an MCP server does; ${check}`;
    if (at instanceof SyntaxError) return `it answered with what is no JSON; ${check}`;
    if (at.name === 'ZodError') return `it answered with what is no message of the protocol; ${check}`;
  }
  return reasonOf(error);
}

/**
 * Whether something answered that is no MCP server: a status that says so, a page, another API. It may still become one, behind a proxy
 * that is there first, but hardly by being asked often.
 */
export function isAnotherPlace(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('status' in at && typeof at.status === 'number' && isNoPlace(at.status)) return true;
    if (/^Unexpected content type: /u.test(at.message) || at instanceof SyntaxError || at.name === 'ZodError')
      return true;
  }
  return false;
}

/** Not found, no such method, gone. */
function isNoPlace(status: number): boolean {
  return [404, 405, 410].includes(status);
}

/** Why a session is over whose server answers and does not know it, as after a restart. */
export const sessionEnded = 'it has ended the session';

/** Failures whose texts are ours. */
const plain = [NotSent, RedirectRefused, NotAllowed, LoginFailed, UnsupportedTransport];

function tokenWanted(namesLogin: boolean): string {
  const wanted = `it requires authorization (HTTP 401) before any call${namesLogin ? ', by the OAuth login of a user' : ''}`;
  return (
    `${wanted}; set auth: static and token_env to send a token from an environment variable, or auth: client_credentials if programs ` +
    'can log in there; a login in the browser and other headers are not supported, and with auth: forward it must allow connecting ' +
    'and listing without a token'
  );
}
const credentialsRefused =
  'it refuses the credentials that it is configured with (HTTP 401); check the variables that its entry names';

/** What a server wrote with its refusal, where the client's own words hold it. */
function bodyOf({ message }: Error): string {
  const body = /^Error POSTing to endpoint: (.+)$/su.exec(message)?.[1];
  return body === undefined ? '' : `: ${body}`;
}
