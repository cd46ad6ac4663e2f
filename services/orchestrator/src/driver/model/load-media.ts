import { type BlobRef, type PromptMessage, textBytesMax } from '@stopgo/core';
import type { OpenWait } from '@stopgo/log';
import { requestBlobBytesMax, requestBlobsMax } from '../../bounds.ts';
import { notTaken } from '../../models/media.ts';
import type { ModelMedia, ModelMessage, ModelToolResult } from '../../models/port.ts';
import type { DriverPorts } from '../handle/ports.ts';
import type { Room } from '../handle/room.ts';
import { readBlobs } from './read-blobs.ts';
import { isText, textTooLong, withTexts } from './text-files.ts';

/** What a model is told, with the media of its results, and what gives back the room that they take. */
export type Told = { readonly messages: readonly ModelMessage[]; release(): void };

type Ports = Pick<DriverPorts, 'blobs' | 'clock' | 'random'> & { readonly blobRoom: Pick<Room, 'take'> };

/** Whether the model can be given such a blob. */
type Takes = (blob: BlobRef) => boolean;

/** On whose behalf media are loaded. */
type Asker = {
  readonly takes: Takes;
  readonly signal: AbortSignal;
  /** Begins a wait of the run. */
  readonly begin: (reason: string) => OpenWait;
};

const nothing: ReadonlyMap<string, Uint8Array> = new Map();

const tooMany = 'only the latest media of a conversation are shown';
const notThere = 'it cannot be read';
const repeated = 'it comes again later';

/**
 * The messages of a prompt as a model is told them, with the bytes of what results hold beside text, if the model `takes` such: the
 * latest first, as far as `requestBlobsMax` and `requestBlobBytesMax` go. Files of text stand in the text of their result, the latest in
 * `textBytesMax` together. The others are told of in words, and so is what comes again later: a page that did not change may be in each
 * result. Waits while all requests together hold too much, and while the store is out of reach: see `readBlobs`.
 */
export async function loadMedia(
  ports: Ports,
  conversationId: string,
  messages: readonly PromptMessage[],
  asker: Asker,
): Promise<Told> {
  const takes = (blob: BlobRef): boolean => (isText(blob) ? !textTooLong(blob) : asker.takes(blob));
  const { signal, begin } = asker;
  const chosen = latest(messages, takes);
  const bytes = [...chosen.values()].reduce((sum, size) => sum + size, 0);
  const release = bytes === 0 ? () => undefined : await ports.blobRoom.take(bytes, signal);
  try {
    const loaded = bytes === 0 ? nothing : await readBlobs(ports, conversationId, chosen.keys(), signal, begin);
    const seen = new Set<string>();
    const mediaOf = (blob: BlobRef): ModelMedia => {
      const { digest, mediaType, size } = blob;
      if (!takes(blob)) return { digest, mediaType, size, leftOut: textTooLong(blob) ?? notTaken };
      if (seen.has(digest)) return { digest, mediaType, size, leftOut: chosen.has(digest) ? repeated : tooMany };
      seen.add(digest);
      const found = loaded.get(digest);
      if (found !== undefined) return { digest, mediaType, size, bytes: found, leftOut: '' };
      return { digest, mediaType, size, leftOut: chosen.has(digest) ? notThere : tooMany };
    };
    const latestFirst = messages.toReversed().map((message) => modelMessage(message, mediaOf));
    return { messages: latestFirst.toReversed(), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The digests of the blobs that are shown, with their sizes in bytes. */
function latest(messages: readonly PromptMessage[], takes: Takes): ReadonlyMap<string, number> {
  const chosen = new Map<string, number>();
  let bytes = 0;
  let textBytes = 0;
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool') continue;
    const taken = message.results.flatMap(({ blobs = [] }) => blobs).filter(takes);
    for (const blob of taken.toReversed()) {
      const { digest, size } = blob;
      if (chosen.has(digest)) continue;
      const text = isText(blob) ? size : 0;
      // Words cannot be left out once a provider has refused them.
      if (text > 0 && textBytes + text > textBytesMax) continue;
      if (chosen.size >= requestBlobsMax || bytes + size > requestBlobBytesMax) return chosen;
      chosen.set(digest, size);
      bytes += size;
      textBytes += text;
    }
  }
  return chosen;
}

/** `mediaOf` is asked of the last one first. */
function modelMessage(message: PromptMessage, mediaOf: (blob: BlobRef) => ModelMedia): ModelMessage {
  if (message.role === 'user') return message;
  if (message.role === 'tool') {
    const results = message.results.toReversed().map(({ blobs, ...result }): ModelToolResult => {
      return blobs === undefined ? result : withTexts(result, blobs.toReversed().map(mediaOf).toReversed());
    });
    return { role: 'tool', results: results.toReversed() };
  }
  const { text, calls, provider, opaque } = message;
  return { role: 'assistant', text, calls, provider, ...(opaque.length === 0 ? {} : { opaque }) };
}
