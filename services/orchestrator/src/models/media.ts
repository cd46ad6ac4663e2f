import type { ModelMedia, ModelMessage, ModelRequest } from './port.ts';

/** Media whose bytes are at hand. */
export type LoadedMedia = ModelMedia & { readonly bytes: Uint8Array };

/** Why media of a type or size that a provider does not take are not shown. */
export const notTaken = 'this model cannot be given it';

/** The media of a result. */
export type SortedMedia = {
  readonly shown: readonly LoadedMedia[];
  /** A line for each of the others, which says that it is not shown and why. */
  readonly notes: readonly string[];
};

/** Sorts the media of a result by whether they are shown. */
export function sortedMedia(media: readonly ModelMedia[] = []): SortedMedia {
  const shown: LoadedMedia[] = [];
  const notes: string[] = [];
  for (const one of media) {
    const { bytes } = one;
    if (bytes === undefined) notes.push(noteOf(one));
    else shown.push({ ...one, bytes });
  }
  return { shown, notes };
}

/** The text of a result, and what is told of media that are not shown. */
export function withNotes(content: string, notes: readonly string[]): string {
  return notes.length === 0 ? content : [content, ...notes].join('\n');
}

/** The bytes as base64. */
export function base64Of({ bytes }: LoadedMedia): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Whether a request shows any media. */
export function showsMedia({ messages }: ModelRequest): boolean {
  return messages.some((message) => mediaOf(message).some(({ bytes }) => bytes !== undefined));
}

/** The digests of what the request shows, each once, in their order, with its size in bytes. */
export function shownSizes({ messages }: ModelRequest): ReadonlyMap<string, number> {
  const shown = messages.flatMap(mediaOf).filter(({ bytes }) => bytes !== undefined);
  return new Map(shown.map(({ digest, size }) => [digest, size]));
}

/** The same request, which tells in words only of the media that it shows: of all, or of `which`. */
export function withoutMedia(
  request: ModelRequest,
  leftOut: string,
  which: (one: ModelMedia) => boolean = () => true,
): ModelRequest {
  const bare = (one: ModelMedia): ModelMedia => {
    const { bytes, ...rest } = one;
    return bytes === undefined || !which(one) ? one : { ...rest, leftOut };
  };
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'tool') return message;
    const results = message.results.map((one) =>
      one.media === undefined ? one : { ...one, media: one.media.map(bare) },
    );
    return { ...message, results };
  });
  return { ...request, messages };
}

/** The same request with the latest so many media; the others are told of in words. */
export function latestMedia(request: ModelRequest, most: number): ModelRequest {
  const latest = new Set([...shownSizes(request).keys()].slice(-most));
  return withoutMedia(request, `this provider takes ${most} in a request`, ({ digest }) => !latest.has(digest));
}

/** What the results of a message hold beside text. */
export function mediaOf(message: ModelMessage): readonly ModelMedia[] {
  return message.role === 'tool' ? message.results.flatMap(({ media = [] }) => media) : [];
}

function noteOf({ mediaType, size, leftOut }: ModelMedia): string {
  return `[${mediaType} of ${size} bytes is not shown: ${leftOut}]`;
}
