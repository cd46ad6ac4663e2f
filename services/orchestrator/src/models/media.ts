import type { ModelMedia, ModelMessage, ModelRequest } from './port.ts';

/** Media whose bytes are at hand. */
export type LoadedMedia = ModelMedia & { readonly bytes: Uint8Array };

/** What a provider can be given of a result. */
export type SortedMedia = {
  readonly shown: readonly LoadedMedia[];
  /** A line for each of the others, which says that it is not shown and why. */
  readonly notes: readonly string[];
};

/** Sorts the media of a result by what a provider takes. `takes` sees what it is, and how many bytes it has. */
export function sortedMedia(
  media: readonly ModelMedia[] | undefined,
  takes: (mediaType: string, bytes: number) => boolean,
): SortedMedia {
  const shown: LoadedMedia[] = [];
  const notes: string[] = [];
  for (const one of media ?? []) {
    const { bytes, mediaType, size, leftOut } = one;
    if (bytes !== undefined && takes(mediaType, size)) shown.push({ ...one, bytes });
    else notes.push(noteOf(one, bytes === undefined ? leftOut : 'this model cannot be given it'));
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

/** The same messages with the latest so many media; the others are told of in words. */
export function latestMedia(messages: readonly ModelMessage[], most: number): readonly ModelMessage[] {
  let left = most;
  const kept = messages.toReversed().map((message): ModelMessage => {
    if (message.role !== 'tool') return message;
    const results = message.results.toReversed().map((result) => {
      const media = result.media?.toReversed().map((one): ModelMedia => {
        const { bytes, ...rest } = one;
        if (bytes === undefined || left-- > 0) return one;
        return { ...rest, leftOut: `this provider takes ${most} in a request` };
      });
      return media === undefined ? result : { ...result, media: media.toReversed() };
    });
    return { ...message, results: results.toReversed() };
  });
  return kept.toReversed();
}

/** What the results of a message hold beside text. */
export function mediaOf(message: ModelMessage): readonly ModelMedia[] {
  return message.role === 'tool' ? message.results.flatMap(({ media = [] }) => media) : [];
}

function noteOf({ mediaType, size }: ModelMedia, why: string): string {
  return `[${mediaType} of ${size} bytes is not shown: ${why}]`;
}
