import {
  type A2ARequestHandler,
  AgentCard,
  activatedOf,
  cardOf,
  extensionsNamed,
  hitlExtension,
} from '@stopgo/a2a-agent';
import { asGrpcError, type GrpcCaller, type GrpcListener, listenGrpc } from '@stopgo/a2a-agent/grpc';
import { anonymous } from '@stopgo/core';
import { describeError } from '@stopgo/runtime';
import { type Frame, frameFrom, signIn } from '../frame.ts';
import type { GatewayOptions } from '../options.ts';
import type { RouteDependencies } from '../routes/route.ts';
import { extensionsOf } from './extensions.ts';
import { handlerOf } from './handler.ts';
import { headersOf } from './headers.ts';
import { profileOf } from './profile.ts';
import { asA2AError } from './task-errors.ts';

type GrpcOptions = Pick<GatewayOptions, 'host' | 'limits' | 'newSessionId'> & { readonly port: number };

/** Speaks A2A over gRPC. @throws Error in one line if it cannot listen. */
export function startGrpc(deps: RouteDependencies, options: GrpcOptions): Promise<GrpcListener> {
  const nobody = { context: { principal: anonymous } };
  return listenGrpc({
    host: options.host,
    port: options.port,
    portName: 'a2a_grpc_port',
    messageBytesMax: options.limits.bodyBytes,
    card: async () => AgentCard.fromJSON(cardOf(await profileOf(deps, `http://${options.host}`, nobody))),
    handlerFor: (caller) => handlerFor(deps, options, caller),
    activatedFor: ({ header }) => activatedOf(extensionsOf(deps), extensionsNamed(header)),
  });
}

async function handlerFor(
  deps: RouteDependencies,
  options: GrpcOptions,
  caller: GrpcCaller,
): Promise<A2ARequestHandler> {
  const frame = frameFrom(
    {
      session: caller.header('x-session-id'),
      authorization: caller.header('authorization'),
      address: caller.peer.replace(/:\d+$/, ''),
    },
    options.newSessionId,
  );
  const refused = await whyNotIn(deps, frame, caller);
  const left = new AbortController();
  if (caller.signal.aborted) left.abort();
  caller.signal.addEventListener('abort', () => left.abort(), { once: true });
  const extensions = extensionsNamed((name) => caller.header(name));
  const handler = handlerOf(
    {
      ...deps,
      profile: () => profileOf(deps, `http://${options.host}`, frame),
      asA2AError: (error) => asGrpcError(asA2AError(error, deps.newId, reporter(deps, frame))),
    },
    {
      frame,
      dialect: caller.version,
      ...headersOf(caller.header, () => undefined),
      ...(refused === undefined ? {} : { unreadable: refused }),
      extensions,
      withHitl: extensions.includes(hitlExtension),
      cursor: { revision: undefined },
      open: () => {},
      signal: left.signal,
    },
  );
  return {
    ...handler,
    sendMessageStream: (...args) => withinCap(deps, left, handler.sendMessageStream(...args)),
    resubscribe: (...args) => withinCap(deps, left, handler.resubscribe(...args)),
  };
}

/** Finds out who calls, where people have to sign in; gives what every operation throws for who is not let in. */
async function whyNotIn({ authenticate }: RouteDependencies, frame: Frame, { header }: GrpcCaller): Promise<unknown> {
  if (authenticate === undefined) return undefined;
  try {
    const [authorization, apiKey] = [header('authorization'), header('x-api-key')];
    await signIn(frame, authenticate, { authorization, apiKey, toolAuthorization: header('x-tool-authorization') });
    return undefined;
  } catch (error) {
    return error;
  }
}

const reporter =
  ({ log }: RouteDependencies, { sessionId }: Frame) =>
  (cause: unknown, id: string): void =>
    log.error('internal error', { error_id: id, path: 'grpc', sid: sessionId, error: describeError(cause) });

/** A stream that counts as one of the open ones, and ends with them. */
async function* withinCap<T>(
  { streams }: RouteDependencies,
  left: AbortController,
  events: AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const slot = streams.open();
  slot.signal.addEventListener('abort', () => left.abort(), { once: true });
  try {
    yield* events;
  } finally {
    slot.release();
  }
}
