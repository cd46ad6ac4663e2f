import type { OpenAI } from 'openai';
import { base64Of, type LoadedMedia } from './media.ts';
import type { Dialect } from './openai-dialects.ts';
import type { ModelPort } from './port.ts';

const megabyte = 1_000_000;
/** Largest image that all of these providers take in a request, in bytes: Groq's limit, of base64. */
const imageBytesMax = 3 * megabyte;
const fileBytesMax = 12 * megabyte;
/** The formats of sounds, as the protocol names them. */
const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' };
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Of models that say in their name that they hear. Others refuse the whole request. */
const hears = /audio|voxtral/i;

type Part = OpenAI.ChatCompletionContentPart;

/** What models behind this dialect can be given. */
export function openaiTakes({ files }: Dialect): ModelPort['takes'] {
  return (model, mediaType, bytes) => {
    if (imageTypes.has(mediaType)) return bytes <= imageBytesMax;
    if (mediaType === 'application/pdf') return files !== 'none' && bytes <= fileBytesMax;
    return mediaType in audioFormats && hears.test(model) && bytes <= fileBytesMax;
  };
}

/** Media as a part of a user's message: results of tools can only be text. */
export function openaiPart(media: LoadedMedia, { files, provider }: Dialect): Part {
  const base64 = base64Of(media);
  const url = `data:${media.mediaType};base64,${base64}`;
  const format = audioFormats[media.mediaType];
  if (format !== undefined) {
    // Mistral's own form has the bytes alone.
    const sound = provider === 'mistral' ? (base64 as unknown as { data: string; format: typeof format }) : undefined;
    return { type: 'input_audio', input_audio: sound ?? { data: base64, format } };
  }
  if (media.mediaType !== 'application/pdf') return { type: 'image_url', image_url: { url } };
  if (files === 'document_url') return { type: 'document_url', document_url: url } as unknown as Part;
  return { type: 'file', file: { filename: 'document.pdf', file_data: url } };
}
