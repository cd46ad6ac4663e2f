import { isObject } from '../models/json.ts';
import { quotedCharactersMax } from './bounds.ts';
import { AgentFailed, NoSuchTask, NotTaken } from './failures.ts';

const taskNotFound = -32001;
/** Codes by which an agent says that it took nothing: malformed, not supported, not in this version. */
const refusals: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32002, -32003, -32004, -32005, -32007, -32008, -32009,
]);

/** The `code` and `message` of an error of the protocol, in any dialect: JSON-RPC, HTTP+JSON, and HTTP+JSON of 0.3. */
export function protocolErrorOf(body: unknown): { readonly code?: number; readonly message: string } | undefined {
  if (!isObject(body)) return undefined;
  const error = isObject(body.error) ? body.error : body;
  const { code, message, details } = error;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  // HTTP+JSON repeats the HTTP status, and tells the reason apart.
  const reasons = Array.isArray(details) ? details.filter(isObject).map(({ reason }) => reason) : [];
  if (reasons.includes('TASK_NOT_FOUND')) return { code: taskNotFound, message };
  return code < 0 ? { code, message } : { message };
}

/** What an error of the protocol means for what was sent. An error inside of the agent says that it failed at it. */
export function failureOf(code: number, message: string): Error {
  const text = `${quoted(message)} (${code})`;
  if (code === taskNotFound) return new NoSuchTask(text);
  return refusals.has(code) ? new NotTaken(`it refuses the message: ${text}`) : new AgentFailed(text);
}

/**
 * The agent's words as an error repeats them: whole, since half of a token would be found by nobody. Whoever tells them hides
 * tokens, and cuts what is left.
 */
export function quoted(message: string): string {
  return message.length <= quotedCharactersMax ? message : `${message.length} characters, too many to be repeated`;
}
