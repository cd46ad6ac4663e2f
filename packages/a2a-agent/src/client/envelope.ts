import { isObject } from '../dialect.ts';
import { A2A_CONTENT_TYPE, A2A_ERROR_CODE } from '../protocol.ts';
import { answersFrom } from './answer-0-3.ts';

/**
 * What an agent refused, in the words and by the code of the protocol, over whatever transport: -32001 is a task that is not there. Where
 * an agent names no such code it is the HTTP status.
 */
export class RemoteAgentError extends Error {
  override readonly name = 'RemoteAgentError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(`${message} (${code})`);
    this.code = code;
  }
}

/**
 * Reads the answers to one request: what stands in an envelope of JSON-RPC, or the thing itself where there is none. That may be HTTP+JSON of
 * 0.3, unless its media type is that of 1.0; `url` is what was asked. What it gives throws RemoteAgentError.
 */
export function resultsFrom(url: string, mediaType: string): (json: unknown) => unknown {
  const isModern = mediaType.startsWith(A2A_CONTENT_TYPE);
  const bare = isModern ? (json: unknown) => json : answersFrom(url);
  return (json) => {
    const error = errorIn(json);
    if (error !== undefined) throw error;
    return isObject(json) && 'jsonrpc' in json ? json.result : bare(json);
  };
}

/** The error that an answer holds, over JSON-RPC or over HTTP+JSON; undefined if it holds none. */
export function errorIn(json: unknown): RemoteAgentError | undefined {
  if (!isObject(json)) return undefined;
  const error = isObject(json.error) ? json.error : json;
  const { code, message, details } = error;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return new RemoteAgentError(codeIn(details) ?? code, message);
}

/** What went wrong by its name over HTTP+JSON of 1.0, and the code that JSON-RPC has for it. */
const codes: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ...Object.entries(A2A_ERROR_CODE),
  ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', A2A_ERROR_CODE.EXTENDED_CARD_NOT_CONFIGURED],
]);

/** The code of A2A in the details of an error whose own code is the HTTP status; undefined if they name none. */
function codeIn(details: unknown): number | undefined {
  const named = Array.isArray(details) ? details.filter(isObject).map(({ reason }) => codes.get(reason)) : [];
  return named.find((code) => code !== undefined);
}
