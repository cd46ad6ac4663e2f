import { callerLeft } from './lifetime.ts';

/**
 * The reader's end of a stream. `open` runs when it is first read. A reader that stops early (`break`, `return()`)
 * aborts the signal that `open` got, so that a read which is still pending ends too, as the end of the stream.
 */
export function clientStream<T>(
  path: string,
  open: (left: AbortSignal) => AsyncGenerator<T, void>,
): AsyncIterableIterator<T> {
  const left = new AbortController();
  const generator = untilLeft(open(left.signal), left.signal);
  return {
    next: () => generator.next(),
    return: () => {
      left.abort(callerLeft(path));
      return generator.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* untilLeft<T>(source: AsyncGenerator<T, void>, left: AbortSignal): AsyncGenerator<T, void> {
  try {
    yield* source;
  } catch (error) {
    if (!left.aborted) throw error;
  }
}
