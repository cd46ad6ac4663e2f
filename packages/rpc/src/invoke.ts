// How an implementation is called, the same for both transports.
//
// 1. Whatever leaves these functions as an error is a DomainError that may be shown to the caller.
// 2. An aborted call answers its caller at once, whether or not the implementation looks at its signal.
// 3. An implementation's iterator is released (its `finally` runs) as soon as the call is over, also while nobody reads.
// 4. Nothing an implementation does late is an unhandled rejection.

import type { Message } from '@bufbuild/protobuf';
import { create } from '@stopgo/proto';
import type { CallContext } from './context.ts';
import { errorForCaller, type OnInternalError, reportLate } from './internal-errors.ts';
import { type CallLifetime, callerLeft } from './lifetime.ts';
import type { BoundMethod } from './methods.ts';

/** One call under way. */
export type Invocation = {
  readonly request: Message;
  readonly context: CallContext;
  readonly lifetime: CallLifetime;
  readonly onInternalError: OnInternalError;
};

/** Calls a unary method and gives its answer as a message. */
export async function invokeUnary(
  method: BoundMethod & { readonly kind: 'unary' },
  { request, context, lifetime, onInternalError }: Invocation,
): Promise<Message> {
  const late = (error: unknown) => reportLate(error, method.path, onInternalError);
  try {
    return create(method.desc.output, await lifetime.race(method.run(request, context), late));
  } catch (error) {
    throw errorForCaller(error, method.path, onInternalError);
  }
}

/** Calls a server-streaming method and gives its answers as messages, each when it is asked for. */
export async function* invokeStream(
  method: BoundMethod & { readonly kind: 'stream' },
  { request, context, lifetime, onInternalError }: Invocation,
): AsyncGenerator<Message, void> {
  const late = (error: unknown) => reportLate(error, method.path, onInternalError);
  let over = false;
  try {
    const iterator = method.run(request, context)[Symbol.asyncIterator]();
    // A generator queues this behind a pending `next()`, which its signal is there to end.
    const release = async () => iterator.return?.();
    lifetime.onAbort(() => void release().catch(late));
    for (;;) {
      const step = await lifetime.race(iterator.next(), late);
      if (step.done === true) break;
      yield create(method.desc.output, step.value);
    }
    over = true;
  } catch (error) {
    over = true;
    throw errorForCaller(error, method.path, onInternalError);
  } finally {
    // Neither an end nor an error: the reader stopped early, or could not use what it got.
    if (!over) lifetime.abort(callerLeft(method.path));
  }
}
