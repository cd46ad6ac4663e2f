import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import { type Dialect, dialectOf, isObject } from './dialect.ts';
import {
  legacyArtifact,
  readLegacyId,
  readLegacySend,
  writeLegacyError,
  writeLegacyMessage,
  writeLegacyTask,
} from './legacy.ts';
import { methodNotFound } from './methods.ts';
import { problemOf03 } from './params-0-3.ts';
import { problemOf10 } from './params-1-0.ts';
import { A2A_ERROR_CODE, type A2ARequestHandler, type ServerCallContext } from './protocol.ts';
import { problemOfPushParams } from './push.ts';

/** One JSON-RPC request, and who answers it. */
export type JsonRpcCall = {
  /** The body, parsed. */
  readonly body: unknown;
  /** See {@link dialectOf}. */
  readonly version: string | undefined;
  /** The handler for a peer that speaks like this. It throws nothing but what a peer may read. */
  readonly handlerFor: (dialect: Dialect) => A2ARequestHandler;
  /**
   * Says how the peer speaks that asks for this task, which its request does not show. If nobody can know, it is answered
   * in 0.3, with the artifact besides where those before look for it.
   */
  readonly dialectOfTask: (taskId: unknown) => Promise<'0.3' | 'legacy' | 'unknown'>;
  readonly context: ServerCallContext;
  /** Resolves when a stream is known to be good though it has no event yet, so that it can be begun. */
  readonly opened: Promise<void>;
  /** Called before anything is done for a stream; what it throws is thrown on. */
  readonly beforeStream: () => void;
};

/** An envelope, or a stream of them that is known to be good. */
export type JsonRpcAnswer =
  | { readonly kind: 'one'; readonly envelope: object }
  | { readonly kind: 'stream'; readonly envelopes: AsyncGenerator<object, void> };

type RequestId = string | number | null;

/** Answers a request in its own dialect. Never rejects for what the peer sent. @throws what `beforeStream` throws. */
export async function answerJsonRpc(call: JsonRpcCall): Promise<JsonRpcAnswer> {
  const { body } = call;
  const id = isObject(body) && isId(body.id) ? body.id : null;
  if (!isRequest(body)) return one(errorEnvelope(id, invalidRequest));
  const { method, params } = body;
  const spoken = dialectOf({ version: call.version, method, params });
  if (spoken === 'unsupported') {
    return one(errorEnvelope(id, JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError(unsupported))));
  }
  const notFound = methodNotFound(method, spoken === 'unsaid' ? '0.3' : spoken, (call.version ?? '') !== '');
  if (notFound !== undefined) return one(errorEnvelope(id, notFound));
  const known = spoken === 'unsaid' ? await call.dialectOfTask(isObject(params) ? params.id : undefined) : spoken;
  const dialect = known === 'unknown' ? '0.3' : known;
  const handler = call.handlerFor(dialect);
  if (dialect === 'legacy') return one(await answerLegacy(id, method, params, handler, call.context));
  const problem =
    problemOfPushParams(method, params) ??
    (dialect === '0.3' ? problemOf03(method, params) : problemOf10(method, params));
  if (problem !== undefined) return one(errorEnvelope(id, { ...invalidParams, message: `Invalid params: ${problem}` }));
  const reading = watched(handler);
  const transport =
    dialect === '1.0'
      ? new JsonRpcTransportHandler(reading.handler)
      : new LegacyJsonRpcTransportHandler(reading.handler);
  const answer = await transport.handle(body, call.context);
  // What the SDK breaks on while it reads is no fault of ours.
  if (!reading.isOver() && isInternalError(answer)) return one(errorEnvelope(id, invalidParams));
  if (isStream(answer)) {
    call.beforeStream();
    return begun(id, dialect, answer, call.opened);
  }
  return one(known === 'unknown' ? withArtifact(answer) : answer);
}

/** The envelope of a task of 0.3, with the artifact of the dialect before it besides. */
function withArtifact(envelope: object): object {
  const { result } = envelope as { readonly result?: unknown };
  if (!isObject(result) || !Array.isArray(result.artifacts) || result.artifacts.length === 0) return envelope;
  const parts = result.artifacts.flatMap((one) => (isObject(one) && Array.isArray(one.parts) ? one.parts : []));
  const texts = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
  return { ...envelope, result: { ...result, artifact: legacyArtifact(texts.join('\n')) } };
}

/** The answer to a body that is no JSON. */
export const unparsable = (): object =>
  errorEnvelope(null, { code: A2A_ERROR_CODE.PARSE_ERROR, message: 'Parse error' });

/** The answer to a body that is no JSON and does not claim to be. */
export const notJson = (): object =>
  errorEnvelope(
    null,
    JsonRpcTransportHandler.mapToJSONRPCError(
      new ContentTypeNotSupportedError('the body must be JSON; send it with Content-Type: application/json'),
    ),
  );

/** The answer to a request that was refused before it was read, by a fault of the peer or of ours. */
export const refused = (message: string, whose: 'peer' | 'ours'): object =>
  errorEnvelope(null, {
    code: whose === 'peer' ? A2A_ERROR_CODE.INVALID_REQUEST : A2A_ERROR_CODE.INTERNAL_ERROR,
    message,
  });

/** An answer that is an error. */
const errorEnvelope = (id: RequestId, error: object): object => ({ jsonrpc: '2.0', id, error });

const invalidRequest = { code: A2A_ERROR_CODE.INVALID_REQUEST, message: 'Invalid Request' };
const invalidParams = { code: A2A_ERROR_CODE.INVALID_PARAMS, message: 'Invalid params' };
const unsupported = 'this version of A2A is not spoken here; use 1.0 or 0.3';

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
    const sent = result ?? (await handler.getTask({ tenant: '', id: readLegacyId(params), historyLength: 0 }, context));
    return { jsonrpc: '2.0', id, result: 'messageId' in sent ? writeLegacyMessage(sent) : writeLegacyTask(sent) };
  } catch (error) {
    return errorEnvelope(id, writeLegacyError(error));
  }
}

/** A handler of which can be told whether it was given anything to do. The card is looked at before that. */
function watched(handler: A2ARequestHandler): { readonly handler: A2ARequestHandler; readonly isOver: () => boolean } {
  let isOver = false;
  const get = (target: A2ARequestHandler, name: string | symbol): unknown => {
    const method: unknown = Reflect.get(target, name);
    if (typeof method !== 'function') return method;
    return (...args: unknown[]): unknown => {
      if (name !== 'getAgentCard') isOver = true;
      return Reflect.apply(method, target, args);
    };
  };
  return { handler: new Proxy(handler, { get }), isOver: () => isOver };
}

const isInternalError = (answer: object): boolean =>
  'error' in answer && isObject(answer.error) && answer.error.code === A2A_ERROR_CODE.INTERNAL_ERROR;

type Stream = AsyncGenerator<object, void>;

const isStream = (answer: object): answer is Stream => Symbol.asyncIterator in answer;

/** What goes wrong before the first event is an answer like any other in 1.0; what goes wrong later ends the stream. */
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
    // Clients of 0.3 read an event stream whatever it holds.
    return dialect === '0.3' ? { kind: 'stream', envelopes: only(asError(error)) } : one(asError(error));
  }
}

async function* only(envelope: object): Stream {
  yield envelope;
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
