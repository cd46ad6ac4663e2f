import { onPlaceWanted, type StreamPlace, streamPlace } from './stream-places.ts';

/** Why a stream has ended here: its turn is over, or it rests until somebody looks at the page. The platform is there for all that. */
export class TurnOver extends Error {
  readonly rests: boolean;
  constructor(rests: boolean) {
    super(rests ? 'the page is not looked at' : 'others take their turn');
    this.rests = rests;
  }
}

/**
 * Who takes turns has read what is new when nothing came for so long, or for twice as long as the answer took to begin, and leaves at the
 * latest after `turnMs`. In milliseconds.
 */
const quietMs = 250;
const turnMs = 2_000;

/** As `fetch`, of an event stream: in one of the places that the browser has for them. It breaks off with TurnOver when that is given up. */
export async function fetchInPlace(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const signal = init.signal ?? undefined;
  const place = await streamPlace(signal);
  if (place === undefined) throw new TurnOver(true);
  const began = performance.now();
  try {
    signal?.throwIfAborted();
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) {
      place.release();
      return response;
    }
    const quiet = Math.max(quietMs, 2 * (performance.now() - began));
    const { status, headers } = response;
    return new Response(inPlace(response.body, place, quiet, signal), { status, headers });
  } catch (error) {
    place.release();
    throw error;
  }
}

function inPlace(
  body: ReadableStream<Uint8Array>,
  place: StreamPlace,
  quiet: number,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let silence: ReturnType<typeof setTimeout> | undefined;
  let leave = (): void => undefined;
  const listen = (): void => {
    if (place.stays) return;
    clearTimeout(silence);
    silence = setTimeout(() => leave(), quiet);
  };
  const turn = place.stays ? undefined : setTimeout(() => leave(), turnMs);
  const keepPlace = onPlaceWanted(place.stays, () => leave());
  const end = (): void => {
    clearTimeout(silence);
    clearTimeout(turn);
    keepPlace();
    signal?.removeEventListener('abort', end);
    place.release();
  };
  signal?.addEventListener('abort', end);
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      leave = () => {
        end();
        controller.error(new TurnOver(false));
        reader.cancel().catch(() => undefined);
      };
      listen();
    },
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end();
          controller.close();
          return;
        }
        listen();
        controller.enqueue(value);
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: (why) => {
      end();
      return reader.cancel(why);
    },
  });
}
