import { isObject } from './dialect.ts';

/** A part in the JSON of the protocol buffers of 0.3, which wraps data and names files otherwise, in that of 1.0. */
export function modernPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  const { data, file, ...rest } = part;
  return {
    ...rest,
    ...(isObject(data) ? { data: data.data ?? data } : {}),
    ...(isObject(file) ? modernFile(file) : {}),
  };
}

function modernFile(file: Readonly<Record<string, unknown>>): object {
  const raw = file.fileWithBytes ?? file.file_with_bytes;
  return {
    ...(raw === undefined ? { url: file.fileWithUri ?? file.file_with_uri ?? '' } : { raw }),
    filename: file.name ?? '',
    mediaType: file.mimeType ?? file.mime_type ?? '',
  };
}
