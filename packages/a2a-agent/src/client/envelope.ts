import { isObject } from '../dialect.ts';

/** What an agent refused, in the words and by the code of the protocol: -32001 is a task that is not there. */
export class RemoteAgentError extends Error {
  override readonly name = 'RemoteAgentError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(`${message} (${code})`);
    this.code = code;
  }
}

/** What stands in an envelope of JSON-RPC, or the thing itself where there is none. @throws RemoteAgentError. */
export function resultIn(json: unknown): unknown {
  const error = errorIn(json);
  if (error !== undefined) throw error;
  return isObject(json) && 'jsonrpc' in json ? json.result : json;
}

/** The error that an answer holds, over JSON-RPC or over HTTP+JSON; undefined if it holds none. */
export function errorIn(json: unknown): RemoteAgentError | undefined {
  if (!isObject(json)) return undefined;
  const error = isObject(json.error) ? json.error : json;
  const { code, message } = error;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return new RemoteAgentError(code, message);
}
