import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { parseJson } from '@stopgo/core';
import { LoginFailed, NotAllowed, NotSent, RedirectRefused, reasonOf } from '../failures.ts';
import type { ResultText } from './content.ts';

/** How one try of a call ended. */
export type CallEnd =
  /** The server answered, with a result or an error of its own. */
  | { readonly kind: 'answered'; readonly result: ResultText; readonly failure?: FailureKind }
  /** The call certainly did not reach the server. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The server forgot the session. `certain`: it said so in a way that means that it did not run the call. */
  | { readonly kind: 'session_gone'; readonly certain: boolean; readonly reason: string }
  /** The server wants other credentials, and did not run the call. */
  | { readonly kind: 'unauthenticated' }
  /** The call was sent, and nobody can tell whether it ran. The reason goes after the name of the server. */
  | { readonly kind: 'lost'; readonly cause: LostCause; readonly reason: string };

/** What kind of error an answer is. */
export type FailureKind =
  | 'tool'
  | 'protocol'
  | 'invalid_arguments'
  | 'invalid_result'
  | 'result_too_large'
  | 'timeout'
  | 'canceled'
  | 'server_lost'
  | 'server_unavailable'
  | 'not_supported';

/** What lost an answer. After `connection` the connection is of no use any more. */
export type LostCause = 'connection' | 'status' | 'timeout' | 'canceled';

/** Longest piece of a server's own text that an error result repeats, in characters. */
const quotedCharactersMax = 4_000;

/** A result for the model that says why its call failed. */
export function failed(reason: string, failure: FailureKind): Extract<CallEnd, { kind: 'answered' }> {
  return { kind: 'answered', failure, result: { text: `Tool execution failed: ${reason}` } };
}

/**
 * Reads what an error of the MCP client means for the call that it ended. `server` is the server's name, `clean` takes out of
 * its words what must not be kept.
 */
export function endOfError(
  error: unknown,
  server: string,
  hasSession: boolean,
  clean: (text: string) => string,
): CallEnd {
  const quoted = (text: string) => cutWords(clean(text));
  if (error instanceof NotSent) return { kind: 'not_sent', reason: error.message };
  if (error instanceof RedirectRefused)
    return failed(`the server "${server}" was not reached: ${error.message}`, 'protocol');
  if (error instanceof NotAllowed || error instanceof LoginFailed)
    return failed(`the server "${server}" was not reached: ${error.message}`, 'server_unavailable');
  if (error instanceof ProtocolError) return failed(quoted(error.message), 'protocol');
  if (error instanceof SdkHttpError) return endOfStatus(error, server, hasSession, quoted);
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.NotConnected:
        return { kind: 'not_sent', reason: 'it is not connected' };
      case SdkErrorCode.InvalidResult:
        return failed(`the server "${server}" gave a result that is not valid MCP; the call ran`, 'invalid_result');
      // Of several things that a server may ask, this is one that it may not.
      case SdkErrorCode.CapabilityNotSupported:
      case SdkErrorCode.UnsupportedResultType:
        return failed(
          `the server "${server}" asks for something this platform does not give: ${quoted(error.message)}`,
          'not_supported',
        );
      case SdkErrorCode.InputRequiredRoundsExceeded:
        return failed(`the server "${server}" asked again and again; the call was given up`, 'not_supported');
      default:
        return { kind: 'lost', cause: 'connection', reason: `was lost while the call ran (${quoted(error.message)})` };
    }
  }
  // The client has no type of its own for a connection that was gone before the request.
  if (error instanceof Error && error.message === 'Not connected')
    return { kind: 'not_sent', reason: 'it is not connected' };
  return { kind: 'lost', cause: 'connection', reason: `was lost while the call ran (${quoted(reasonOf(error))})` };
}

/**
 * What the official SDKs, and the servers built after their examples, answer with HTTP 400 to a session that they do not
 * know, before they look at the call. Newer ones say 404, as the standard wants.
 */
const unknownSessionTexts: ReadonlySet<string> = new Set([
  'Bad Request: No valid session ID provided',
  'Session not found',
]);

const requestTimeout = 408;
const unauthorized = 401;
const notFound = 404;
const badRequest = 400;
const serverError = 500;

function endOfStatus(
  error: SdkHttpError,
  server: string,
  hasSession: boolean,
  quoted: (text: string) => string,
): CallEnd {
  const status = error.status ?? serverError;
  if (status === unauthorized) return { kind: 'unauthenticated' };
  const namesSession = status === badRequest && /session/iu.test(error.message);
  if (hasSession && (status === notFound || namesSession)) {
    const certain = status === notFound || unknownSessionTexts.has(refusalText(error));
    return { kind: 'session_gone', certain, reason: `answered HTTP ${status}: ${quoted(error.message)}` };
  }
  if (status >= serverError || status === requestTimeout) {
    return { kind: 'lost', cause: 'status', reason: `answered HTTP ${status}` };
  }
  return failed(`the server "${server}" answered HTTP ${status}: ${quoted(error.message)}`, 'protocol');
}

/** The text of a refusal: the message of a JSON-RPC error, or all of it. */
function refusalText({ data: { text } }: SdkHttpError): string {
  if (typeof text !== 'string') return '';
  const body = parseJson(text);
  const { error } = (body ?? {}) as { readonly error?: { readonly message?: unknown } | null };
  return typeof error?.message === 'string' ? error.message : text.trim();
}

/** For what holds no token any more: half of one is not found. */
function cutWords(text: string): string {
  return text.length > quotedCharactersMax ? `${text.slice(0, quotedCharactersMax)}…` : text;
}
