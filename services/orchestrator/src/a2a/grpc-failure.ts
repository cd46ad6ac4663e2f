import { isObject } from '../models/json.ts';
import { AgentFailed, NoSuchTask, NotTaken, TokenWanted } from './failures.ts';
import { quoted } from './protocol-error.ts';

/** Statuses by which an agent says that it took nothing: malformed, not permitted, not now, not here. */
const refusals: ReadonlySet<number> = new Set([3, 7, 9, 12]);
const notFound = 5;
const unavailable = 14;
const unauthenticated = 16;

/** Reasons of the protocol that are no refusal. */
const failures: ReadonlySet<string> = new Set(['INVALID_AGENT_RESPONSE', 'INTERNAL_ERROR']);

/** True for what the SDK makes of a call over gRPC that went wrong. */
export const isGrpcError = (error: Error): boolean => 'transport' in error && error.transport === 'grpc';

/**
 * What an error of a call over gRPC means for the message; the error itself where it leaves open what arrived. A status of
 * an agent cannot always be told from one that the connection came to: only what says so much is certain.
 */
export function grpcFailureOf(error: Error): Error {
  const status = 'status' in error ? error.status : undefined;
  const text = quoted(error.message);
  if (status === unauthenticated) return new TokenWanted(text);
  if (status === notFound) return new NoSuchTask(text);
  if (neverSent(status, error.cause)) return new NotTaken(`no connection: ${text}`, true);
  if (failures.has(reasonGiven(error))) return new AgentFailed(text);
  return typeof status === 'number' && refusals.has(status) ? new NotTaken(`it refuses the message: ${text}`) : error;
}

/** The reason that the agent itself has sent along; empty if it sent none, whatever the SDK makes of that. */
function reasonGiven(error: Error): string {
  const isGiven = 'statusDetailsBin' in error && error.statusDetailsBin !== undefined;
  return isGiven && 'reason' in error && typeof error.reason === 'string' ? error.reason : '';
}

/** The library's own words for a call that never left; an agent that passed on such words would send metadata with them. */
function neverSent(status: unknown, cause: unknown): boolean {
  if (status !== unavailable || !isObject(cause)) return false;
  const { details, metadata } = cause;
  const isOurs = isObject(metadata) && 'toJSON' in metadata && Object.keys(metadataOf(metadata)).length === 0;
  return isOurs && typeof details === 'string' && /^(?:No connection established|Name resolution failed)/.test(details);
}

const metadataOf = (metadata: object): object =>
  'getMap' in metadata && typeof metadata.getMap === 'function' ? metadata.getMap() : {};
