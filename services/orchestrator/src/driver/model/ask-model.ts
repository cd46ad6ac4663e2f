import type { BlobRef, PromptMessage } from '@stopgo/core';
import type { OpenWait } from '@stopgo/log';
import type { ModelOutcome, ModelPort, ModelRequest } from '../../models/port.ts';
import { type AskingRun, generateTold, waitForModel } from '../handle/model-waits.ts';
import type { DriverPorts } from '../handle/ports.ts';
import { loadMedia } from './load-media.ts';

/** How long a request waits for room before its run is told to wait, in milliseconds. */
const momentMs = 1_000;

/** The run that asks. */
type Asking = AskingRun & { readonly ports: Pick<DriverPorts, 'blobs' | 'blobRoom' | 'clock' | 'random'> };

/** What a model is asked, before its media are at hand. */
export type Asked = Omit<ModelRequest, 'messages'> & { readonly messages: readonly PromptMessage[] };

/**
 * Asks a model, with the media of its messages; the run is told what it waits for. Only the outcome is given back: once the room of the
 * media is free again, nobody holds their bytes. Rejects as `generate` does.
 */
export async function askModel(
  asking: Asking,
  model: ModelPort,
  asked: Asked,
  { signal, ...told }: Parameters<typeof generateTold>[3],
): Promise<ModelOutcome> {
  const { conversationId, ports } = asking;
  const begin = (reason: string): OpenWait => waitForModel(asking, asked, reason);
  const blobRoom = { take: (bytes: number, by: AbortSignal) => roomOf(ports, bytes, by, begin) };
  const takes = ({ mediaType, size }: BlobRef): boolean => model.takes(asked.model, mediaType, size);
  const { blobs, clock, random } = ports;
  const asker = { takes, signal, begin };
  const media = await loadMedia({ blobs, clock, random, blobRoom }, conversationId, asked.messages, asker);
  try {
    return await generateTold(asking, model, { ...asked, messages: media.messages }, { signal, ...told });
  } finally {
    media.release();
  }
}

/** Takes room for so many bytes, see `Room`; `begin` begins a wait if that takes longer than a moment. */
async function roomOf(
  { blobRoom, clock }: Pick<DriverPorts, 'blobRoom' | 'clock'>,
  bytes: number,
  signal: AbortSignal,
  begin: (reason: string) => OpenWait,
): Promise<() => void> {
  const taken = new AbortController();
  let wait: OpenWait | undefined;
  clock.sleep(momentMs, taken.signal).then(
    () => {
      if (!taken.signal.aborted) wait = begin('other requests hold all the room for images and documents');
    },
    () => undefined,
  );
  try {
    return await blobRoom.take(bytes, signal);
  } finally {
    taken.abort(isTaken);
    wait?.end();
  }
}

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const isTaken = new Error('nobody waits for room any more');
