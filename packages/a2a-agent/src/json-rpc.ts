import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import { type Dialect, dialectOf, isKnownMethod, isObject } from './dialect.ts';
import { readLegacyId, readLegacySend, writeLegacyError, writeLegacyTask } from './legacy.ts';
import { A2A_ERROR_CODE, type A2ARequestHandler, type ServerCallContext, type Task } from './protocol.ts';
import { isMalformedPush } from './push.ts';

/** One JSON-RPC request, and who answers it. */
export type JsonRpcCall = {
  /** The body, parsed. */
  readonly body: unknown;
  /** See {@link dialectOf}. */
  readonly version: string | undefined;
  /** The handler for a peer that speaks like this. It throws nothing but what a peer may read. */
  readonly handlerFor: (dialect: Dialect) => A2ARequestHandler;
  /** Says how the peer speaks that asks for this task, which its request does not show. */
  readonly dialectOfTask: (taskId: unknown) => Promise<'0.3' | 'legacy'>;
  readonly context: ServerCallContext;
  /** Resolves when a stream is known to be good though it has no event yet, so that it can be begun. */
  readonly opened: Promise<void>;
};

/** An envelope, or a stream of them that is known to be good. */
export type JsonRpcAnswer =
  | { readonly kind: 'one'; readonly envelope: object }
  | { readonly kind: 'stream'; readonly envelopes: AsyncGenerator<object, void> };

type RequestId = string | number | null;

/** Answers a request in its own dialect. Never rejects for what the peer sent. */
export async function answerJsonRpc(call: JsonRpcCall): Promise<JsonRpcAnswer> {
  const { body } = call;
  const id = isObject(body) && isId(body.id) ? body.id : null;
  if (!isRequest(body)) return one(errorEnvelope(id, INVALID_REQUEST));
  const { method, params } = body;
  const spoken = dialectOf({ version: call.version, method, params });
  if (spoken === 'unsupported') {
    return one(errorEnvelope(id, JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError(UNSUPPORTED))));
  }
  if (!isKnownMethod(method)) return one(errorEnvelope(id, METHOD_NOT_FOUND));
  if (isMalformedPush(method, params)) return one(errorEnvelope(id, INVALID_PUSH));
  const dialect = spoken === 'unsaid' ? await call.dialectOfTask(isObject(params) ? params.id : undefined) : spoken;
  const handler = call.handlerFor(dialect);
  if (dialect === 'legacy') return one(await answerLegacy(id, method, params, handler, call.context));
  const transport =
    dialect === '1.0' ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler);
  const answer = await transport.handle(body, call.context);
  return isStream(answer) ? begun(id, dialect, answer, call.opened) : one(answer);
}

/** The answer to a body that is no JSON. */
export const unparsable = (): object =>
  errorEnvelope(null, { code: A2A_ERROR_CODE.PARSE_ERROR, message: 'Parse error' });

/** The answer to a request that was refused before it was read, by a fault of the peer or of ours. */
export const refused = (message: string, whose: 'peer' | 'ours'): object =>
  errorEnvelope(null, {
    code: whose === 'peer' ? A2A_ERROR_CODE.INVALID_REQUEST : A2A_ERROR_CODE.INTERNAL_ERROR,
    message,
  });

/** An answer that is an error. */
const errorEnvelope = (id: RequestId, error: object): object => ({ jsonrpc: '2.0', id, error });

const INVALID_REQUEST = { code: A2A_ERROR_CODE.INVALID_REQUEST, message: 'Invalid Request' };
const METHOD_NOT_FOUND = { code: A2A_ERROR_CODE.METHOD_NOT_FOUND, message: 'Method not found' };
const INVALID_PUSH = {
  code: A2A_ERROR_CODE.INVALID_PARAMS,
  message: 'Invalid params: the push config must be an object with a url',
};
const UNSUPPORTED = 'this version of A2A is not spoken here; use 1.0 or 0.3';

const one = (envelope: object): JsonRpcAnswer => ({ kind: 'one', envelope });

const isId = (id: unknown): id is RequestId =>
  typeof id === 'string' || id === null || (typeof id === 'number' && Number.isInteger(id));

type Request = { readonly [key: string]: unknown; readonly method: string; readonly params?: unknown };

function isRequest(body: unknown): body is Request {
  if (!isObject(body) || body.jsonrpc !== '2.0' || ('id' in body && !isId(body.id))) return false;
  return typeof body.method === 'string' && body.method !== '';
}

async function answerLegacy(
  id: RequestId,
  method: string,
  params: unknown,
  handler: A2ARequestHandler,
  context: ServerCallContext,
): Promise<object> {
  try {
    const result = method === 'message/send' ? await handler.sendMessage(readLegacySend(params), context) : undefined;
    const task = result ?? (await handler.getTask({ tenant: '', id: readLegacyId(params), historyLength: 0 }, context));
    return { jsonrpc: '2.0', id, result: writeLegacyTask(task as Task) };
  } catch (error) {
    return errorEnvelope(id, writeLegacyError(error));
  }
}

type Stream = AsyncGenerator<object, void>;

const isStream = (answer: object): answer is Stream => Symbol.asyncIterator in answer;

/** What goes wrong before the first event is an answer like any other; what goes wrong later ends the stream. */
async function begun(id: RequestId, dialect: Dialect, stream: Stream, opened: Promise<void>): Promise<JsonRpcAnswer> {
  const asError = (error: unknown) =>
    errorEnvelope(
      id,
      dialect === '1.0'
        ? JsonRpcTransportHandler.mapToJSONRPCError(error)
        : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error),
    );
  try {
    const first = stream.next();
    await Promise.race([first, opened]);
    return { kind: 'stream', envelopes: continued(first, stream, asError) };
  } catch (error) {
    return one(asError(error));
  }
}

async function* continued(
  first: Promise<IteratorResult<object, void>>,
  stream: Stream,
  asError: (error: unknown) => object,
): Stream {
  try {
    for (let next = await first; next.done !== true; next = await stream.next()) yield next.value;
  } catch (error) {
    yield asError(error);
  } finally {
    await stream.return(undefined);
  }
}
